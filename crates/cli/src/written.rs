//! What was written, as a table or for programs.

use std::io::Write;
use std::path::{Path, PathBuf};

use salsa_traces::dataset::Manifest;
use serde_json::{Value, json};

use crate::arguments::Format;
use crate::failure::Failure;
use crate::json::print_json;
use crate::table::{bytes, table};

/// Prints data sets with their sizes and hashes.
pub fn print_written(
    out: &mut impl Write,
    format: Format,
    written: &[(PathBuf, Manifest)],
) -> Result<(), Failure> {
    if format == Format::Json {
        let files = written.iter().map(|(path, manifest)| {
            json!({
                "file": path, "bytes": size(path, manifest), "samples": manifest.samples,
                "hints": manifest.hints, "content_hash": manifest.content_hash,
            })
        });
        return print_json(out, &files.collect::<Value>());
    }
    let rows = written.iter().map(|(path, manifest)| {
        let hash = manifest.content_hash[..16].to_owned();
        let size = bytes(size(path, manifest));
        [path.display().to_string(), manifest.samples.to_string(), size, hash]
    });
    let rows = rows.collect();
    writeln!(out, "{}", table(["file", "samples", "size", "content hash"], 1, rows))
        .map_err(Failure::output)
}

/// Bytes of a file, or of all shards.
fn size(path: &Path, manifest: &Manifest) -> u64 {
    match manifest.shards.iter().map(|shard| shard.bytes).sum() {
        0 => std::fs::metadata(path).map_or(0, |file| file.len()),
        bytes => bytes,
    }
}
