//! What Slurm knows of workers: `squeue` of those that are under way, `sacct` of the others where
//! there is accounting.

use std::collections::BTreeMap;

use serde::Serialize;

use super::script::job_name;
use super::{SlurmError, output};

/// The tasks of some jobs by name, `17_3`, with their states.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Tasks(pub BTreeMap<String, TaskState>);

/// Where a task stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskState {
    /// In Slurm's words, `RUNNING`.
    pub state: String,
    /// Whether it runs or will run.
    pub is_active: bool,
}

/// States in which a task runs or will run.
const ACTIVE: &[&str] = &[
    "PENDING",
    "RUNNING",
    "CONFIGURING",
    "COMPLETING",
    "SUSPENDED",
    "REQUEUED",
    "REQUEUE_FED",
    "REQUEUE_HOLD",
    "RESIZING",
    "SIGNALING",
    "SPECIAL_EXIT",
    "STAGE_OUT",
    "STOPPED",
];

impl Tasks {
    /// What Slurm says of the jobs of a sweep.
    pub fn ask(sweep: &str, jobs: &[String]) -> Result<Self, SlurmError> {
        if jobs.is_empty() {
            return Ok(Self::default());
        }
        // By name: squeue fails when it is asked for a job that it has forgotten.
        let name = format!("--name={}", job_name(sweep));
        let words = ["--noheader", "--array", "--states=all", "--format=%i|%T", &name];
        let queue = Self::parse(&output("squeue", &words)?, jobs);
        let list = format!("--jobs={}", jobs.join(","));
        let words = [
            "--noheader",
            "--parsable2",
            "--allocations",
            "--array",
            "--format=JobID,State",
            &list,
        ];
        // Many clusters have no accounting; what the queue has forgotten is then over.
        let accounted = output("sacct", &words).map(|text| Self::parse(&text, jobs));
        let mut all = accounted.unwrap_or_default();
        all.0.extend(queue.0);
        Ok(all)
    }

    /// Lines of `task|state`.
    fn parse(text: &str, jobs: &[String]) -> Self {
        let task = |line: &str| {
            let (task, state) = line.trim().split_once('|')?;
            let job = task.split('_').next()?;
            // `CANCELLED by 1000`
            let state = state.split_whitespace().next()?.to_owned();
            let is_active = ACTIVE.contains(&state.as_str());
            let is_ours = jobs.iter().any(|known| known == job);
            is_ours.then(|| (task.to_owned(), TaskState { state, is_active }))
        };
        Self(text.lines().filter_map(task).collect())
    }

    /// Whether a task runs or will run.
    pub fn is_active(&self, task: &str) -> bool {
        self.0.get(task).is_some_and(|state| state.is_active)
    }

    /// Whether a task of these jobs is over. Of others, nothing is known.
    pub fn is_gone(&self, jobs: &[String], task: &str) -> bool {
        let job = task.split('_').next().unwrap_or_default();
        jobs.iter().any(|known| known == job) && !self.is_active(task)
    }

    /// How many tasks run or will run.
    pub fn n_active(&self) -> usize {
        self.0.values().filter(|state| state.is_active).count()
    }

    /// How many tasks are in each state.
    pub fn counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for state in self.0.values() {
            *counts.entry(state.state.as_str()).or_default() += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_of_our_jobs_are_read() {
        let text = "17_0|RUNNING\n17_1|PENDING\n18_0|CANCELLED by 1000\n99_0|RUNNING\n\nnoise\n";
        let tasks = Tasks::parse(text, &["17".to_owned(), "18".to_owned()]);
        assert_eq!(tasks.0.len(), 3);
        assert!(tasks.is_active("17_0") && tasks.is_active("17_1") && !tasks.is_active("18_0"));
        let jobs = ["17".to_owned(), "18".to_owned()];
        // One that the queue has forgotten, one that it has not, one of somebody else.
        assert!(tasks.is_gone(&jobs, "17_7") && !tasks.is_gone(&jobs, "17_0"));
        assert!(!tasks.is_active("99_0") && !tasks.is_gone(&jobs, "99_0"));
        assert_eq!(tasks.n_active(), 2);
        let counts: Vec<(&str, usize)> = tasks.counts().into_iter().collect();
        assert_eq!(counts, [("CANCELLED", 1), ("PENDING", 1), ("RUNNING", 1)]);
    }
}
