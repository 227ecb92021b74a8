//! Files that commands write: complete under their name, or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use salsa_traces::files::temporary_beside;
use tempfile::NamedTempFile;

use crate::failure::Failure;

/// Writes `bytes` to `path` through a temporary file beside it.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut file = WholeFile::create(path)?;
    file.write(bytes)?;
    file.finish()
}

/// A file that gets its name when it is finished; dropped before, it is gone.
pub struct WholeFile {
    path: PathBuf,
    temporary: BufWriter<NamedTempFile>,
}

impl WholeFile {
    /// A file that is to become `path`; its folder is made if missing.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let temporary = temporary_beside(path).map_err(|error| failed(path, &error))?;
        Ok(Self { path: path.to_owned(), temporary: BufWriter::new(temporary) })
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.temporary.write_all(bytes).map_err(|error| failed(&self.path, &error))
    }

    /// Adds a line.
    pub fn write_line(&mut self, line: &str) -> Result<(), Failure> {
        self.write(line.as_bytes())?;
        self.write(b"\n")
    }

    /// Gives it its name.
    pub fn finish(self) -> Result<(), Failure> {
        let Self { path, temporary } = self;
        let temporary = temporary.into_inner().map_err(|error| failed(&path, error.error()))?;
        temporary.persist(&path).map_err(|error| failed(&path, &error.error))?;
        Ok(())
    }
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::writing(&path.display().to_string(), error)
}
