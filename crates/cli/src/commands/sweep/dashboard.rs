//! The live view of a sweep on a terminal.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Cell, Gauge, Paragraph, Row, Table};
use ratatui::{Frame, Terminal};

use super::board::{Board, Phase};

/// Between two pictures.
const PAUSE: Duration = Duration::from_millis(200);

/// Shows the board until `is_over`; q or Ctrl-C asks the work to stop, a second time ends it.
pub fn show(board: &Mutex<Board>, stop: &AtomicBool, is_over: &dyn Fn() -> bool) -> io::Result<()> {
    let _screen = Screen::enter()?;
    let mut terminal = Terminal::new(CrosstermBackend::new(io::stderr()))?;
    while !is_over() {
        let stopping = stop.load(Ordering::Relaxed);
        {
            let board = board.lock().unwrap_or_else(PoisonError::into_inner);
            terminal.draw(|frame| draw(frame, &board, stopping))?;
        }
        if !event::poll(PAUSE)? {
            continue;
        }
        if let Event::Key(key) = event::read()?
            && key.kind == KeyEventKind::Press
        {
            let is_interrupt =
                key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
            if key.code == KeyCode::Char('q') || is_interrupt {
                let again = stop.swap(true, Ordering::SeqCst);
                if again && is_interrupt {
                    drop(_screen);
                    std::process::exit(130);
                }
            }
        }
    }
    Ok(())
}

/// The terminal as it was comes back when this goes.
struct Screen;

impl Screen {
    fn enter() -> io::Result<Self> {
        enable_raw_mode()?;
        let screen = Self;
        execute!(io::stderr(), EnterAlternateScreen)?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // There is nobody to tell.
        let _ = execute!(io::stderr(), LeaveAlternateScreen, crossterm::cursor::Show);
        let _ = disable_raw_mode();
    }
}

/// One picture.
fn draw(frame: &mut Frame<'_>, board: &Board, stopping: bool) {
    let is_running = |phase: &Phase| matches!(phase, Phase::Training | Phase::Evaluating(_));
    let running = board.count(is_running);
    let wanted = (running.max(1) + 3).min(usize::from(frame.area().height)) as u16;
    let parts = Layout::vertical([
        Constraint::Length(3),
        Constraint::Length(wanted),
        Constraint::Min(0),
        Constraint::Length(1),
    ]);
    let [top, cells, told, bottom] = parts.areas(frame.area());
    frame.render_widget(gauge(board), top);
    frame.render_widget(table(board), cells);
    let lines: Vec<Line<'_>> = board
        .told
        .iter()
        .skip(board.told.len().saturating_sub(usize::from(told.height.saturating_sub(2))))
        .map(|line| Line::raw(line.as_str()))
        .collect();
    let block = Block::new().borders(Borders::ALL).title(" What happened ");
    frame.render_widget(Paragraph::new(lines).block(block), told);
    let help = match stopping {
        true => " saving; Ctrl-C again ends at once, and the last checkpoints are still there",
        false => " q or Ctrl-C saves and stops; the same command goes on",
    };
    frame.render_widget(Paragraph::new(help).style(Style::new().fg(Color::DarkGray)), bottom);
}

fn gauge(board: &Board) -> Gauge<'_> {
    let (finished, all) = (board.count(|phase| *phase == Phase::Finished), board.rows.len());
    let failed = board.count(|phase| matches!(phase, Phase::Failed(_)));
    let elsewhere = board.count(|phase| *phase == Phase::Elsewhere);
    let mut label = format!("{finished} of {all} cells");
    if failed > 0 {
        label += &format!(", {failed} failed");
    }
    if elsewhere > 0 {
        label += &format!(", {elsewhere} elsewhere");
    }
    if let Some(left) = board.time_left() {
        label += &format!(", about {} left", short(left));
    }
    let done: f64 = board.rows.iter().map(share).sum();
    Gauge::default()
        .block(Block::new().borders(Borders::ALL).title(format!(" {} ", board.name)))
        .gauge_style(Style::new().fg(Color::Cyan))
        .ratio((done / all.max(1) as f64).clamp(0.0, 1.0))
        .label(label)
}

/// How much of a cell is done: half of it is training, half evaluation.
fn share(row: &super::board::Row) -> f64 {
    let of = |(done, all): (u64, u64)| if all == 0 { 1.0 } else { done as f64 / all as f64 };
    (of(row.steps) + of(row.graphs)) / 2.0
}

fn table(board: &Board) -> Table<'_> {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.4}"));
    let rows = board.rows.iter().filter_map(|row| {
        let (doing, done) = match &row.phase {
            Phase::Training => ("trains".to_owned(), row.steps),
            Phase::Evaluating(set) => (format!("evaluates {set}"), row.graphs),
            _ => return None,
        };
        let epoch = match row.steps.1 {
            0 => 0,
            steps => (row.steps.0 * row.epochs / steps).min(row.epochs),
        };
        let accuracy = row.losses.accuracy.map(|value| format!("{:.1}%", 100.0 * value));
        Some(Row::new([
            Cell::new(row.name.as_str()),
            Cell::new(doing),
            Cell::new(format!("{:>3}%", 100 * done.0 / done.1.max(1))),
            Cell::new(format!("{epoch}/{}", row.epochs)),
            Cell::new(number(row.losses.train)),
            Cell::new(number(row.losses.validation)),
            Cell::new(accuracy.unwrap_or_default()),
        ]))
    });
    let widths = [
        Constraint::Min(20),
        Constraint::Length(24),
        Constraint::Length(5),
        Constraint::Length(8),
        Constraint::Length(9),
        Constraint::Length(9),
        Constraint::Length(9),
    ];
    let header = Row::new(["cell", "", "", "epoch", "train", "val", "accuracy"]);
    Table::new(rows, widths)
        .header(header.style(Style::new().add_modifier(Modifier::BOLD)))
        .block(Block::new().borders(Borders::ALL).title(" Running "))
}

/// A time to read at a glance.
fn short(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds.div_ceil(60)),
        3600..86_400 => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{} days", seconds.div_ceil(86_400)),
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use ratatui::backend::TestBackend;
    use salsa_sweep::plan::Plan;
    use salsa_sweep::work::Event;
    use std::time::Instant;

    use super::super::board::Losses;
    use super::*;

    fn board() -> Board {
        let text = "name = \"mine\"\n[[cells]]\nalgorithms = [\"bfs\", \"mis\"]\n\
            models = [\"gin\", \"pgn\", \"recgnn\"]\n[training]\nepochs = 8\n\
            [[evaluation.sets]]\nsplits = [\"er_16\", \"delaunay_1600\"]\ngraphs = 50\n";
        let mut board = Board::new(&Plan::parse("mine.toml", text, None).unwrap(), 2);
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        board.apply(0, &Event::Finished, at(0));
        board.apply(5, &Event::Failed("the loss is NaN"), at(0));
        board.apply(4, &Event::Lost, at(0));
        board.apply(1, &Event::Evaluating { set: "er_16", done: 0, total: 100 }, at(0));
        board.apply(1, &Event::Evaluating { set: "delaunay_1600", done: 51, total: 100 }, at(51));
        board.apply(2, &Event::Training { step: 2500, epochs: 8, n_batches: 1250 }, at(0));
        board.rows[2].losses =
            Losses { train: Some(0.25), validation: Some(0.5), accuracy: Some(0.875) };
        board.tell("bfs-gin-paper-42  finished, 1 of 6".to_owned());
        board.tell("mis-recgnn-paper-42  failed: the loss is NaN".to_owned());
        board
    }

    fn picture(board: &Board, (width, height): (u16, u16), stopping: bool) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, board, stopping)).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn a_sweep_at_work() {
        assert_snapshot!(picture(&board(), (100, 16), false));
    }

    #[test]
    fn a_sweep_that_stops() {
        assert_snapshot!(picture(&board(), (80, 12), true));
    }

    #[test]
    fn the_smallest_terminal_is_no_trouble() {
        for size in [(1, 1), (3, 2), (20, 4)] {
            picture(&board(), size, false);
        }
    }

    #[test]
    fn times_are_short() {
        let told = [5, 61, 3700, 200_000].map(|seconds| short(Duration::from_secs(seconds)));
        assert_eq!(told, ["5 s", "2 min", "1 h 1 min", "3 days"]);
    }
}
