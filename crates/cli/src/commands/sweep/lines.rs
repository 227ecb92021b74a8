//! What happens to cells, in lines: the whole story where there is no terminal.

use salsa_sweep::work::Event;

use super::board::{Board, Phase};

/// The line of an event that is worth one, after the board has taken it in.
pub fn line(board: &Board, cell: usize, event: &Event<'_>) -> Option<String> {
    let row = &board.rows[cell];
    let width = board.rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let told = match event {
        Event::Begun { attempt: 1 } => "begins".to_owned(),
        Event::Begun { attempt } => format!("goes on, attempt {attempt}"),
        Event::Epoch(summary) => {
            let accuracy = row
                .losses
                .accuracy
                .map_or(String::new(), |value| format!("  accuracy {:.2}%", 100.0 * value));
            format!(
                "epoch {}/{}  train {:.4}  val {:.4}{accuracy}",
                summary.epoch + 1,
                row.epochs,
                summary.train.total,
                summary.validation_loss
            )
        }
        Event::Set { set, done, total } => {
            format!("evaluates {set}, {done} of {total} graphs done")
        }
        Event::Evaluating { set, done, total } if done.is_multiple_of((total / 10).max(100)) => {
            format!("evaluates {set}, {done} of {total} graphs done")
        }
        Event::Finished => {
            let finished = board.count(|phase| *phase == Phase::Finished);
            format!("finished, {finished} of {}", board.rows.len())
        }
        Event::Stopped => "stopped".to_owned(),
        Event::Lost => "is worked on elsewhere".to_owned(),
        Event::Failed(message) => format!("failed: {message}"),
        _ => return None,
    };
    Some(format!("{:<width$}  {told}", row.name))
}
