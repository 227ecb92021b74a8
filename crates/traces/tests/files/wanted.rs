//! Data sets that tests write, and how they compare samples.

use std::fs;
use std::path::{Path, PathBuf};

use salsa_traces::algorithms;
use salsa_traces::dataset::{Manifest, Request, write};
use salsa_traces::export::Format;
use salsa_traces::sample::{Sample, Sampler};
use salsa_traces::suite::Suite;
use tempfile::{TempDir, tempdir};

/// What to write of the suite `paper`.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    pub name: &'a str,
    pub split: &'a str,
    pub samples: u64,
    pub hints: bool,
    pub format: Format,
}

pub const SMALL: Wanted =
    Wanted { name: "bfs", split: "train", samples: 5, hints: true, format: Format::Arrow };
pub const TINY: Wanted = Wanted { hints: false, samples: 2, ..SMALL };

impl Wanted<'_> {
    pub fn with_request<T>(&self, take: impl FnOnce(&Request<'_>) -> T) -> T {
        let suite = Suite::named("paper").unwrap();
        let algorithm = algorithms::find(self.name).unwrap();
        let sampler = Sampler::new(&suite, suite.seed, algorithm, self.split).unwrap();
        let Self { samples, hints, format, .. } = *self;
        take(&Request { suite: &suite, seed: suite.seed, sampler, samples, hints, format })
    }

    pub fn sample(&self, index: u64) -> Sample {
        self.with_request(|request| request.sampler.sample(index, true).unwrap())
    }
}

pub fn written(wanted: &Wanted) -> (TempDir, PathBuf, Manifest) {
    let folder = tempdir().unwrap();
    let (path, manifest) = write_into(folder.path(), wanted).unwrap();
    (folder, path, manifest)
}

pub fn write_into(folder: &Path, wanted: &Wanted) -> Result<(PathBuf, Manifest), String> {
    let written = |request: &Request<'_>| write(request, folder, &|_| ());
    wanted.with_request(written).map_err(|error| error.to_string())
}

pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Equal in everything; hints in what they show, as their changes may stand in another order.
pub fn assert_same(read: &Sample, written: &Sample) {
    assert_eq!(read.generator, written.generator);
    assert_eq!(read.graph, written.graph);
    assert_eq!(read.inputs, written.inputs);
    assert_eq!(read.trajectory.spec, written.trajectory.spec);
    assert_eq!(read.trajectory.length, written.trajectory.length);
    assert_eq!(read.trajectory.outputs, written.trajectory.outputs);
    assert_eq!(read.trajectory.hints.is_some(), written.trajectory.hints.is_some());
    for field in written.trajectory.spec.hints() {
        let shown = |sample: &Sample| sample.trajectory.hint(&field.name).map(|hint| hint.all());
        assert_eq!(shown(read), shown(written), "{}", field.name);
    }
    assert_eq!(read.content_hash(), written.content_hash());
    assert_eq!(read.hints_hash(), written.hints_hash());
}

/// Overwrites bytes as somebody would who knows what lengths and numbers are.
pub fn damage(bytes: &mut [u8], changes: &[(usize, u8, u32)]) {
    for &(place, kind, value) in changes {
        let place = place % (bytes.len() - 8);
        match kind % 4 {
            0 => bytes[place] = value as u8,
            1 => bytes[place..place + 4].copy_from_slice(&value.to_le_bytes()),
            2 => bytes[place..place + 8].copy_from_slice(&i64::MAX.to_le_bytes()),
            _ => bytes[place..place + 8].copy_from_slice(&[0; 8]),
        }
    }
}
