//! Graphs to evaluate on, settled: which split, and how many of its graphs.

use salsa_traces::suite::{Role, Suite, SuiteError};

/// The first graphs of a split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvaluationSet {
    /// The split.
    pub split: String,
    /// How many graphs.
    pub graphs: u64,
}

/// What a sweep file says of some splits.
#[derive(Debug)]
pub(super) struct Wanted {
    /// Names, `test` for all test sets.
    pub splits: Vec<String>,
    /// How many graphs of each; all of them otherwise.
    pub graphs: Option<u64>,
}

/// What is wanted of a suite; the last word on a split counts, at the place of the first.
pub(super) fn settled(wanted: &[Wanted], suite: &Suite) -> Result<Vec<EvaluationSet>, SuiteError> {
    let mut sets: Vec<EvaluationSet> = Vec::new();
    for Wanted { splits, graphs } in wanted {
        for name in splits {
            let chosen = match name.as_str() {
                "test" => suite.splits.iter().filter(|split| split.role() == Role::Test).collect(),
                name => vec![suite.split(name)?],
            };
            for split in chosen {
                let graphs = graphs.unwrap_or(split.samples).min(split.samples);
                match sets.iter_mut().find(|set| set.split == split.name) {
                    Some(set) => set.graphs = graphs,
                    None => sets.push(EvaluationSet { split: split.name.clone(), graphs }),
                }
            }
        }
    }
    Ok(sets)
}
