//! The lines of a text file, each failure with the name and the line it is at.

use std::io::BufRead;
use std::path::Path;

use crate::failure::Failure;

/// The lines of `reader`, numbered from 1; `name` is what failures call it.
pub fn numbered_lines(
    name: &str,
    reader: impl BufRead,
) -> impl Iterator<Item = Result<(u64, String), Failure>> {
    (1..).zip(reader.split(b'\n')).map(move |(number, line)| {
        let line = line.map_err(|error| Failure::reading(Path::new(name), &error))?;
        let text = String::from_utf8(line).map_err(|_| {
            Failure::mistake(format!("{name}:{number}: expected UTF-8 text, found other bytes"))
        })?;
        Ok((number, text))
    })
}
