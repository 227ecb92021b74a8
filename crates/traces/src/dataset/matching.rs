//! The stored samples of a split: found by their name, and held against what they should be.

use std::path::Path;

use super::{Request, StoredError, StoredSplit, manifest_path};
use crate::suite::Suite;

impl StoredSplit {
    /// The shards of what `request` asks for in `root`, where [`super::write`] puts them; `None`
    /// if there are none. They may hold more samples than that, with or without hints.
    ///
    /// The first sample is made and compared, so that data of another version of the code are
    /// not taken for those of this one.
    pub fn find(root: &Path, request: &Request<'_>) -> Result<Option<Self>, StoredError> {
        let folder = root.join(request.file_name());
        if !folder.exists() && !manifest_path(&folder).exists() {
            return Ok(None);
        }
        let stored = Self::open(&folder)?;
        let path = folder.display().to_string();
        if let Some((what, expected, found)) = difference(request, &stored)? {
            return Err(StoredError::Other { path, what, expected, found });
        }
        if stored.len() < request.samples {
            let (expected, found) = (request.samples, stored.len());
            return Err(StoredError::TooFew { path, expected, found });
        }
        Ok(Some(stored))
    }
}

type Difference = (&'static str, String, String);

/// What is not as it should be: its name, what it should be, what it is.
fn difference(
    request: &Request<'_>,
    stored: &StoredSplit,
) -> Result<Option<Difference>, StoredError> {
    let (suite, manifest) = (request.suite, stored.manifest());
    let graphs = |suite: &Suite| {
        let split = suite.split(&manifest.split).ok();
        split.map_or_else(String::new, |split| format!("{:?}", split.graphs))
    };
    let stored_suite = Suite::parse("the manifest", &manifest.suite_text);
    let stored_graphs = stored_suite.as_ref().map(graphs).unwrap_or_default();
    let told = [
        ("suite version", suite.version.to_string(), manifest.suite_version.to_string()),
        ("convention", suite.convention.to_string(), manifest.convention.to_string()),
        ("seed", request.seed.to_string(), manifest.seed.to_string()),
        ("distribution", graphs(suite), stored_graphs),
    ];
    if let Some(different) = told.into_iter().find(|(_, expected, found)| expected != found) {
        return Ok(Some(different));
    }
    let expected = request.sampler.sample(0, false)?.content_hash().to_string();
    let found = stored.sample(0, false)?.content_hash().to_string();
    Ok((expected != found).then_some(("first sample", expected, found)))
}
