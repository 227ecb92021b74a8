//! Reading a suite's TOML, with the line and the field in every error.
//!
//! A generator's parameters stand beside the split's own fields, and only the generator can tell
//! whether they are right; its errors get the line of the value that is wrong all the same.

use toml::Spanned;
use toml::de::DeValue;

use super::{GraphDistribution, Split, Suite};
use crate::convention::Convention;
use crate::generators::{self, GenerateError};
use crate::parameters::{Draw, ParameterError, Parameters};
use crate::toml_table::{Document, Problem, Table};

/// The suite in `text`.
pub(super) fn suite(text: &str) -> Result<Suite, Problem> {
    let document = Document::parse(text)?;
    let root = document.root();
    root.allow(&["name", "version", "summary", "convention", "seed", "split"])?;
    let convention: Convention = {
        let (name, line) = root.string("convention")?;
        name.parse().map_err(|error| (line, format!("convention: {error}")))?
    };
    let (name, name_line) = root.string("name")?;
    // Suites of one distribution bear its description.
    check_name("name", &name.replace([' ', '=', ',', '.'], "_"), name_line)?;
    let (version, line) = root.whole("version")?;
    let version =
        u32::try_from(version).map_err(|_| (line, format!("version: {version} is too large")))?;
    let mut splits: Vec<Split> = Vec::new();
    for table in root.tables("split")? {
        let (split, line) = read_split(&table)?;
        if splits.iter().any(|earlier| earlier.name == split.name) {
            return Err((line, format!("name: split {:?} is given more than once", split.name)));
        }
        splits.push(split);
    }
    Ok(Suite {
        name,
        version,
        summary: root.string("summary").map(|(summary, _)| summary).unwrap_or_default(),
        convention,
        seed: root.whole("seed")?.0,
        splits,
        text: text.to_owned(),
    })
}

fn read_split(table: &Table<'_>) -> Result<(Split, usize), Problem> {
    let (name, name_line) = table.string("name")?;
    check_name("name", &name, name_line)?;
    let (samples, samples_line) = table.whole("samples")?;
    if samples == 0 {
        return Err((samples_line, table.field("samples", "expected at least 1, found 0")));
    }
    let (family, family_line) = table.string("generator")?;
    let family = generators::find(&family)
        .map_err(|error| (family_line, table.field("generator", error)))?;

    let own = ["name", "samples", "generator", "nodes"];
    let known: Vec<&str> =
        own.iter().copied().chain(family.parameters.iter().map(|known| known.name)).collect();
    table.allow(&known)?;

    let tell = |error: ParameterError| {
        (table.line_of_key(&error.parameter), table.field(&error.parameter, &error.problem))
    };
    let mut given = Parameters::default();
    for (key, value) in table.entries() {
        if !own.contains(&key) {
            given.insert(key, draw(table, key, value)?).map_err(tell)?;
        }
    }
    let nodes = table.required("nodes")?;
    let mut sizes = Parameters::default();
    sizes.insert("nodes", draw(table, "nodes", nodes)?).map_err(tell)?;
    let nodes = sizes.whole("nodes").map_err(tell)?.unwrap_or(Draw::Constant(0));

    let generator = family.with(given).map_err(tell)?;
    let graphs =
        GraphDistribution::new(family.name, nodes, generator).map_err(|error| match error {
            GenerateError::Parameter(error) => tell(error),
            other => (table.line_of_key("nodes"), table.whole_table(other)),
        })?;
    Ok((Split { name, samples, graphs }, name_line))
}

/// Names become parts of file names and of the seed's key.
fn check_name(field: &str, name: &str, line: usize) -> Result<(), Problem> {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(allowed) {
        let problem =
            format!("{field}: expected lowercase letters, digits, _ and -, found {name:?}");
        return Err((line, problem));
    }
    Ok(())
}

/// A number, a list of numbers, or `{ min = .., max = .. }`.
fn draw(table: &Table<'_>, name: &str, value: &Spanned<DeValue<'_>>) -> Result<Draw<f64>, Problem> {
    let expected = "a number, a list of numbers or { min = .., max = .. }";
    let number = |value: &Spanned<DeValue<'_>>| table.number_in(name, value, expected);
    match value.get_ref() {
        DeValue::Array(values) => {
            Ok(Draw::OneOf(values.iter().map(number).collect::<Result<_, _>>()?))
        }
        DeValue::Table(range) => match (range.get("min"), range.get("max"), range.len()) {
            (Some(min), Some(max), 2) => Ok(Draw::Range { min: number(min)?, max: number(max)? }),
            _ => Err(table.wrong(name, value, expected)),
        },
        _ => number(value).map(Draw::Constant),
    }
}

#[cfg(test)]
mod tests {
    use crate::suite::Suite;

    const GOOD: &str = "\
name = \"mine\"
version = 1
convention = \"paper\"
seed = 7

[[split]]
name = \"train\"
samples = 10
generator = \"er\"
nodes = [4, 7]
c = { min = 1, max = 2 }
";

    fn message(text: &str) -> String {
        Suite::parse("mine.toml", text).unwrap_err().to_string()
    }

    #[test]
    fn a_good_suite_reads() {
        let suite = Suite::parse("mine.toml", GOOD).unwrap();
        assert_eq!((suite.seed, suite.splits[0].samples), (7, 10));
        assert_eq!(suite.splits[0].graphs.nodes.max(), 7);
    }

    #[test]
    fn errors_name_the_line_and_the_field() {
        let cases = [
            (
                "seed = 7",
                "seed = \"x\"",
                "4: seed: expected a whole number of at least 0, found string",
            ),
            ("seed = 7", "seed = -1", "4: seed: expected a whole number of at least 0, found -1"),
            (
                "\"paper\"",
                "\"papre\"",
                "3: convention: unknown convention \"papre\", expected \"paper\" or \"release\"",
            ),
            ("samples = 10", "samples = 0", "8: split.samples: expected at least 1, found 0"),
            ("samples = 10\n", "", "6: split.samples: missing"),
            (
                "\"er\"",
                "\"erdos-renyi\"",
                "9: split.generator: unknown graph generator \"erdos-renyi\", did you mean \"erdos_renyi\"?",
            ),
            (
                "[4, 7]",
                "[4, 1]",
                "10: split.nodes: a sampled graph needs at least 2 nodes, found 1",
            ),
            ("[4, 7]", "[4, 7.5]", "10: split.nodes: expected a whole number, found 7.5"),
            ("[4, 7]", "[]", "10: split.nodes: the list of values is empty"),
            (
                "[4, 7]",
                "\"4\"",
                "10: split.nodes: expected a number, a list of numbers or { min = .., max = .. }, found string",
            ),
            (
                "c = {",
                "cc = {",
                "11: split.cc: unknown field, there is name, samples, generator, nodes, c, c_nodes, p, did you mean \"c\"?",
            ),
            ("min = 1, max = 2", "min = 2, max = 1", "11: split.c: the range 2..1 is empty"),
            ("c = { min = 1, max = 2 }", "p = 1.5", "11: split.p: expected from 0 to 1, found 1.5"),
            (
                "c = { min = 1, max = 2 }",
                "p = 0",
                "11: split.p: an edge probability of 0.000e0 cannot connect 4 nodes, raise it to about ln(n) / n = 3.466e-1",
            ),
            ("version = 1", "version = ", "2: "),
        ];
        for (good, bad, expected) in cases {
            let told = message(&GOOD.replacen(good, bad, 1));
            assert!(told.starts_with(&format!("mine.toml:{expected}")), "{told}");
            assert!(!told.contains('\n'), "{told}");
        }
    }

    #[test]
    fn two_splits_of_one_name_are_refused() {
        let split = &GOOD[GOOD.find("[[split]]").unwrap()..];
        let told = message(&format!("{GOOD}{split}"));
        assert_eq!(told, "mine.toml:13: name: split \"train\" is given more than once");
    }
}
