//! The marks of a picture as SVG elements: a node, an edge, an arrow, and the halo of a change.
//!
//! All sizes follow from the radius of a node, so panels, pictures and legends look alike. An
//! arrow ends at the border of the node it leads to, tip on the border.

use super::palette::{CLASSES, ON_CLASSES, Palette};
use super::scene::{EdgeStyle, Fill, NodeStyle};
use super::xml::{escape, px};

/// Smallest type that is still read.
const SMALLEST_TYPE: f64 = 6.0;

/// Height of a line of a note, in sizes of its type.
const NOTE_LINE: f64 = 1.05;

/// Draws marks of one size in one set of colours.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    pub palette: &'static Palette,
    /// Radius of a node.
    pub radius: f64,
}

impl Marks {
    /// A node with its label, if it has one and there is room.
    pub(super) fn node(&self, [x, y]: [f64; 2], style: &NodeStyle, label: &str) -> String {
        let (palette, r) = (self.palette, self.radius);
        let (mut fill, mut ink) = match style.fill {
            Fill::Plain => (palette.node, palette.text),
            Fill::Reached => (palette.reached, palette.text),
            Fill::Done => (palette.dark, palette.on_dark),
            Fill::Solution => (palette.solution, palette.on_solution),
            Fill::Class { class, classes } if classes <= 3 => match class {
                0 => (palette.node, palette.text),
                1 => (palette.grey, palette.text),
                _ => (palette.dark, palette.on_dark),
            },
            Fill::Class { class, .. } => (CLASSES[class as usize % CLASSES.len()], ON_CLASSES),
        };
        let (mut outline, mut width) = (palette.outline, 0.09 * r);
        if style.is_waiting {
            if style.fill == Fill::Plain {
                (fill, ink) = (palette.waiting[0], palette.text);
            }
            (outline, width) = (palette.waiting[1], 0.24 * r);
        }
        if style.is_source {
            (outline, width) = (palette.solution, 0.24 * r);
        } else if style.fill == Fill::Solution {
            outline = palette.solution;
        }
        if style.is_faded {
            (outline, ink) = (palette.faint, palette.faint);
        }
        let (cx, cy) = (px(x), px(y));
        let mut svg = format!(
            "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"{}\" fill=\"{fill}\" stroke=\"{outline}\" \
             stroke-width=\"{}\"/>",
            px(r),
            px(width.max(0.6)),
        );
        if style.is_current {
            svg += &format!(
                "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"{}\" fill=\"none\" stroke=\"{}\" \
                 stroke-width=\"{}\"/>",
                px(1.38 * r),
                palette.current,
                px((0.26 * r).max(1.2)),
            );
        }
        let per_digit = [1.12, 1.12, 1.0, 0.78, 0.6][label.len().min(4)];
        svg + &self.text([x, y], label, per_digit * r, ink)
    }

    /// Lines of small text around a point, with a rim that keeps edges from running through them.
    pub(super) fn note(&self, [x, y]: [f64; 2], lines: &[String]) -> String {
        let size = self.note_type();
        let top = y - 0.5 * NOTE_LINE * size * (lines.len() as f64 - 1.0);
        let texts = lines.iter().enumerate().map(|(place, text)| {
            let base = top + NOTE_LINE * size * place as f64 + 0.36 * size;
            let (x, y, text) = (px(x), px(base), escape(text));
            format!("<text x=\"{x}\" y=\"{y}\">{text}</text>")
        });
        let (background, ink) = (self.palette.background, self.palette.text);
        format!(
            "<g font-size=\"{}\" text-anchor=\"middle\" fill=\"{ink}\" stroke=\"{background}\" \
             stroke-width=\"{}\" stroke-linejoin=\"round\" paint-order=\"stroke\">{}</g>",
            px(size),
            px(0.3 * size),
            texts.collect::<String>(),
        )
    }

    /// Width and height of a note.
    pub(super) fn note_size(&self, lines: &[String]) -> [f64; 2] {
        let longest = lines.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        // DejaVu Sans is about 0.6 of its size wide.
        let size = self.note_type();
        [0.6 * size * longest as f64, NOTE_LINE * size * lines.len() as f64]
    }

    fn note_type(&self) -> f64 {
        (0.74 * self.radius).max(SMALLEST_TYPE)
    }

    /// An edge between two nodes.
    pub(super) fn edge(&self, a: [f64; 2], b: [f64; 2], style: EdgeStyle, faded: bool) -> String {
        let (colour, width) = match style {
            EdgeStyle::Plain => (self.palette.edge, 0.11 * self.radius),
            EdgeStyle::Marked => (self.palette.current, 0.24 * self.radius),
            EdgeStyle::Solution => (self.palette.solution, 0.26 * self.radius),
        };
        let opacity = if faded { " stroke-opacity=\"0.4\"" } else { "" };
        line(a, b, colour, width.max(0.5), opacity)
    }

    /// An arrow from the border of one node to the border of another.
    pub(super) fn arrow(&self, from: [f64; 2], to: [f64; 2], changed: bool) -> String {
        let r = self.radius;
        let ([dx, dy], length) = direction(from, to);
        let width = (if changed { 0.3 } else { 0.2 }) * r;
        let head = (if changed { 0.95 } else { 0.8 }) * r.max(2.0);
        // Nodes that nearly touch leave room for a small head only.
        let head = head.min((length - 2.0 * r).max(0.35 * r) * 0.8);
        let half = 0.5 * head;
        let along = |distance: f64| [from[0] + dx * distance, from[1] + dy * distance];
        let (tip, base) = (along(length - 1.04 * r), along(length - 1.04 * r - head));
        let colour = self.palette.solution;
        let points = [
            tip,
            [base[0] - dy * half, base[1] + dx * half],
            [base[0] + dy * half, base[1] - dx * half],
        ];
        let points = points.map(|[x, y]| format!("{},{}", px(x), px(y))).join(" ");
        let shaft_end = along(length - 1.04 * r - 0.9 * head);
        let shaft = line(along(r), shaft_end, colour, width.max(0.6), "");
        format!("{shaft}<polygon points=\"{points}\" fill=\"{colour}\"/>")
    }

    /// What lies behind a node that changed.
    pub(super) fn node_halo(&self, [x, y]: [f64; 2]) -> String {
        let (cx, cy, r) = (px(x), px(y), px(1.52 * self.radius));
        format!("<circle cx=\"{cx}\" cy=\"{cy}\" r=\"{r}\" fill=\"{}\"/>", self.palette.halo)
    }

    /// What lies behind an edge or arrow that changed.
    pub(super) fn edge_halo(&self, a: [f64; 2], b: [f64; 2]) -> String {
        line(a, b, self.palette.halo, 0.55 * self.radius, "")
    }

    /// Text centred on a point, if it is large enough to be read.
    fn text(&self, [x, y]: [f64; 2], text: &str, size: f64, ink: &str) -> String {
        if text.is_empty() || size < SMALLEST_TYPE {
            return String::new();
        }
        let (x, y, size, text) = (px(x), px(y + 0.36 * size), px(size), escape(text));
        format!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"middle\" \
             fill=\"{ink}\">{text}</text>"
        )
    }
}

fn line(a: [f64; 2], b: [f64; 2], colour: &str, width: f64, more: &str) -> String {
    let ([x1, y1], [x2, y2]) = (a.map(px), b.map(px));
    format!(
        "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{colour}\" \
         stroke-width=\"{}\"{more}/>",
        px(width)
    )
}

/// The unit vector from `from` to `to`, and their distance.
fn direction(from: [f64; 2], to: [f64; 2]) -> ([f64; 2], f64) {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let length = (dx * dx + dy * dy).sqrt();
    if length > 0.0 { ([dx / length, dy / length], length) } else { ([1.0, 0.0], 0.0) }
}

#[cfg(test)]
mod tests {
    use super::super::palette::LIGHT;
    use super::*;

    #[test]
    fn an_arrow_stops_at_the_border_of_its_target() {
        let marks = Marks { palette: &LIGHT, radius: 10.0 };
        let arrow = marks.arrow([0.0, 0.0], [100.0, 0.0], false);
        assert!(arrow.contains("x1=\"10\"") && arrow.contains("points=\"89.6,0 "), "{arrow}");
    }

    #[test]
    fn marks_of_nodes_on_one_spot_are_finite() {
        let marks = Marks { palette: &LIGHT, radius: 10.0 };
        assert!(!marks.arrow([5.0, 5.0], [5.0, 5.0], true).contains("NaN"));
    }

    #[test]
    fn labels_too_small_to_read_are_left_out() {
        let label = |radius: f64| {
            Marks { palette: &LIGHT, radius }.node([0.0, 0.0], &NodeStyle::default(), "12")
        };
        assert!(label(10.0).contains("<text") && !label(4.0).contains("<text"));
    }
}
