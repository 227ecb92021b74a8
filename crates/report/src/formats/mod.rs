//! How tables look, one format a file, and what all of them say the same way.

pub mod csv;
pub mod latex;
pub mod markdown;
pub mod terminal;

use crate::{Cell, Difference, Figure, Scale};

/// A number as it is shown: percent with one decimal, or three significant digits.
pub fn number(value: f64, scale: Scale) -> String {
    match scale {
        Scale::Percent => unsigned_zero(format!("{:.1}", 100.0 * value)),
        Scale::Number => three_digits(value),
    }
}

/// A difference as it is shown, with its sign.
pub fn signed(value: f64, scale: Scale) -> String {
    let text = number(value, scale);
    let is_zero = !text.contains(|letter: char| ('1'..='9').contains(&letter));
    if value > 0.0 && !is_zero { format!("+{text}") } else { text }
}

/// A cell in plain letters; `*` is beyond the noise and `?` unknown.
pub(crate) fn plain(cell: &Cell) -> String {
    match cell {
        Cell::Missing => "–".to_owned(),
        Cell::Figure(Figure { summary, scale, .. }) => match summary.deviation {
            Some(deviation) => {
                format!("{} ± {}", number(summary.mean, *scale), number(deviation, *scale))
            }
            None => number(summary.mean, *scale),
        },
        Cell::Difference(difference) => {
            format!("{}{}", change(difference), mark(difference))
        }
        Cell::Text { text } => one_line(text),
    }
}

/// By how much ours is more than theirs.
pub(crate) fn change(difference: &Difference) -> String {
    signed(difference.ours.mean - difference.theirs, difference.scale)
}

/// What a difference means.
pub(crate) fn mark(difference: &Difference) -> &'static str {
    match difference.within_noise {
        Some(true) => "",
        Some(false) => "*",
        None => "?",
    }
}

/// Words without what would break a line or steer a terminal.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Which labels of a row are to be shown: none that the row above has too, up to the first that
/// differs.
pub(crate) fn repeated(above: Option<&[String]>, labels: &[String]) -> usize {
    let same = |above: &[String]| above.iter().zip(labels).take_while(|(a, b)| a == b).count();
    above.map_or(0, same).min(labels.len().saturating_sub(1))
}

/// The family and the size that a set is named by, `er_16`; the whole name where it is not.
pub(crate) fn family_and_size(set: &str) -> (&str, &str) {
    match set.rsplit_once('_') {
        Some((family, size)) if size.parse::<u64>().is_ok() => (family, size),
        _ => (set, ""),
    }
}

fn three_digits(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || !value.is_finite() {
        return unsigned_zero(value.to_string());
    }
    if !(1e-3..1e5).contains(&size) {
        return format!("{value:.2e}");
    }
    let decimals = (2 - size.log10().floor() as i32).max(0) as usize;
    format!("{value:.decimals$}")
}

fn unsigned_zero(text: String) -> String {
    let is_zero = text.starts_with('-') && text.chars().all(|letter| "-0.".contains(letter));
    if is_zero { text[1..].to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_read_them() {
        let shown = |value| number(value, Scale::Number);
        assert_eq!(number(0.98765, Scale::Percent), "98.8");
        assert_eq!(number(-0.0001, Scale::Percent), "0.0");
        assert_eq!(number(f64::NAN, Scale::Percent), "NaN");
        assert_eq!(
            [shown(0.0), shown(0.01234), shown(1.0), shown(43.21)],
            ["0", "0.0123", "1.00", "43.2"]
        );
        assert_eq!([shown(12345.0), shown(1234567.0), shown(2e-7)], ["12345", "1.23e6", "2.00e-7"]);
        assert_eq!([shown(f64::INFINITY), shown(-5.0)], ["inf", "-5.00"]);
        assert_eq!(signed(0.012, Scale::Percent), "+1.2");
        assert_eq!(signed(0.0001, Scale::Percent), "0.0");
        assert_eq!(signed(-0.5, Scale::Number), "-0.500");
    }

    #[test]
    fn labels_are_repeated_up_to_the_first_that_differs() {
        let labels = |words: [&str; 3]| words.map(str::to_owned);
        let above = labels(["bfs", "pgn", "ours"]);
        assert_eq!(repeated(None, &above), 0);
        assert_eq!(repeated(Some(&above), &labels(["bfs", "pgn", "paper"])), 2);
        assert_eq!(repeated(Some(&above), &labels(["dfs", "pgn", "ours"])), 0);
        assert_eq!(repeated(Some(&above), &above), 2);
    }

    #[test]
    fn sets_are_named_by_family_and_size() {
        assert_eq!(family_and_size("delaunay_1600"), ("delaunay", "1600"));
        assert_eq!(family_and_size("my_roads"), ("my_roads", ""));
    }
}
