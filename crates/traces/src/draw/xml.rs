//! The XML under the pictures: escaped text, short numbers, the frame of a document.
//!
//! Lengths have one decimal: a tenth of a pixel cannot be seen, and files stay small and equal on
//! every machine.

use super::palette::Palette;

/// A whole SVG document.
pub(super) fn document(
    [width, height]: [f64; 2],
    title: &str,
    description: &str,
    palette: &Palette,
    body: &str,
) -> String {
    let (width, height) = (px(width.ceil()), px(height.ceil()));
    let (title, description) = (escape(title), escape(description));
    let background = palette.background;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" \
         font-family=\"DejaVu Sans, sans-serif\">\n\
         <title>{title}</title>\n<desc>{description}</desc>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{background}\"/>\n{body}</svg>\n"
    )
}

/// Text that is safe between tags and in attributes; characters XML cannot hold are left out.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            other => escaped.push(other),
        }
    }
    escaped
}

/// A length with at most one decimal.
pub(super) fn px(length: f64) -> String {
    trimmed(format!("{length:.1}"))
}

/// A value for a reader: at most two decimals.
pub(super) fn number(value: f64) -> String {
    if value.is_nan() {
        "?".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "∞" } else { "-∞" }.to_owned()
    } else if value.abs() >= 1e5 || (value != 0.0 && value.abs() < 0.005) {
        format!("{value:.1e}")
    } else {
        trimmed(format!("{value:.2}"))
    }
}

/// Without zeros at the end of the decimals.
fn trimmed(text: String) -> String {
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let values = [0.0, -0.001, 3.0, 0.456, 120.0, 99.5, 1e6, f64::INFINITY];
        let shown = values.map(number);
        assert_eq!(shown, ["0", "-1.0e-3", "3", "0.46", "120", "99.5", "1.0e6", "∞"]);
        assert_eq!([px(-0.01), px(10.0), px(2.25)], ["0", "10", "2.2"]);
    }

    #[test]
    fn markup_in_text_is_escaped() {
        assert_eq!(escape("a<b> & \"c\"\u{1}"), "a&lt;b&gt; &amp; &quot;c&quot;");
    }
}
