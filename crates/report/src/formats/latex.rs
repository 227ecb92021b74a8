//! Tables in LaTeX with booktabs: fragments to be read into a paper, and a document of them.
//!
//! A fragment needs the packages booktabs and graphicx alone. What is wider or higher than the text
//! is made smaller. Letters that the usual fonts lack are told by their number.

use super::{change, family_and_size, mark, number, one_line, repeated};
use crate::{Cell, Figure, Table};

/// A whole document around the text of some fragments.
pub fn document(body: &str) -> String {
    format!(
        "\\documentclass{{article}}\n\
         \\usepackage[a4paper,landscape,margin=15mm]{{geometry}}\n\
         \\usepackage{{booktabs}}\n\
         \\usepackage{{graphicx}}\n\
         \\begin{{document}}\n\
         {body}\
         \\end{{document}}\n"
    )
}

/// What reads the file of a fragment into a document.
pub fn input(table: &Table) -> String {
    format!("\\input{{{}}}\n", table.name)
}

/// A table with its caption and notes.
pub fn fragment(table: &Table) -> String {
    let caption = std::iter::once(format!("{}.", table.title)).chain(table.notes.iter().cloned());
    let caption: Vec<String> = caption.map(|sentence| escaped(&sentence)).collect();
    let mut text = format!(
        "% Needs the packages booktabs and graphicx.\n\
         \\begin{{table}}[htbp]\n\
         \\centering\n\
         \\setlength{{\\belowcaptionskip}}{{1ex}}\n\
         \\caption{{{}}}\n\
         \\label{{tab:{}}}\n\
         \\resizebox*{{!}}{{\\ifdim\\totalheight>0.75\\textheight0.75\\textheight\\else\\totalheight\\fi}}{{%\n\
         \\resizebox{{\\ifdim\\width>\\textwidth\\textwidth\\else\\width\\fi}}{{!}}{{%\n\
         \\begin{{tabular}}{{@{{}}{}{}@{{}}}}\n\
         \\toprule\n",
        caption.join("\n"),
        table.name,
        "l".repeat(table.labels.len()),
        "r".repeat(table.columns.len()),
    );
    text += &header(table);
    text += "\\midrule\n";
    let mut above: Option<&[String]> = None;
    for row in &table.rows {
        if above.is_some_and(|above| above.first() != row.labels.first()) {
            text += "\\midrule\n";
        }
        let hidden = repeated(above, &row.labels);
        let label = |(place, label): (usize, &String)| {
            if place < hidden { String::new() } else { escaped(label) }
        };
        let labels = row.labels.iter().enumerate().map(label);
        text += &line(labels.chain(row.cells.iter().map(cell)));
        above = Some(&row.labels);
    }
    text += "\\bottomrule\n\\end{tabular}}}\n\\end{table}\n";
    text
}

/// Families over their sizes.
fn header(table: &Table) -> String {
    let named: Vec<(&str, &str)> = table.columns.iter().map(|set| family_and_size(set)).collect();
    let mut families = vec![String::new(); table.labels.len()];
    let mut rules = String::new();
    let mut from = table.labels.len() + 1;
    for family in named.chunk_by(|a, b| a.0 == b.0) {
        let (width, name) = (family.len(), escaped(family[0].0));
        families.push(format!("\\multicolumn{{{width}}}{{c}}{{{name}}}"));
        rules += &format!("\\cmidrule(lr){{{from}-{}}}", from + width - 1);
        from += width;
    }
    let titles = table.labels.iter().map(|label| escaped(label));
    let sizes = named.iter().map(|(_, size)| (*size).to_owned());
    format!("{}{rules}\n{}", line(families.into_iter()), line(titles.chain(sizes)))
}

fn line(fields: impl Iterator<Item = String>) -> String {
    format!("{} \\\\\n", fields.collect::<Vec<_>>().join(" & "))
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Missing => "--".to_owned(),
        Cell::Figure(Figure { summary, scale, best }) => {
            let mean = number(summary.mean, *scale);
            let mean = if *best { format!("\\textbf{{{mean}}}") } else { minus(&mean) };
            match summary.deviation {
                Some(deviation) => {
                    format!("{mean} {{\\scriptsize $\\pm$ {}}}", number(deviation, *scale))
                }
                None => mean,
            }
        }
        Cell::Difference(difference) => {
            let change = minus(&change(difference));
            match mark(difference) {
                "" => change,
                mark => format!("{change}$^{{{mark}}}$"),
            }
        }
        Cell::Text { text } => escaped(text),
    }
}

/// A minus instead of a hyphen.
fn minus(number: &str) -> String {
    match number.strip_prefix('-') {
        Some(size) => format!("$-${size}"),
        None => number.to_owned(),
    }
}

/// Words that mean themselves.
fn escaped(text: &str) -> String {
    let (mut escaped, mut before) = (String::new(), ' ');
    for letter in one_line(text).chars() {
        // These would become one sign.
        if matches!((before, letter), ('-', '-') | ('\'', '\'') | ('`' | '?' | '!', '`')) {
            escaped += "{}";
        }
        before = letter;
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(letter);
            }
            '\\' => escaped += "\\textbackslash{}",
            '~' => escaped += "\\textasciitilde{}",
            '^' => escaped += "\\textasciicircum{}",
            '<' => escaped += "\\textless{}",
            '>' => escaped += "\\textgreater{}",
            '|' => escaped += "\\textbar{}",
            '"' => escaped += "''{}",
            '±' => escaped += "$\\pm$",
            '²' => escaped += "$^2$",
            'Ð' | 'ð' | 'Þ' | 'þ' => escaped += &by_number(letter),
            ' '..='~' | 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ÿ' => escaped.push(letter),
            other => escaped += &by_number(other),
        }
    }
    escaped
}

fn by_number(letter: char) -> String {
    format!("U+{:04X}", u32::from(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_mean_something_mean_themselves() {
        assert_eq!(escaped("my_model|v2 & more"), r"my\_model\textbar{}v2 \& more");
        assert_eq!(
            escaped("50% {~^\\}#$"),
            r"50\% \{\textasciitilde{}\textasciicircum{}\textbackslash{}\}\#\$"
        );
        assert_eq!(escaped("é β\n"), "é U+03B2 ");
        assert_eq!(escaped("a--b ?`"), "a-{}-b ?{}`");
    }
}
