//! How long the rest of a sweep will take.
//!
//! A cell is so many steps and so many graphs; each goes at the cell's own pace where that is
//! known, and at the mean pace of all otherwise. It is a guess: training may end early, and large
//! graphs take longer than small ones.

use std::time::{Duration, Instant};

/// How fast a cell goes.
#[derive(Debug, Clone, Default)]
pub struct Pace {
    since: Option<Instant>,
    steps: Rate,
    graphs: Rate,
}

#[derive(Debug, Clone, Copy, Default)]
struct Rate {
    count: u64,
    seconds: f64,
}

/// What is left of a cell.
#[derive(Debug)]
pub struct Remaining<'a> {
    /// Optimiser steps.
    pub steps: u64,
    /// Graphs to evaluate.
    pub graphs: u64,
    /// How fast it goes.
    pub pace: &'a Pace,
}

impl Pace {
    /// Time counts from here.
    pub fn begin(&mut self, now: Instant) {
        self.since = Some(now);
    }

    /// A step was made.
    pub fn step(&mut self, now: Instant) {
        self.steps.add(1, self.since.replace(now), now);
    }

    /// Graphs were evaluated.
    pub fn graphs(&mut self, now: Instant, count: u64) {
        self.graphs.add(count, self.since.replace(now), now);
    }
}

impl Rate {
    fn add(&mut self, count: u64, since: Option<Instant>, now: Instant) {
        if let Some(since) = since {
            self.count += count;
            self.seconds += now.saturating_duration_since(since).as_secs_f64();
        }
    }

    /// Seconds for each; `None` while too little is known.
    fn each(&self) -> Option<f64> {
        (self.count > 0).then(|| self.seconds / self.count as f64)
    }

    fn of_all<'a>(rates: impl Iterator<Item = &'a Self>) -> Self {
        let add = |sum: Self, rate: &Self| Self {
            count: sum.count + rate.count,
            seconds: sum.seconds + rate.seconds,
        };
        rates.fold(Self::default(), add)
    }
}

/// How long the rest takes when `jobs` cells go at the same time; `None` while nothing is known.
pub fn time_left(remaining: &[Remaining<'_>], all: &[&Pace], jobs: usize) -> Option<Duration> {
    let mean_step = Rate::of_all(all.iter().map(|pace| &pace.steps)).each();
    let mean_graph = Rate::of_all(all.iter().map(|pace| &pace.graphs)).each();
    mean_step.or(mean_graph)?;
    let seconds = |count: u64, own: &Rate, mean: Option<f64>| match own.each().or(mean) {
        Some(each) => count as f64 * each,
        None => 0.0,
    };
    let of = |cell: &Remaining<'_>| {
        seconds(cell.steps, &cell.pace.steps, mean_step)
            + seconds(cell.graphs, &cell.pace.graphs, mean_graph)
    };
    let each: Vec<f64> = remaining.iter().map(of).collect();
    let longest = each.iter().copied().fold(0.0, f64::max);
    let shared = each.iter().sum::<f64>() / jobs.min(each.len()).max(1) as f64;
    Some(Duration::from_secs_f64(shared.max(longest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(steps: (u64, u64), graphs: (u64, u64)) -> Pace {
        let rate = |(count, seconds)| Rate { count, seconds: seconds as f64 };
        Pace { since: None, steps: rate(steps), graphs: rate(graphs) }
    }

    #[test]
    fn nothing_is_said_before_anything_is_known() {
        let unknown = Pace::default();
        let rest = [Remaining { steps: 10, graphs: 10, pace: &unknown }];
        assert_eq!(time_left(&rest, &[&unknown], 1), None);
    }

    #[test]
    fn a_cell_goes_at_its_own_pace_or_at_that_of_all() {
        // 2 s a step here, 4 s a step there: 3 s on average.
        let (one, other, new) = (pace((10, 20), (5, 5)), pace((10, 40), (0, 0)), Pace::default());
        let all = [&one, &other, &new];
        let rest = [
            Remaining { steps: 10, graphs: 10, pace: &one }, // 20 + 10
            Remaining { steps: 10, graphs: 10, pace: &other }, // 40 + 10
            Remaining { steps: 10, graphs: 0, pace: &new },  // 30
        ];
        assert_eq!(time_left(&rest, &all, 1), Some(Duration::from_secs(110)));
        assert_eq!(time_left(&rest, &all, 2), Some(Duration::from_secs(55)));
        // No number of workers makes the longest cell shorter.
        assert_eq!(time_left(&rest, &all, 8), Some(Duration::from_secs(50)));
        assert_eq!(time_left(&[], &all, 2), Some(Duration::ZERO));
    }

    #[test]
    fn steps_and_graphs_are_timed_from_one_to_the_next() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut pace = Pace::default();
        pace.begin(at(0));
        pace.step(at(2));
        pace.step(at(4));
        pace.begin(at(10));
        pace.graphs(at(13), 3);
        assert_eq!((pace.steps.each(), pace.graphs.each()), (Some(2.0), Some(1.0)));
    }
}
