//! A TOML table read field by field, with the line and the field in every error.
//!
//! Documents are walked by hand rather than derived: an error names the line of the very value
//! that is wrong, also when only later code can tell (a generator its parameters, a run its
//! ranges), and an unknown field is answered with the one that was probably meant.

use std::fmt;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::nearest::did_you_mean;

/// A line from 1, and what is wrong there.
pub type Problem = (usize, String);

/// A TOML text, parsed; [`Document::root`] reads it.
pub struct Document<'t> {
    text: &'t str,
    table: Spanned<DeTable<'t>>,
}

/// A TOML table, and where it stands.
pub struct Table<'t> {
    text: &'t str,
    /// What precedes a field in messages, for example `split.`.
    path: String,
    line: usize,
    table: &'t DeTable<'t>,
}

impl<'t> Document<'t> {
    /// Parses `text`.
    pub fn parse(text: &'t str) -> Result<Self, Problem> {
        let table = DeTable::parse(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            (line_of(text, start), error.message().replace('\n', ", "))
        })?;
        Ok(Self { text, table })
    }

    /// The fields at the top.
    pub fn root(&'t self) -> Table<'t> {
        Table { text: self.text, path: String::new(), line: 1, table: self.table.get_ref() }
    }
}

impl<'t> Table<'t> {
    /// `path.name: problem`.
    pub fn field(&self, name: &str, problem: impl fmt::Display) -> String {
        format!("{}{name}: {problem}", self.path)
    }

    /// `path` and what is wrong with the table as a whole.
    pub fn whole_table(&self, problem: impl fmt::Display) -> String {
        format!("{}{problem}", self.path)
    }

    /// The line of a field, or of the table where the field is missing.
    pub fn line_of_key(&self, name: &str) -> usize {
        let key = self.table.keys().find(|key| key.get_ref() == name);
        key.map_or(self.line, |key| line_of(self.text, key.span().start))
    }

    /// Refuses fields that are not `known`.
    pub fn allow(&self, known: &[&str]) -> Result<(), Problem> {
        match self.table.keys().find(|key| !known.contains(&&**key.get_ref())) {
            None => Ok(()),
            Some(key) => {
                let suggestion = did_you_mean(key.get_ref(), known.iter().copied());
                let problem = format!("unknown field, there is {}{suggestion}", known.join(", "));
                // A quoted key may hold anything, a line break for example.
                let name = key.get_ref().escape_debug().to_string();
                Err((line_of(self.text, key.span().start), self.field(&name, problem)))
            }
        }
    }

    /// Whether the field is given.
    pub fn contains(&self, name: &str) -> bool {
        self.table.contains_key(name)
    }

    /// Every field with its value.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &'t Spanned<DeValue<'t>>)> {
        self.table.iter().map(|(key, value)| (&**key.get_ref(), value))
    }

    pub(crate) fn required(&self, name: &str) -> Result<&'t Spanned<DeValue<'t>>, Problem> {
        self.table.get(name).ok_or_else(|| (self.line, self.field(name, "missing")))
    }

    pub(crate) fn wrong(
        &self,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        expected: &str,
    ) -> Problem {
        let found = value.get_ref().type_str();
        let problem = self.field(name, format!("expected {expected}, found {found}"));
        (line_of(self.text, value.span().start), problem)
    }

    /// A text and its line.
    pub fn string(&self, name: &str) -> Result<(String, usize), Problem> {
        let value = self.required(name)?;
        let text = value.get_ref().as_str().ok_or_else(|| self.wrong(name, value, "a string"))?;
        Ok((text.to_owned(), line_of(self.text, value.span().start)))
    }

    /// A whole number of at least 0 and its line.
    pub fn whole(&self, name: &str) -> Result<(u64, usize), Problem> {
        let value = self.required(name)?;
        let expected = "a whole number of at least 0";
        let integer =
            value.get_ref().as_integer().ok_or_else(|| self.wrong(name, value, expected))?;
        let line = line_of(self.text, value.span().start);
        u64::from_str_radix(integer.as_str(), integer.radix())
            .map(|whole| (whole, line))
            .map_err(|_| (line, self.field(name, format!("expected {expected}, found {integer}"))))
    }

    /// `true` or `false`.
    pub fn truth(&self, name: &str) -> Result<bool, Problem> {
        let value = self.required(name)?;
        value.get_ref().as_bool().ok_or_else(|| self.wrong(name, value, "true or false"))
    }

    /// A number, whole or not, and its line.
    pub fn number(&self, name: &str) -> Result<(f64, usize), Problem> {
        let value = self.required(name)?;
        let number = self.number_in(name, value, "a number")?;
        Ok((number, line_of(self.text, value.span().start)))
    }

    /// A list of numbers and its line.
    pub fn numbers(&self, name: &str) -> Result<(Vec<f64>, usize), Problem> {
        let value = self.required(name)?;
        let expected = "a list of numbers";
        let list = value.get_ref().as_array().ok_or_else(|| self.wrong(name, value, expected))?;
        let numbers = list.iter().map(|value| self.number_in(name, value, expected));
        Ok((numbers.collect::<Result<_, _>>()?, line_of(self.text, value.span().start)))
    }

    /// A list of texts and its line.
    pub fn strings(&self, name: &str) -> Result<(Vec<String>, usize), Problem> {
        self.list(name, "a list of strings", |value| value.as_str().map(str::to_owned))
    }

    /// A list of `true` and `false`, and its line.
    pub fn truths(&self, name: &str) -> Result<(Vec<bool>, usize), Problem> {
        self.list(name, "a list of true and false", DeValue::as_bool)
    }

    /// A list of whole numbers of at least 0, and its line.
    pub fn wholes(&self, name: &str) -> Result<(Vec<u64>, usize), Problem> {
        self.list(name, "a list of whole numbers of at least 0", |value| {
            let integer = value.as_integer()?;
            u64::from_str_radix(integer.as_str(), integer.radix()).ok()
        })
    }

    /// Whether the field is a text rather than something else.
    pub fn is_string(&self, name: &str) -> bool {
        self.table.get(name).is_some_and(|value| value.get_ref().as_str().is_some())
    }

    fn list<T>(
        &self,
        name: &str,
        expected: &str,
        of: impl Fn(&DeValue<'t>) -> Option<T>,
    ) -> Result<(Vec<T>, usize), Problem> {
        let value = self.required(name)?;
        let list = value.get_ref().as_array().ok_or_else(|| self.wrong(name, value, expected))?;
        let items = list
            .iter()
            .map(|item| of(item.get_ref()).ok_or_else(|| self.wrong(name, item, expected)));
        Ok((items.collect::<Result<_, _>>()?, line_of(self.text, value.span().start)))
    }

    /// The number in `value`, which is field `name` or a part of it.
    pub(crate) fn number_in(
        &self,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        expected: &str,
    ) -> Result<f64, Problem> {
        let parsed = match value.get_ref() {
            DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
                .ok()
                .map(|integer| integer as f64),
            DeValue::Float(float) => float.as_str().parse().ok(),
            _ => None,
        };
        parsed.ok_or_else(|| self.wrong(name, value, expected))
    }

    /// The table `[name]`, if it is given.
    pub fn table(&self, name: &str) -> Result<Option<Table<'t>>, Problem> {
        let Some(value) = self.table.get(name) else { return Ok(None) };
        let expected = format!("a table under [{name}]");
        self.table_in(name, value, &expected).map(Some)
    }

    /// Every table `[[name]]`; there must be one.
    pub fn tables(&self, name: &str) -> Result<Vec<Table<'t>>, Problem> {
        let value = self.required(name)?;
        let expected = format!("tables, each under [[{name}]]");
        let array = value.get_ref().as_array().ok_or_else(|| self.wrong(name, value, &expected))?;
        array.iter().map(|value| self.table_in(name, value, &expected)).collect()
    }

    fn table_in(
        &self,
        name: &str,
        value: &'t Spanned<DeValue<'t>>,
        expected: &str,
    ) -> Result<Table<'t>, Problem> {
        match value.get_ref() {
            DeValue::Table(table) => Ok(Table {
                text: self.text,
                path: format!("{}{name}.", self.path),
                line: line_of(self.text, value.span().start),
                table,
            }),
            _ => Err(self.wrong(name, value, expected)),
        }
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    text.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count() + 1
}
