//! A measurement as a table for people, as comma-separated values and as plots.

use std::fmt::Write;

use super::published::published;
use crate::commands::bench::pass::{Cell, Work};
use crate::plot::{Plot, Series};
use crate::table::{bytes, table};

const MIB: f64 = 1_048_576.0;

pub fn text(cells: &[Cell]) -> String {
    let rows = cells.iter().map(|cell| {
        [
            cell.computed.name(),
            cell.model.clone(),
            cell.work.name().to_owned(),
            cell.nodes.to_string(),
            cell.edges.to_string(),
            cell.steps.to_string(),
            format!("{:.2}", 1e3 * cell.seconds),
            cell.work_bytes().map_or("unknown".to_owned(), bytes),
            published_bytes(cell).map_or(String::new(), bytes),
        ]
    });
    let header = [
        "device",
        "model",
        "work",
        "nodes",
        "edges",
        "steps",
        "ms",
        "memory",
        "published (quoted)",
    ];
    table(header, 3, rows.collect())
}

/// One line a cell; what is not known is empty.
pub fn csv(cells: &[Cell]) -> String {
    let mut text = "algorithm,model,work,device,threads,nodes,edges,steps,seconds,bytes,\
                    published_bytes\n"
        .to_owned();
    for cell in cells {
        let Cell { algorithm, model, threads, nodes, edges, steps, seconds, .. } = cell;
        let (work, device) = (cell.work.name(), cell.computed.name());
        let [taken, quoted] = [cell.work_bytes(), published_bytes(cell)]
            .map(|count| count.map_or(String::new(), |count| count.to_string()));
        let _ = writeln!(
            text,
            "{algorithm},{model},{work},{device},{threads},{nodes},{edges},{steps},{seconds},\
             {taken},{quoted}"
        );
    }
    text
}

pub fn memory_plot(cells: &[Cell]) -> Plot {
    let mut plot = plot(cells, "peak memory of BFS on one graph", "MiB", |cell| {
        cell.work_bytes().map(|count| count as f64 / MIB)
    });
    let mut seen = Vec::new();
    for cell in cells {
        let kind = (&cell.model, cell.work);
        if seen.contains(&kind) {
            continue;
        }
        seen.push(kind);
        let points: Vec<(f64, f64)> =
            published(&cell.model, cell.work).map(|(nodes, mib)| (nodes as f64, mib)).collect();
        let gradients = if cell.work == Work::Training { ", x 3 for gradients" } else { "" };
        let name = format!("published {}{gradients}, H200 (quoted)", cell.model);
        if !points.is_empty() {
            plot.series.push(Series { name, points, quoted: true });
        }
    }
    plot
}

pub fn time_plot(cells: &[Cell]) -> Plot {
    plot(cells, "time of BFS on one graph", "seconds", |cell| Some(cell.seconds))
}

fn plot(cells: &[Cell], title: &str, y_label: &str, value: impl Fn(&Cell) -> Option<f64>) -> Plot {
    let points = cells.iter().map(|cell| {
        let training = if cell.work == Work::Training { " training" } else { "" };
        let name = format!("{} {}{training}", cell.computed.name(), cell.model);
        (name, value(cell).map(|value| (cell.nodes as f64, value)))
    });
    Plot {
        title: title.to_owned(),
        x_label: "nodes".to_owned(),
        y_label: y_label.to_owned(),
        log_x: true,
        log_y: true,
        series: Series::by_name(points),
    }
}

/// What the published code takes for the same graph, where that is known.
fn published_bytes(cell: &Cell) -> Option<u64> {
    let found = published(&cell.model, cell.work).find(|(nodes, _)| *nodes == cell.nodes);
    found.map(|(_, mib)| (mib * MIB) as u64)
}
