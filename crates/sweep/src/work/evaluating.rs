//! The evaluation of a cell, set by set and graph by graph.
//!
//! A finished set is a file of its result. Of the set under way every answer is a line, in order,
//! and an evaluation that is taken up goes on after the last whole line.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use salsa_learn::checkpoint::Checkpoint;
use salsa_learn::compute::Computed;
use salsa_learn::evaluation::{GraphResult, Options, Tally, TestSet, answers};
use salsa_learn::model::processors;
use salsa_learn::training::Folder;
use salsa_records::SetResult;
use salsa_traces::algorithms;
use salsa_traces::files::write_whole;
use serde::{Deserialize, Serialize};

use super::{Event, Work, WorkError};
use crate::plan::EvaluationSet;

/// The results of all sets.
#[derive(Debug, Default)]
pub(super) struct Evaluated {
    pub sets: Vec<SetResult>,
    pub seconds: BTreeMap<String, f64>,
}

/// What is kept of a set that is done.
#[derive(Debug, Serialize, Deserialize)]
struct KeptSet {
    set: SetResult,
    seconds: f64,
}

/// What is kept of a graph, of the time until then, and of what answered.
#[derive(Debug, Serialize, Deserialize)]
struct KeptGraph {
    graph: GraphResult,
    seconds: f64,
    computed: Computed,
}

impl Work<'_> {
    /// The results of all sets, as far as they were missing found now; `None` if it was stopped.
    pub(super) fn evaluated(&self, place: &Path) -> Result<Option<Evaluated>, WorkError> {
        let total = self.cell.n_graphs();
        let (mut evaluated, mut before) = (Evaluated::default(), 0);
        let mut checkpoint = None;
        for set in self.cell.sets() {
            self.watcher.event(Event::Set { set: &set.split, done: before, total });
            let kept = place.join(format!("result-{}.json", set.split));
            let known = std::fs::read(&kept).ok();
            let KeptSet { set: result, seconds } = match known
                .and_then(|text| serde_json::from_slice(&text).ok())
            {
                Some(known) => known,
                None => {
                    let checkpoint = match &mut checkpoint {
                        Some(checkpoint) => checkpoint,
                        none => none.insert(best(place)?),
                    };
                    let Some(found) = self.set(place, checkpoint, set, before)? else {
                        return Ok(None);
                    };
                    let text = serde_json::to_vec(&found)
                        .map_err(|error| WorkError::System(error.to_string()))?;
                    write_whole(&kept, &text).map_err(|error| WorkError::file(&kept, &error))?;
                    let _ = std::fs::remove_file(graphs_file(place, set));
                    found
                }
            };
            evaluated.seconds.insert(set.split.clone(), seconds);
            evaluated.sets.push(result);
            before += set.graphs;
        }
        Ok(Some(evaluated))
    }

    /// The result of a set; `None` if it was stopped.
    fn set(
        &self,
        place: &Path,
        checkpoint: &Checkpoint,
        set: &EvaluationSet,
        before: u64,
    ) -> Result<Option<KeptSet>, WorkError> {
        let path = graphs_file(place, set);
        let failed = |error: &io::Error| WorkError::file(&path, error);
        let (mut file, done, mut earlier) =
            resumed(&path, self.computed).map_err(|error| failed(&error))?;
        let mut tally = Tally::default();
        done.iter().for_each(|graph| tally.add(graph));
        let (suite, total) = (self.folder.plan().suite(self.cell), self.cell.n_graphs());
        let run = self.cell.run();
        let algorithm =
            algorithms::find(&run.algorithm).map_err(|error| WorkError::Cell(error.to_string()))?;
        let seed = run.data_seed.unwrap_or(suite.seed);
        let test = TestSet::split(suite, seed, algorithm, &set.split, Some(set.graphs))
            .map_err(|error| WorkError::Cell(error.to_string()))?;
        let test = test.skipping(done.len() as u64);
        let options = Options { steps: self.folder.plan().steps(), compute: self.compute };
        let (begun, mut count, mut trouble) = (Instant::now(), done.len() as u64, None);
        answers(checkpoint, &[test], options, &mut |answer| {
            let graph = GraphResult::of(&answer);
            let seconds = earlier + begun.elapsed().as_secs_f64();
            tally.add(&graph);
            count += 1;
            let kept = KeptGraph { graph, seconds, computed: self.computed.clone() };
            if let Err(error) = append(&mut file, &kept) {
                trouble = Some(failed(&error));
                return ControlFlow::Break(());
            }
            if count == set.graphs {
                return ControlFlow::Continue(());
            }
            let done = before + count;
            self.watcher.event(Event::Evaluating { set: &set.split, done, total });
            match self.stops() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        if let Some(trouble) = trouble {
            return Err(trouble);
        }
        if count < set.graphs {
            return Ok(None);
        }
        earlier += begun.elapsed().as_secs_f64();
        let mut result = tally.finish(&set.split);
        // Of one size or family only, they would say the same again.
        if result.by_size.len() == 1 {
            result.by_size.clear();
        }
        if result.by_family.len() == 1 {
            result.by_family.clear();
        }
        let set = SetResult { result, computed: self.computed.clone() };
        Ok(Some(KeptSet { set, seconds: earlier }))
    }
}

fn graphs_file(place: &Path, set: &EvaluationSet) -> PathBuf {
    place.join(format!("graphs-{}.jsonl", set.split))
}

fn best(place: &Path) -> Result<Checkpoint, WorkError> {
    Ok(Checkpoint::read(&Folder::new(place).best(), &processors::names())?)
}

/// What was found before by the same means, cut off after its last good line, and how long that
/// took.
fn resumed(path: &Path, computed: &Computed) -> io::Result<(File, Vec<GraphResult>, f64)> {
    let text = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        text => text?,
    };
    let (mut graphs, mut seconds, mut length) = (Vec::<GraphResult>::new(), 0.0, 0);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let Some(line) = line.strip_suffix(b"\n") else { break };
        let Ok(kept) = serde_json::from_slice::<KeptGraph>(line) else { break };
        if kept.graph.index != graphs.len() as u64 || kept.computed != *computed {
            break;
        }
        seconds = kept.seconds;
        graphs.push(kept.graph);
        length += line.len() as u64 + 1;
    }
    let file = OpenOptions::new().append(true).create(true).open(path)?;
    file.set_len(length)?;
    Ok((file, graphs, seconds))
}

fn append(file: &mut File, kept: &KeptGraph) -> io::Result<()> {
    let mut line = serde_json::to_vec(kept)?;
    line.push(b'\n');
    file.write_all(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn computed(device: &str) -> Computed {
        Computed { device: device.to_owned(), precision: None }
    }

    fn keep(path: &Path, index: u64, device: &str) {
        let graph = GraphResult {
            index,
            n_nodes: 2,
            family: "er".to_owned(),
            steps: 1,
            metrics: Vec::new(),
            valid: None,
            violation: None,
        };
        let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
        append(&mut file, &KeptGraph { graph, seconds: 1.0, computed: computed(device) }).unwrap();
    }

    fn found(path: &Path, device: &str) -> usize {
        resumed(path, &computed(device)).unwrap().1.len()
    }

    #[test]
    fn a_set_is_answered_by_one_device() {
        let at = tempfile::tempdir().unwrap();
        let path = at.path().join("graphs");
        keep(&path, 0, "cpu");
        keep(&path, 1, "cpu");
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"gra").unwrap();
        assert_eq!(found(&path, "cpu"), 2);
        keep(&path, 2, "cpu");
        keep(&path, 4, "cpu");
        assert_eq!(found(&path, "cpu"), 3);
        assert_eq!(found(&path, "gpu"), 0);
        assert_eq!(found(&path, "cpu"), 0, "what another device does not go on with is gone");
    }
}
