//! Parameters as PyTorch lays them out, under the names of the published modules.
//!
//! Names are the same in a checkpoint and in a `state_dict`; shapes differ, because a tape knows
//! matrices alone: a bias is a column there and a vector in PyTorch. So a checkpoint gives a
//! `state_dict`, and one that was trained in PyTorch becomes a checkpoint.

use std::collections::BTreeMap;

use crate::checkpoint::{Checkpoint, Group, Malformation, Progress, Tensor};
use crate::compute::Compute;
use crate::network::{Network, NetworkError};
use crate::run::Run;

/// The shape that PyTorch has for a parameter of a tape. A layer's weight is a matrix even if it
/// has one column; the gain of a norm, also called weight, is a vector.
///
/// ```
/// use salsa_learn::torch::shape;
/// assert_eq!(shape("encoder.encoder.s.lin.weight", (128, 1)), [128, 1]);
/// assert_eq!(shape("processor.norm.weight", (128, 1)), [128]);
/// ```
pub fn shape(name: &str, (rows, columns): (usize, usize)) -> Vec<usize> {
    let (layer, kind) = name.rsplit_once('.').unwrap_or(("", name));
    let layer = layer.rsplit('.').next().unwrap_or(layer);
    let is_matrix = kind.starts_with("weight") && layer != "norm" && !layer.starts_with("bn_");
    if is_matrix { vec![rows, columns] } else { vec![rows * columns] }
}

/// Parameters and running statistics of a checkpoint, by name.
pub fn state_dict(checkpoint: &Checkpoint) -> BTreeMap<String, Tensor> {
    let kept = [Group::Parameter, Group::Buffer].map(|group| checkpoint.tensors(group));
    let laid_out = kept.into_iter().flatten().map(|(name, tensor)| {
        let size = match *tensor.shape() {
            [rows, columns] => (rows, columns),
            _ => (tensor.values().len(), 1),
        };
        (name.to_owned(), Tensor::new(&shape(name, size), tensor.values().to_vec()))
    });
    laid_out.collect()
}

/// A checkpoint of these parameters and statistics, before any step of the run.
pub fn checkpoint(
    run: &Run,
    mut state_dict: BTreeMap<String, Tensor>,
) -> Result<Checkpoint, NetworkError> {
    let run = run.resolved();
    let network = Network::new(&run, Compute::Cpu { n_threads: 1 })?;
    let mut checkpoint = Checkpoint::new(&run, Progress::start(&run));
    // The optimiser's memory is that of a new network.
    network.write(&mut checkpoint);
    for kept in network.tape.parameters() {
        let name = kept.name.as_str();
        let Some(given) = state_dict.remove(name) else {
            return Err(Malformation::MissingTensor { name: name.to_owned() }.into());
        };
        let (rows, columns) = network.tape.shape(kept.tensor);
        let (expected, found) = (shape(name, (rows, columns)), given.shape().to_vec());
        if expected != found {
            return Err(Malformation::WrongShape { name: name.to_owned(), expected, found }.into());
        }
        let group = if kept.learned { Group::Parameter } else { Group::Buffer };
        checkpoint.insert(group, name, Tensor::new(&[rows, columns], given.values().to_vec()));
    }
    match state_dict.pop_first() {
        Some((name, _)) => Err(Malformation::UnexpectedTensor { name }.into()),
        None => Ok(checkpoint),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::processors;

    #[test]
    fn a_state_dict_becomes_the_checkpoint_it_came_from() {
        for processor in processors::names() {
            let mut run = Run { algorithm: "dijkstra".to_owned(), hints: true, ..Run::default() };
            run.model.processor = processor.to_owned();
            run.model.hidden = 4;
            let run = run.resolved();
            let mut expected = Checkpoint::new(&run, Progress::start(&run));
            Network::new(&run, Compute::Cpu { n_threads: 1 }).unwrap().write(&mut expected);
            let state = state_dict(&expected);
            assert_eq!(checkpoint(&run, state.clone()).unwrap(), expected);

            let told = |state| checkpoint(&run, state).unwrap_err().to_string();
            let name = "processor.norm.bias";
            let mut other = state.clone();
            other.remove(name);
            assert_eq!(told(other.clone()), format!("tensor {name:?} is missing"));
            other.insert(name.to_owned(), Tensor::new(&[4, 1], vec![0.0; 4]));
            let shapes = format!("tensor {name:?}: expected shape [4], found [4, 1]");
            assert_eq!(told(other), shapes);
            let mut other = state;
            other.insert("more".to_owned(), Tensor::new(&[1], vec![0.0]));
            assert_eq!(told(other), "tensor \"more\": the model has none of that name");
        }
    }
}
