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
        let (family, size) = family_and_size(&table.columns[place]);
        widest.max(letters(family)).max(letters(size))
    };
    let labels: usize = (0..table.labels.len()).map(|place| label(place) + 2).sum();
    let room = width.saturating_sub(labels);
    let needs = |columns: &[usize]| columns.iter().map(|place| cell(*place) + 2).sum::<usize>();

    let places: Vec<usize> = (0..table.columns.len()).collect();
    let family = |place: usize| family_and_size(&table.columns[place]).0;
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    for sets in places.chunk_by(|a, b| family(*a) == family(*b)) {
        // As few parts as fit, and all about as wide.
        let evenly = |n: usize| sets.chunks(sets.len().div_ceil(n)).collect::<Vec<_>>();
        let fits = |n: &usize| evenly(*n).iter().all(|part| needs(part) <= room);
        let n_parts = (1..=sets.len()).find(fits).unwrap_or(sets.len());
        let parts: Vec<Vec<usize>> = evenly(n_parts).into_iter().map(<[usize]>::to_vec).collect();
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
    for line in titles(table, columns) {
        grid.add_row(line.into_iter().map(|title| terminal.cell(one_line(title), Style::Plain)));
    }
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

/// Families over their sizes, each family once.
fn titles<'a>(table: &'a Table, columns: &[usize]) -> [Vec<&'a str>; 2] {
    let mut families = vec![""; table.labels.len()];
    let mut sizes: Vec<&str> = table.labels.iter().map(String::as_str).collect();
    let mut last = "";
    for place in columns {
        let (family, size) = family_and_size(&table.columns[*place]);
        families.push(if family == last { "" } else { family });
        sizes.push(size);
        last = family;
    }
    [families, sizes]
}

/// A rule under the titles and between algorithms.
fn ruled(text: &str, table: &Table) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    // Figures may have colours, which take no room. All lines are as wide before they are cut.
    let width = text.lines().next().map_or(0, |titles| titles.chars().count().saturating_sub(1));
    let label = |row: usize| table.rows.get(row).and_then(|row| row.labels.first());
    let mut ruled = Vec::new();
    for (place, line) in lines.into_iter().enumerate() {
        match place {
            TITLES => ruled.push("─".repeat(width)),
            place if place > TITLES && label(place - TITLES) != label(place - TITLES - 1) => {
                ruled.push("┈".repeat(width));
            }
            _ => {}
        }
        ruled.push(line.to_owned());
    }
    ruled.join("\n")
}

/// Lines above the figures.
const TITLES: usize = 2;

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
