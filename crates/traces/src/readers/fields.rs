//! Lines, fields and the numbers in them: what the line-based formats share.
//!
//! Each function takes the line it reads on, so that every mistake is told with its place.

use super::ReadError;

/// The lines of a text with their numbers, from 1.
pub(super) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines())
}

/// The number of the last line, where a text that ends too early is said to end.
pub(super) fn last_line(text: &str) -> usize {
    text.lines().count().max(1)
}

/// Exactly `N` fields of `what`.
pub(super) fn exactly<'a, const N: usize>(
    line: usize,
    fields: impl Iterator<Item = &'a str>,
    what: &str,
) -> Result<[&'a str; N], ReadError> {
    let mut found = [""; N];
    let mut count = 0;
    for field in fields {
        if let Some(place) = found.get_mut(count) {
            *place = field;
        }
        count += 1;
    }
    if count != N {
        let reason = format!("expected {N} fields in {what}, found {count}");
        return Err(ReadError::at(line, reason));
    }
    Ok(found)
}

/// A whole number that is `what`.
pub(super) fn whole(line: usize, field: &str, what: &str) -> Result<u64, ReadError> {
    field.parse().map_err(|_| {
        ReadError::at(line, format!("expected {what}, a whole number, found {}", quoted(field)))
    })
}

/// A node of a format that counts from 1, counted from 0.
pub(super) fn node_from_1(line: usize, field: &str, n_nodes: usize) -> Result<u32, ReadError> {
    let node = whole(line, field, "a node")?;
    if !(1..=n_nodes as u64).contains(&node) {
        let reason = format!("expected a node from 1 to {n_nodes}, found {node}");
        return Err(ReadError::at(line, reason));
    }
    Ok((node - 1) as u32)
}

/// A finite number that is `what`.
pub(super) fn finite(line: usize, field: &str, what: &str) -> Result<f64, ReadError> {
    match field.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => {
            let reason = format!("expected {what}, a finite number, found {}", quoted(field));
            Err(ReadError::at(line, reason))
        }
    }
}

/// A piece of a file as it can be shown in a message: in quotes, escaped, and not too long.
pub(super) fn quoted(piece: &str) -> String {
    const SHOWN: usize = 40;
    match piece.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}...", &piece[..end]),
        None => format!("{piece:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shows_no_more_than_the_start_of_a_long_field() {
        let error = finite(3, &"é".repeat(1000), "a weight").unwrap_err();
        let start = "é".repeat(40);
        assert_eq!(
            error.to_string(),
            format!("line 3: expected a weight, a finite number, found \"{start}\"...")
        );
    }

    #[test]
    fn infinite_and_missing_numbers_are_not_finite() {
        for field in ["nan", "inf", "-infinity", "1e999", "", "0x10"] {
            assert!(finite(1, field, "a weight").is_err(), "{field}");
        }
    }
}
