//! The manifest beside a file of samples or a folder of shards.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Request, ShardEntry, VerifyError};
use crate::algorithms;
use crate::convention::Convention;
use crate::export::UnknownFormat;
use crate::export::columns::Header;
use crate::sample::Sampler;
use crate::suite::Suite;

/// What a file of samples or a folder of shards holds and how it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this project that wrote it.
    pub code_version: String,
    /// The suite's name.
    pub suite: String,
    /// The suite's version.
    pub suite_version: u32,
    /// The data convention.
    pub convention: Convention,
    /// The seed.
    pub seed: u64,
    /// The algorithm.
    pub algorithm: String,
    /// The split.
    pub split: String,
    /// How many samples it holds, from the first on.
    pub samples: u64,
    /// Whether hints are stored.
    pub hints: bool,
    /// The format's name.
    pub format: String,
    /// The hash of the content hashes of all samples, the same for every format.
    pub content_hash: String,
    /// The hash of the file, or of the hashes of all shards.
    pub file_hash: String,
    /// The shards, in order; none where there is one file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<ShardEntry>,
    /// The suite itself, so that the samples can be made again.
    pub suite_text: String,
}

/// Where the manifest of a file or folder stands.
///
/// Beside a folder, not in it, so that tools which take all files of a folder find only shards.
pub fn manifest_path(file: &Path) -> PathBuf {
    // Without the slash that may end the name of a folder.
    let mut name = file.components().as_path().as_os_str().to_owned();
    name.push(".manifest.json");
    name.into()
}

impl Manifest {
    /// The manifest beside `file`.
    pub fn read(file: &Path) -> Result<Self, VerifyError> {
        let path = manifest_path(file);
        let named = path.display().to_string();
        let text = std::fs::read(&path)
            .map_err(|error| VerifyError::Read { path: named.clone(), error })?;
        serde_json::from_slice(&text)
            .map_err(|error| VerifyError::Manifest { path: named, problem: error.to_string() })
    }

    /// Whether a shard with this header is of the data set.
    pub(super) fn is_of(&self, header: &Header) -> bool {
        (&header.algorithm, header.seed, header.features.hints)
            == (&self.algorithm, self.seed, self.hints)
            && (&header.suite, &header.split) == (&self.suite, &self.split)
            && (header.suite_version, header.convention) == (self.suite_version, self.convention)
    }

    /// The samples that the manifest speaks of, as they can be made again; `file` is what it stands
    /// beside.
    pub(super) fn with_request<T>(
        &self,
        file: &Path,
        take: impl FnOnce(&Request<'_>) -> T,
    ) -> Result<T, VerifyError> {
        let invalid = |problem: String| VerifyError::Manifest {
            path: manifest_path(file).display().to_string(),
            problem,
        };
        let suite = Suite::parse("suite_text", &self.suite_text)
            .map_err(|error| invalid(error.to_string()))?;
        let claims = [
            ("suite", self.suite.clone(), suite.name.clone()),
            ("suite_version", self.suite_version.to_string(), suite.version.to_string()),
            ("convention", self.convention.to_string(), suite.convention.to_string()),
        ];
        for (field, claimed, found) in claims {
            if claimed != found {
                return Err(invalid(format!("{field} is {claimed}, suite_text says {found}")));
            }
        }
        let algorithm =
            algorithms::find(&self.algorithm).map_err(|error| invalid(error.to_string()))?;
        let sampler = Sampler::new(&suite, self.seed, algorithm, &self.split)
            .map_err(|error| invalid(error.to_string()))?;
        let format = self.format.parse();
        let format = format.map_err(|error: UnknownFormat| invalid(error.to_string()))?;
        let Self { seed, samples, hints, .. } = *self;
        Ok(take(&Request { suite: &suite, seed, sampler, samples, hints, format }))
    }

    /// Whether the hashes are those that were found.
    pub(super) fn check_hashes(
        &self,
        path: &str,
        content: &str,
        file: &str,
    ) -> Result<(), VerifyError> {
        let hashes = [("content", &self.content_hash, content), ("file", &self.file_hash, file)];
        match hashes.into_iter().find(|(_, promised, found)| promised != found) {
            None => Ok(()),
            Some((which, promised, found)) => Err(VerifyError::Hash {
                path: path.to_owned(),
                which,
                promised: promised.clone(),
                found: found.to_owned(),
            }),
        }
    }
}
