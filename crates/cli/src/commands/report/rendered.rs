//! Tables in a format, each with the name of its file.

use salsa_report::Table;
use salsa_report::formats::terminal::{Terminal, terminal};
use salsa_report::formats::{csv, latex, markdown};
use salsa_report::study::Study;
use salsa_report::tables::Kind;

use super::format::Format;
use crate::failure::Failure;

/// A text and the file it belongs into.
pub struct Page {
    /// The file's name.
    pub file: String,
    /// What is in it.
    pub text: String,
}

/// Where a LaTeX document is wanted, not only parts to read into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// Nowhere.
    No,
    /// In place of the parts.
    Printed,
    /// Beside the files of the parts, which it reads.
    Beside,
}

/// The tables in a format. Of many, those without rows are left out; of one, that is a mistake.
pub fn rendered(
    study: &Study,
    kinds: &[&Kind],
    format: Format,
    on: Terminal,
    whole: Whole,
) -> Result<Vec<Page>, Failure> {
    let made = kinds.iter().map(|kind| (*kind, (kind.of)(study)));
    let made: Vec<(&Kind, Table)> = made.filter(|(_, table)| !table.rows.is_empty()).collect();
    if made.is_empty() {
        let asked: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
        let one = "; see --table in salsa report --help for others";
        return Err(Failure::mistake(format!(
            "the records have nothing for the table {}{}",
            asked.join(", "),
            if asked.len() == 1 { one } else { "" }
        )));
    }
    let pages = |ending: &str, text: &dyn Fn(&Table) -> String| {
        let page = |(_, table): &(&Kind, Table)| Page {
            file: format!("{}.{ending}", table.name),
            text: text(table),
        };
        made.iter().map(page).collect::<Vec<_>>()
    };
    Ok(match format {
        Format::Terminal => pages("txt", &|table| terminal(table, on)),
        Format::Markdown => pages("md", &markdown::markdown),
        Format::Latex => match whole {
            Whole::Printed => vec![document(
                &made.iter().map(|(_, table)| latex::fragment(table)).collect::<String>(),
            )],
            Whole::Beside => {
                let mut pages = pages("tex", &latex::fragment);
                let inputs: String = made.iter().map(|(_, table)| latex::input(table)).collect();
                pages.push(document(&inputs));
                pages
            }
            Whole::No => pages("tex", &latex::fragment),
        },
        // The page is no text of tables, and written elsewhere.
        Format::Html => Vec::new(),
        Format::Csv => figures(study, kinds)?,
    })
}

fn document(body: &str) -> Page {
    Page { file: "tables.tex".to_owned(), text: latex::document(body) }
}

/// All figures in one file, or those of one table.
fn figures(study: &Study, kinds: &[&Kind]) -> Result<Vec<Page>, Failure> {
    let (name, kind) = match kinds {
        [kind] => (kind.name, Some(*kind)),
        _ => ("figures", None),
    };
    let text = csv::figures(study, kind).map_err(|error| Failure::System(error.to_string()))?;
    Ok(vec![Page { file: format!("{name}.csv"), text }])
}

#[cfg(test)]
mod tests {
    use salsa_learn::metrics::{self, Scale as Values};
    use salsa_learn::model::processors;
    use salsa_report::metric::{self, Metric};
    use salsa_report::{Scale, paper};
    use salsa_traces::algorithms;

    #[test]
    fn every_metric_that_is_measured_can_be_shown() {
        for measured in metrics::ALL {
            let shown = Metric::named(measured.name).unwrap();
            assert_eq!(shown.scale == Scale::Number, measured.scale == Values::Error);
        }
        // Validity is no metric of an output.
        assert_eq!(metric::ALL.len(), metrics::ALL.len() + 1);
    }

    #[test]
    fn the_paper_has_every_algorithm_and_processor() {
        for algorithm in algorithms::benchmark() {
            let name = &algorithm.spec().algorithm;
            assert!(processors::names().iter().all(|model| paper::row(name, model).is_some()));
        }
    }
}
