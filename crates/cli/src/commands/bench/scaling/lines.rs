//! A measurement as lines of the report's page, beside the published code's.

use std::path::Path;

use salsa_report::page::{Rounded, ScalingLine, ScalingPoint};

use super::published::published;
use crate::commands::bench::pass::{Cell, Work};
use crate::commands::bench::saved;
use crate::failure::Failure;

const MIB: f64 = 1_048_576.0;

/// The lines of a file that `salsa bench scaling --format json` wrote.
pub fn scaling_lines(file: &Path) -> Result<Vec<ScalingLine>, Failure> {
    let cells: Vec<Cell> = saved(file)?;
    let mut lines: Vec<ScalingLine> = Vec::new();
    let mut kinds: Vec<(&str, Work)> = Vec::new();
    for cell in &cells {
        let training = if cell.work == Work::Training { ", training" } else { "" };
        let name = format!("{}, {}{training}", cell.model, cell.computed.name());
        let point = ScalingPoint {
            nodes: cell.nodes,
            seconds: Some(Rounded(cell.seconds)),
            bytes: cell.work_bytes().map(|bytes| Rounded(bytes as f64)),
        };
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => lines.push(ScalingLine { name, quoted: false, points: vec![point] }),
        }
        if !kinds.contains(&(cell.model.as_str(), cell.work)) {
            kinds.push((&cell.model, cell.work));
        }
    }
    let quoted = kinds.into_iter().map(|(model, work)| {
        let training = if work == Work::Training { ", x 3 for gradients" } else { "" };
        let point = |(nodes, mib): (usize, f64)| ScalingPoint {
            nodes,
            seconds: None,
            bytes: Some(Rounded(mib * MIB)),
        };
        ScalingLine {
            name: format!("published {model}{training}, H200"),
            quoted: true,
            points: published(model, work).map(point).collect(),
        }
    });
    let quoted: Vec<ScalingLine> = quoted.filter(|line| !line.points.is_empty()).collect();
    lines.extend(quoted);
    Ok(lines)
}
