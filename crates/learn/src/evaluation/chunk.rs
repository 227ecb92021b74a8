//! Graphs that a thread takes at a time.
//!
//! A network sums in another order when it answers on other graphs at the same time. Chunks
//! therefore begin at the same places however much of a set was done before, and what they share
//! with that is found again.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use salsa_traces::sample::Sample;

use super::{
    Answer, EvaluateError, Prediction, Steps, TestSet, Verdict, predict_together, verdict,
};
use crate::network::{Network, NetworkError};

/// Samples of a set, one after the other.
pub(super) struct Chunk {
    /// The place of the set among those given.
    pub(super) set: usize,
    indices: Range<u64>,
}

/// Everything that is to be answered, `at_once` graphs or fewer in a chunk.
pub(super) fn chunks(sets: &[TestSet<'_>], at_once: usize) -> Vec<Chunk> {
    let at_once = at_once as u64;
    let of_set = |(set, given): (usize, &TestSet<'_>)| {
        let Range { start, end } = given.indices();
        let chunk = move |first: u64| Chunk { set, indices: first..end.min(first + at_once) };
        (start - start % at_once..end).step_by(at_once as usize).map(chunk).collect::<Vec<_>>()
    };
    sets.iter()
        .enumerate()
        .filter(|(_, given)| !given.indices().is_empty())
        .flat_map(of_set)
        .collect()
}

/// Entries of graphs that are answered on together. They keep a GPU busy; a network's largest
/// values for them are some hundred megabytes, and the first of thousands of steps are over soon.
const MOST_ENTRIES: usize = 1 << 17;

impl Chunk {
    /// How many graphs.
    pub(super) fn len(&self) -> usize {
        (self.indices.end - self.indices.start) as usize
    }

    /// Tells the answers one by one, up to the first failure.
    pub(super) fn answer(
        &self,
        network: &mut Network,
        set: &TestSet<'_>,
        steps: Steps,
        tell: &mut dyn FnMut(Result<Answer, EvaluateError>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let made = self.indices.clone().map(|index| set.sample(index).map(Cow::into_owned));
        let (mut made, mut first) = (made.peekable(), self.indices.start);
        while let Some(sample) = made.next() {
            let mut together = match sample {
                Ok(sample) => vec![sample],
                Err(error) => return tell(Err(error.into())),
            };
            let mut entries = together[0].graph.n_entries();
            let mut fits = |sample: &Sample| {
                entries += sample.graph.n_entries();
                entries <= MOST_ENTRIES
            };
            while let Some(Ok(sample)) = made.next_if(|next| next.as_ref().is_ok_and(&mut fits)) {
                together.push(sample);
            }
            for answer in self.answers_on(network, set, first, &together, steps) {
                tell(answer)?;
            }
            first += together.len() as u64;
        }
        ControlFlow::Continue(())
    }

    /// The answers on some samples, made together if none of them is in the way.
    fn answers_on(
        &self,
        network: &mut Network,
        set: &TestSet<'_>,
        first: u64,
        samples: &[Sample],
        steps: Steps,
    ) -> Vec<Result<Answer, EvaluateError>> {
        let name = || set.name().to_owned();
        let predictions = match predict_together(network, samples, steps) {
            Ok(predictions) => predictions,
            Err(error) if samples.len() == 1 => {
                return vec![Err(EvaluateError::Batch { set: name(), index: first, error })];
            }
            // One by one, to see which it is.
            Err(_) => {
                let alone = (first..).zip(samples.chunks(1));
                let answers =
                    alone.flat_map(|(index, one)| self.answers_on(network, set, index, one, steps));
                return answers.collect();
            }
        };
        if let Err(error) = network.tape.device().check() {
            return vec![Err(NetworkError::from(error).into())];
        }
        let answer = |((index, sample), prediction): ((u64, &Sample), Prediction)| {
            let Verdict { measured, validity } =
                verdict(sample, set.convention(), &prediction.outputs)
                    .map_err(|error| EvaluateError::Mismatch { set: name(), index, error })?;
            Ok(Answer {
                set: self.set,
                index,
                n_nodes: sample.graph.n_nodes(),
                family: sample.generator.clone(),
                prediction,
                measured,
                validity,
            })
        };
        (first..).zip(samples).zip(predictions).map(answer).collect()
    }
}

#[cfg(test)]
mod tests {
    use salsa_traces::algorithms;
    use salsa_traces::sample::sample;
    use salsa_traces::suite::Suite;

    use super::*;
    use crate::compute::Compute;
    use crate::evaluation::predict;
    use crate::run::Run;

    fn network() -> Network {
        let mut run = Run { algorithm: "bfs".to_owned(), ..Run::default() };
        run.model.processor = "gin".to_owned();
        run.model.hidden = 8;
        Network::new(&run, Compute::Cpu { n_threads: 1 }).unwrap()
    }

    fn told(chunk: &Chunk, set: &TestSet<'_>) -> Vec<Result<Answer, EvaluateError>> {
        let mut told = Vec::new();
        let flow = chunk.answer(&mut network(), set, Steps::Recorded, &mut |answer| {
            told.push(answer);
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        told
    }

    #[test]
    fn chunks_begin_at_the_same_places_whatever_was_done() {
        let suite = Suite::named("paper").unwrap();
        let bfs = algorithms::find("bfs").unwrap();
        let set =
            |first| TestSet::split(&suite, 0, bfs, "er_16", Some(120)).unwrap().skipping(first);
        let ranges = |first| {
            let chunks = chunks(&[set(120), set(first)], 50);
            assert!(chunks.iter().all(|chunk| chunk.set == 1));
            chunks.into_iter().map(|chunk| chunk.indices).collect::<Vec<_>>()
        };
        assert_eq!(ranges(0), [0..50, 50..100, 100..120]);
        assert_eq!(ranges(70), [50..100, 100..120]);
    }

    #[test]
    fn a_chunk_answers_as_its_graphs_alone_until_one_is_missing() {
        let suite = Suite::named("paper").unwrap();
        let bfs = algorithms::find("bfs").unwrap();
        let set = TestSet::split(&suite, 0, bfs, "er_16", Some(1003)).unwrap();
        let told = told(&Chunk { set: 0, indices: 995..1003 }, &set);
        assert_eq!(told.len(), 6);
        for (index, answer) in (995..1000).zip(&told) {
            let answer = answer.as_ref().unwrap();
            assert_eq!(answer.index, index);
            let alone = predict(&mut network(), &set.sample(index).unwrap(), Steps::Recorded);
            assert_eq!(answer.prediction, alone.unwrap());
        }
        assert!(matches!(told[5], Err(EvaluateError::Sample(_))));
    }

    #[test]
    fn one_that_is_in_the_way_is_named() {
        let suite = Suite::named("paper").unwrap();
        let made = |algorithm, index| {
            sample(&suite, 0, algorithms::find(algorithm).unwrap(), "er_16", index).unwrap()
        };
        let samples = vec![made("bfs", 0), made("bfs", 1), made("mis", 2), made("bfs", 3)];
        let set = TestSet::given("mixed", samples, suite.convention);
        let told = told(&Chunk { set: 0, indices: 0..4 }, &set);
        let failed: Vec<_> = told.iter().filter_map(|answer| answer.as_ref().err()).collect();
        assert_eq!((told.len(), failed.len()), (4, 1));
        assert_eq!(failed[0].to_string(), "mixed, sample 2: graph 0 is of mis, expected bfs");
    }
}
