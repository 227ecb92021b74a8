//! SVG text to PNG bytes, with a font of our own.
//!
//! Machines that make figures (clusters, containers) often have no fonts, so DejaVu Sans is part
//! of the binary (0.7 MiB) and the system's fonts are never asked: the same text gives the same
//! pixels everywhere.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, Tree, fontdb};
use thiserror::Error;

/// The most pixels a picture may have: 1 GiB of memory.
const MAX_PIXELS: f32 = (1u32 << 28) as f32;

/// Why an SVG gave no PNG.
#[derive(Debug, Error)]
pub enum PngError {
    /// The text is no SVG.
    #[error("the text is not a valid SVG: {0}")]
    Svg(#[from] usvg::Error),
    /// The picture has no pixel or too many.
    #[error("a picture of {width} x {height} pixels cannot be drawn, expected 1 to 2^28 in all")]
    Size {
        /// Pixels across.
        width: f32,
        /// Pixels down.
        height: f32,
    },
    /// The pixels could not be written.
    #[error("the PNG could not be encoded: {0}")]
    Encode(String),
}

/// The picture `svg`, each of its units `scale` pixels wide, as the bytes of a PNG file.
///
/// Of an animation it shows the last frame.
pub fn render(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let mut options = usvg::Options { font_family: FAMILY.to_owned(), ..usvg::Options::default() };
    let fonts = options.fontdb_mut();
    fonts.load_font_source(fontdb::Source::Binary(Arc::new(dejavu::sans::regular())));
    fonts.set_sans_serif_family(FAMILY);
    let tree = Tree::from_str(svg, &options)?;

    // Half a pixel would be a faint line along the border.
    let [width, height] =
        [tree.size().width(), tree.size().height()].map(|length| (length * scale).floor());
    let fits = width >= 1.0 && height >= 1.0 && width * height <= MAX_PIXELS;
    let pixmap = if fits { Pixmap::new(width as u32, height as u32) } else { None };
    let mut pixmap = pixmap.ok_or(PngError::Size { width, height })?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| PngError::Encode(error.to_string()))
}

const FAMILY: &str = "DejaVu Sans";

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><text
        x="5" y="15" font-family="No Such Font, sans-serif" font-size="14">ab</text></svg>"#;

    fn pixels(png: &[u8]) -> Pixmap {
        Pixmap::decode_png(png).unwrap()
    }

    #[test]
    fn starts_with_the_png_signature() {
        assert!(render(TEXT, 1.0).unwrap().starts_with(b"\x89PNG\r\n\x1a\n"));
    }

    #[test]
    fn text_leaves_ink_without_system_fonts() {
        let drawn = pixels(&render(TEXT, 2.0).unwrap());
        assert_eq!((drawn.width(), drawn.height()), (80, 40));
        assert!(drawn.pixels().iter().filter(|pixel| pixel.alpha() > 128).count() > 50);
    }

    #[test]
    fn text_that_is_no_svg_is_refused() {
        let error = render("<svg", 1.0).unwrap_err().to_string();
        assert!(error.starts_with("the text is not a valid SVG"), "{error}");
    }

    #[test]
    fn a_scale_without_pixels_is_refused() {
        for scale in [0.0, -1.0, f32::NAN, 1e6] {
            assert!(matches!(render(TEXT, scale), Err(PngError::Size { .. })), "{scale}");
        }
    }
}
