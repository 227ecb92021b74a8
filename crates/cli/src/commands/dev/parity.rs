//! `salsa dev parity`: a training step beside what a reference got for it, number by number.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use salsa_learn::compute::Computed;
use salsa_learn::parity::{Group, check};
use serde::Serialize;

use crate::arguments::Format;
use crate::compute::ComputeArguments;
use crate::failure::Failure;
use crate::json::print_json;
use crate::progress::Progress;
use crate::table::table;

/// Compare a training step with what a reference got, number by number
///
/// A file holds parameters, a batch, and the reference's outputs, hidden states, losses, gradients
/// and running statistics. A group of tensors deviates by the worst of its tensors: the norm of
/// the difference over the tensor's norm. Exit code 1 if a group is beyond its limit.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  salsa dev parity crates/learn/tests/parity/bfs-gin-paper.safetensors
  salsa dev parity crates/learn/tests/parity/*.safetensors --format json")]
pub struct Parity {
    /// Files of expected numbers (safetensors)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    compute: ComputeArguments,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// One group of one file.
#[derive(Serialize)]
struct Row {
    file: String,
    group: String,
    worst_tensor: String,
    deviation: f64,
    limit: f64,
    precision: String,
    device: String,
    ok: bool,
}

impl Row {
    fn new(file: &Path, group: Group, computed: &Computed) -> Self {
        let rounded = computed.precision.as_deref();
        Self {
            file: file.display().to_string(),
            ok: group.agrees(),
            precision: if group.double { "float64" } else { rounded.unwrap_or("float32") }
                .to_owned(),
            device: computed.device.clone(),
            group: group.name,
            worst_tensor: group.worst,
            deviation: group.deviation,
            limit: group.limit,
        }
    }
}

impl Parity {
    pub fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        let compute = self.compute.compute()?;
        let computed = compute.try_out()?;
        let progress = Progress::new(self.files.len() as u64, "comparing");
        let mut rows = Vec::new();
        for file in &self.files {
            let groups = check(file, compute)?;
            rows.extend(groups.into_iter().map(|group| Row::new(file, group, &computed)));
            progress.advance(1);
        }
        drop(progress);
        match self.format {
            Format::Json => print_json(out, &rows)?,
            Format::Text => writeln!(out, "{}", text(&rows)).map_err(Failure::output)?,
        }
        let beyond: Vec<String> = rows
            .iter()
            .filter(|row| !row.ok)
            .map(|row| format!("{} of {}", row.group, row.file))
            .collect();
        if beyond.is_empty() {
            return Ok(());
        }
        Err(Failure::System(format!("beyond the limit: {}", beyond.join(", "))))
    }
}

fn text(rows: &[Row]) -> String {
    let rows = rows.iter().map(|row| {
        // Every file would repeat its folder; the full path is in the JSON.
        let file = Path::new(&row.file).file_stem().map(|name| name.to_string_lossy().into_owned());
        [
            file.unwrap_or_else(|| row.file.clone()),
            row.group.clone(),
            row.worst_tensor.clone(),
            row.precision.clone(),
            format!("{:.1e}", row.deviation),
            format!("{:.1e}", row.limit),
            if row.ok { "ok" } else { "FAIL" }.to_owned(),
        ]
    });
    let header = ["file", "group", "worst tensor", "precision", "deviation", "limit", ""];
    table(header, 4, rows.collect())
}
