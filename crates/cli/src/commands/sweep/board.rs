//! What is known of every cell of a sweep while it is worked on.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use salsa_sweep::plan::Plan;
use salsa_sweep::work::Event;

use super::estimate::{Pace, Remaining};

/// All cells.
#[derive(Debug)]
pub struct Board {
    /// The sweep's name.
    pub name: String,
    /// Cells at the same time.
    pub jobs: usize,
    /// The cells, in the order of the plan.
    pub rows: Vec<Row>,
    /// What was told last, for the dashboard.
    pub told: VecDeque<String>,
}

/// A cell.
#[derive(Debug)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What happens to it.
    pub phase: Phase,
    /// Optimiser steps done, and at most.
    pub steps: (u64, u64),
    /// Graphs evaluated, of all.
    pub graphs: (u64, u64),
    /// Epochs at most.
    pub epochs: u64,
    /// The loss of the last step, of the last validation, and the accuracy there.
    pub losses: Losses,
    /// How fast it goes.
    pub pace: Pace,
}

/// What is known of a training.
#[derive(Debug, Clone, Copy, Default)]
pub struct Losses {
    /// Of the last step.
    pub train: Option<f64>,
    /// Of the last validation.
    pub validation: Option<f64>,
    /// The share of right nodes, or graphs, in the last validation.
    pub accuracy: Option<f64>,
}

/// What happens to a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// Nothing yet.
    Waiting,
    /// Somebody else works on it.
    Elsewhere,
    /// It is trained.
    Training,
    /// It is evaluated on this set.
    Evaluating(String),
    /// It is recorded.
    Finished,
    /// It cannot be done.
    Failed(String),
}

/// Lines that are kept for the dashboard.
const LINES: usize = 50;

impl Board {
    /// Nothing is known yet.
    pub fn new(plan: &Plan, jobs: usize) -> Self {
        let rows = plan.cells().iter().map(|cell| Row {
            name: cell.name().to_owned(),
            phase: Phase::Waiting,
            steps: (0, cell.n_steps()),
            graphs: (0, cell.n_graphs()),
            epochs: cell.run().training.epochs,
            losses: Losses::default(),
            pace: Pace::default(),
        });
        Self { name: plan.name().to_owned(), jobs, rows: rows.collect(), told: VecDeque::new() }
    }

    /// Takes in what happened to a cell.
    pub fn apply(&mut self, cell: usize, event: &Event<'_>, now: Instant) {
        let row = &mut self.rows[cell];
        match event {
            Event::Begun { .. } => row.phase = Phase::Training,
            Event::Training { step, epochs, n_batches } => {
                row.phase = Phase::Training;
                row.steps = (*step, epochs * n_batches);
                row.pace.begin(now);
            }
            Event::Step(view) => {
                row.steps.0 = view.progress.step;
                row.losses.train = Some(view.stepped.loss.total);
                row.pace.step(now);
            }
            Event::Epoch(summary) => {
                row.losses.validation = Some(summary.validation_loss);
                let named = ["node_accuracy", "graph_accuracy"];
                row.losses.accuracy =
                    named.iter().find_map(|name| summary.validation.get(*name).copied());
            }
            Event::Set { set, done, total } | Event::Evaluating { set, done, total } => {
                if !matches!(row.phase, Phase::Evaluating(_)) {
                    row.pace.begin(now);
                } else if *done > row.graphs.0 {
                    row.pace.graphs(now, done - row.graphs.0);
                }
                row.phase = Phase::Evaluating((*set).to_owned());
                row.graphs = (*done, *total);
                // Training may have stopped early.
                row.steps.0 = row.steps.1;
            }
            Event::Finished | Event::Known => {
                row.phase = Phase::Finished;
                (row.steps.0, row.graphs.0) = (row.steps.1, row.graphs.1);
            }
            Event::Stopped => row.phase = Phase::Waiting,
            Event::Lost => row.phase = Phase::Elsewhere,
            Event::Failed(message) => row.phase = Phase::Failed((*message).to_owned()),
        }
    }

    /// Keeps a line for the dashboard.
    pub fn tell(&mut self, line: String) {
        self.told.push_back(line);
        if self.told.len() > LINES {
            self.told.pop_front();
        }
    }

    /// How many cells are in a phase.
    pub fn count(&self, is_so: impl Fn(&Phase) -> bool) -> usize {
        self.rows.iter().filter(|row| is_so(&row.phase)).count()
    }

    /// How long the rest will take, as far as can be told.
    pub fn time_left(&self) -> Option<Duration> {
        let remaining: Vec<Remaining<'_>> = self
            .rows
            .iter()
            .filter(|row| !matches!(row.phase, Phase::Finished | Phase::Failed(_)))
            .map(|row| Remaining {
                steps: row.steps.1 - row.steps.0.min(row.steps.1),
                graphs: row.graphs.1 - row.graphs.0.min(row.graphs.1),
                pace: &row.pace,
            })
            .collect();
        let paces: Vec<&Pace> = self.rows.iter().map(|row| &row.pace).collect();
        super::estimate::time_left(&remaining, &paces, self.jobs)
    }
}
