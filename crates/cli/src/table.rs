//! Tables for people.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// A table with plain rules; all columns but the first `left` are right-aligned.
pub fn table<const N: usize>(header: [&str; N], left: usize, rows: Vec<[String; N]>) -> String {
    let header = header.map(str::to_owned).to_vec();
    table_of(header, left, rows.into_iter().map(Vec::from).collect())
}

/// The same with as many columns as the header has.
pub fn table_of(header: Vec<String>, left: usize, rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.add_row(header);
    for line in rows {
        table.add_row(line);
    }
    for (place, column) in table.column_iter_mut().enumerate() {
        if place >= left {
            column.set_cell_alignment(CellAlignment::Right);
        }
        column.set_padding((if place == 0 { 0 } else { 1 }, 1));
    }
    let text = table.to_string();
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let rule = "-".repeat(lines.iter().map(|line| line.chars().count()).max().unwrap_or(0));
    lines.insert(1, &rule);
    lines.join("\n")
}

/// A number with at most two decimals, without idle zeros.
pub fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Bytes in the unit that fits.
pub fn bytes(count: u64) -> String {
    match count {
        0..1024 => format!("{count} B"),
        1024..1_048_576 => format!("{:.1} KiB", count as f64 / 1024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", count as f64 / 1_048_576.0),
        _ => format!("{:.2} GiB", count as f64 / 1_073_741_824.0),
    }
}
