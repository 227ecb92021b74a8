//! Whether what a page shows is what a command prints.

/// Whether `shown` describes `printed`: `...` stands for anything within a line, and a line of it
/// alone for any number of lines. White space at the ends of lines does not count.
pub fn describes(shown: &str, printed: &str) -> bool {
    let lines =
        |text: &str| text.trim_end().lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let shown = format!("{}\n", lines(shown));
    let printed = format!("{}\n", lines(printed));
    matches(&pieces(&shown), &printed)
}

/// What stands between the gaps; a line of `...` is a gap with its own line end.
fn pieces(shown: &str) -> Vec<String> {
    shown.replace("\n...\n", "\n...").split("...").map(str::to_owned).collect()
}

fn matches(pieces: &[String], printed: &str) -> bool {
    let [first, between @ .., last] = pieces else { return pieces[0] == printed };
    let Some(mut rest) = printed.strip_prefix(first.as_str()) else { return false };
    for piece in between {
        let Some(at) = rest.find(piece.as_str()) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last.as_str())
}

#[test]
fn dots_stand_for_anything() {
    assert!(describes("a\nb\n", "a  \nb"));
    assert!(!describes("a\n", "a\nb\n"));
    assert!(describes("a\n...\n", "a\nb\nc\n"));
    assert!(describes("a\n...\nd\n", "a\nb\nc\nd\n"));
    assert!(describes("in ... s\n", "in 0.31 s\n"));
    assert!(!describes("in ... s\n", "in 0.31 ms to go\n"));
    assert!(!describes("a\n...\nd\n", "a\nb\nc\n"));
}
