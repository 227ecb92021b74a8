//! Tables in Markdown, as GitHub reads it; the best figures are bold.

use super::{one_line, plain};
use crate::{Cell, Table};

/// The table under its title, its notes below.
pub fn markdown(table: &Table) -> String {
    let mut text = format!("## {}\n\n", escaped(&table.title));
    let titles = table.labels.iter().chain(&table.columns);
    text += &line(titles.map(|title| escaped(title)));
    let rules = table.labels.iter().map(|_| "---").chain(table.columns.iter().map(|_| "---:"));
    text += &line(rules.map(str::to_owned));
    for row in &table.rows {
        let labels = row.labels.iter().map(|label| escaped(label));
        text += &line(labels.chain(row.cells.iter().map(cell)));
    }
    if !table.notes.is_empty() {
        text += "\n";
        for note in &table.notes {
            text += &format!("- {}\n", escaped(note));
        }
    }
    text
}

fn line(fields: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", fields.collect::<Vec<_>>().join(" | "))
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Missing => String::new(),
        Cell::Figure(figure) if figure.best => format!("**{}**", plain(cell)),
        other => escaped(&plain(other)),
    }
}

/// Words that mean themselves, also within a table.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in one_line(text).chars() {
        match letter {
            // Readers of HTML see the entity wherever they would take the letter for a tag.
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_mean_something_mean_themselves() {
        assert_eq!(escaped("my_model|v2 & more"), r"my\_model\|v2 &amp; more");
        assert_eq!(escaped("a\nb\\|<b>"), r"a b\\\|&lt;b&gt;");
    }
}
