//! Formats that are one file of records: what it starts with, and how a sample becomes a record.

use std::ops::Range;

use rayon::prelude::*;

use super::Request;
use crate::export::{Format, binary, json_lines};
use crate::hash::ContentHash;
use crate::sample::{Sample, SampleError};

/// How a file of records is written.
#[derive(Clone, Copy)]
pub(super) struct RecordFile {
    /// What every file starts with.
    pub(super) header: &'static [u8],
    /// A sample as bytes.
    pub(super) record: fn(&Sample) -> Vec<u8>,
}

impl RecordFile {
    /// `None` for a format of shards.
    pub(super) fn of(format: Format) -> Option<Self> {
        match format {
            Format::Arrow => None,
            Format::Binary => Some(Self { header: &binary::MAGIC, record: binary::record }),
            Format::JsonLines => Some(Self { header: &[], record: line }),
        }
    }

    /// The records of some samples, made in parallel, in order.
    pub(super) fn made(
        self,
        request: &Request<'_>,
        indices: Range<u64>,
    ) -> Result<Vec<(ContentHash, Vec<u8>)>, SampleError> {
        let made = indices.into_par_iter().map(|index| {
            let sample = request.sampler.sample(index, request.hints)?;
            Ok((sample.content_hash(), (self.record)(&sample)))
        });
        made.collect()
    }
}

fn line(sample: &Sample) -> Vec<u8> {
    let mut line = json_lines::line(sample, None);
    line.push(b'\n');
    line
}
