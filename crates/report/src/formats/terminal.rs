//! Tables for a terminal: cut into blocks that fit its width, a family of graphs or more each.

use comfy_table::{
    Attribute, Cell as Styled, CellAlignment, Color, ContentArrangement, Table as Grid, presets,
};

use super::{family_and_size, one_line, plain, repeated};
use crate::{Cell, Row, Table};

/// What the terminal can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    /// Letters in a line.
    pub width: usize,
    /// Whether it shows colours.
    pub colours: bool,
}

/// The table under its title, its notes below.
pub fn terminal(table: &Table, terminal: Terminal) -> String {
    let mut text = terminal.styled(&table.title, Attribute::Bold) + "\n";
    for columns in blocks(table, terminal.width) {
        text += "\n";
        text += &block(table, &columns, terminal);
        text += "\n";
    }
    if !table.notes.is_empty() {
        text += "\n";
        for note in table.notes.iter().flat_map(|note| wrapped(&one_line(note), terminal.width)) {
            text += &terminal.styled(&note, Attribute::Dim);
            text += "\n";
        }
    }
    text
}

/// The columns of each block: as many families as fit, or as many sets of one.
fn blocks(table: &Table, width: usize) -> Vec<Vec<usize>> {
    let letters = |text: &str| text.chars().count();
    let label = |place: usize| {
        let all = table.rows.iter().filter_map(|row| row.labels.get(place));
        all.chain(table.labels.get(place)).map(|label| letters(label)).max().unwrap_or(0)
    };
    let cell = |place: usize| {
        let all = table.rows.iter().filter_map(|row| row.cells.get(place));
        let widest = all.map(|cell| letters(&plain(cell))).max().unwrap_or(0);
        widest.max(table.columns.get(place).map_or(0, |title| letters(title)))
    };
    let labels: usize = (0..table.labels.len()).map(|place| label(place) + 2).sum();
    let room = width.saturating_sub(labels);
    let needs = |columns: &[usize]| columns.iter().map(|place| cell(*place) + 2).sum::<usize>();

    let places: Vec<usize> = (0..table.columns.len()).collect();
    let family = |place: usize| family_and_size(&table.columns[place]).0;
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    for sets in places.chunk_by(|a, b| family(*a) == family(*b)) {
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for place in sets {
            match parts.last_mut() {
                Some(part) if needs(part) + cell(*place) + 2 <= room => part.push(*place),
                _ => parts.push(vec![*place]),
            }
        }
        match (blocks.last_mut(), &parts[..]) {
            (Some(block), [part]) if needs(block) + needs(part) <= room => block.extend(part),
            _ => blocks.extend(parts),
        }
    }
    blocks
}

fn block(table: &Table, columns: &[usize], terminal: Terminal) -> String {
    let mut grid = Grid::new();
    grid.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    if terminal.colours {
        grid.enforce_styling();
    } else {
        grid.force_no_tty();
    }
    let titles = columns.iter().map(|place| &table.columns[*place]);
    let titles = table.labels.iter().chain(titles).map(|title| one_line(title));
    grid.add_row(titles.map(|title| terminal.cell(title, Style::Plain)));
    let mut above: Option<&Row> = None;
    for row in &table.rows {
        let hidden = repeated(above.map(|row| &row.labels[..]), &row.labels);
        let label = |(place, label): (usize, &String)| {
            terminal
                .cell(if place < hidden { String::new() } else { one_line(label) }, Style::Plain)
        };
        let labels = row.labels.iter().enumerate().map(label);
        let cells = columns.iter().filter_map(|place| row.cells.get(*place));
        let cells = cells.map(|cell| terminal.cell(plain(cell), Style::of(cell)));
        grid.add_row(labels.chain(cells).collect::<Vec<_>>());
        above = Some(row);
    }
    for (place, column) in grid.column_iter_mut().enumerate() {
        if place >= table.labels.len() {
            column.set_cell_alignment(CellAlignment::Right);
        }
        column.set_padding((if place == 0 { 0 } else { 1 }, 1));
    }
    ruled(&grid.to_string(), table)
}

/// A rule under the titles and between algorithms.
fn ruled(text: &str, table: &Table) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    // Titles have no colours, and the last of them ends where its column does.
    let width = lines.first().map_or(0, |titles| titles.chars().count());
    let mut ruled = Vec::new();
    for (place, line) in lines.into_iter().enumerate() {
        let label = |row: usize| table.rows.get(row).and_then(|row| row.labels.first());
        let is_new = place >= 2 && label(place - 1) != label(place - 2);
        if place == 1 || is_new {
            ruled.push((if place == 1 { "─" } else { "┈" }).repeat(width));
        }
        ruled.push(line.to_owned());
    }
    ruled.join("\n")
}

/// Lines of words that fit.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// What a cell is to look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Best,
    Noise,
    Beyond,
    Unknown,
}

impl Style {
    fn of(cell: &Cell) -> Self {
        match cell {
            Cell::Figure(figure) if figure.best => Self::Best,
            Cell::Difference(difference) => match difference.within_noise {
                Some(true) => Self::Noise,
                Some(false) => Self::Beyond,
                None => Self::Unknown,
            },
            _ => Self::Plain,
        }
    }
}

impl Terminal {
    fn cell(self, text: String, style: Style) -> Styled {
        let cell = Styled::new(text);
        match style {
            _ if !self.colours => cell,
            Style::Plain => cell,
            Style::Best => cell.fg(Color::Green).add_attribute(Attribute::Bold),
            Style::Noise => cell.fg(Color::Green),
            Style::Beyond => cell.fg(Color::Red),
            Style::Unknown => cell.fg(Color::Yellow),
        }
    }

    fn styled(self, text: &str, attribute: Attribute) -> String {
        let code = if attribute == Attribute::Bold { 1 } else { 2 };
        if self.colours { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
