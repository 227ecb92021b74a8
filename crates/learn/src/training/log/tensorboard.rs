//! TensorBoard event files, as far as curves of numbers need them.
//!
//! A file is a row of records, and a record is framed as in TFRecord:
//!
//! ```text
//! u64, little-endian   length of the data in bytes
//! u32, little-endian   masked CRC-32C of those eight bytes
//! data                 an `Event` message
//! u32, little-endian   masked CRC-32C of the data
//! ```
//!
//! Masking turns a sum right by 15 bits and adds a constant, because data that contain their own
//! CRC weaken it. An `Event` is a protocol buffer: fields one after another, each a tag
//! (`number * 8 + wire type`) and a value. These are written:
//!
//! ```text
//! Event       1 wall_time     double     seconds since 1970
//!             2 step          int64
//!             3 file_version  string     "brain.Event:2", the first record of every file
//!             5 summary       Summary
//!             7 session_log   SessionLog
//! Summary     1 value         Value, once for each curve
//! Value       1 tag           string     the name of the curve
//!             2 simple_value  float
//! SessionLog  1 status        1, a start: earlier events of this step or later are void
//! ```
//!
//! Every file begins with a session's start, by which TensorBoard forgets what other files in the
//! folder tell of later steps: all of an earlier run, or what a killed run told after the
//! checkpoint from which this one goes on. Times are given by the caller.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crc::{CRC_32_ISCSI, Crc};

use super::LogError;

static CRC32C: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);

/// An event file that is being written.
#[derive(Debug)]
pub struct EventFile {
    path: PathBuf,
    file: File,
}

impl EventFile {
    /// A new file in `folder` that voids what others there tell from `first_step` on.
    pub fn create(folder: &Path, wall_time: f64, first_step: u64) -> Result<Self, LogError> {
        let mut events = Self::unused_name(folder, wall_time)?;
        events.write(&event(wall_time, None, &string(3, "brain.Event:2")))?;
        events.write(&event(wall_time, Some(first_step), &message(7, &varint(1, 1))))?;
        Ok(events)
    }

    /// TensorBoard reads the files of a folder in the order of their names.
    fn unused_name(folder: &Path, wall_time: f64) -> Result<Self, LogError> {
        let mut count = 0;
        loop {
            let name = format!("events.out.tfevents.{:010}.salsa.{count:03}", wall_time as u64);
            let path = folder.join(name);
            match OpenOptions::new().append(true).create_new(true).open(&path) {
                Ok(file) => return Ok(Self { path, file }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => count += 1,
                Err(error) => {
                    return Err(LogError::File { path: path.display().to_string(), error });
                }
            }
        }
    }

    /// Adds a point to each of some curves.
    pub fn scalars(
        &mut self,
        wall_time: f64,
        step: u64,
        points: &[(String, f64)],
    ) -> Result<(), LogError> {
        let value = |(tag, value): &(String, f64)| {
            message(1, &[string(1, tag), float(2, *value as f32)].concat())
        };
        let summary: Vec<u8> = points.iter().flat_map(value).collect();
        self.write(&event(wall_time, Some(step), &message(5, &summary)))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn write(&mut self, data: &[u8]) -> Result<(), LogError> {
        self.file
            .write_all(&framed(data))
            .and_then(|()| self.file.flush())
            .map_err(|error| LogError::File { path: self.path.display().to_string(), error })
    }
}

fn framed(data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u64).to_le_bytes();
    [&length[..], &masked_crc(&length), data, &masked_crc(data)].concat()
}

fn masked_crc(bytes: &[u8]) -> [u8; 4] {
    CRC32C.checksum(bytes).rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes()
}

fn event(wall_time: f64, step: Option<u64>, what: &[u8]) -> Vec<u8> {
    let step = step.map(|step| varint(2, step)).unwrap_or_default();
    [&tag(1, 1)[..], &wall_time.to_le_bytes(), &step, what].concat()
}

fn varint(field: u64, value: u64) -> Vec<u8> {
    [tag(field, 0), base_128(value)].concat()
}

fn float(field: u64, value: f32) -> Vec<u8> {
    [&tag(field, 5)[..], &value.to_le_bytes()].concat()
}

fn string(field: u64, text: &str) -> Vec<u8> {
    message(field, text.as_bytes())
}

fn message(field: u64, bytes: &[u8]) -> Vec<u8> {
    [&tag(field, 2)[..], &base_128(bytes.len() as u64), bytes].concat()
}

fn tag(field: u64, wire_type: u64) -> Vec<u8> {
    base_128(field << 3 | wire_type)
}

/// Seven bits a byte, the lowest first; the top bit says that more follow.
fn base_128(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

#[cfg(test)]
mod tests;
