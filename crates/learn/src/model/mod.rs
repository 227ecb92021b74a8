//! Encode-process-decode networks.
//!
//! The inputs of a batch are encoded once; a processor then moves hidden states along, one step
//! for each step of the algorithm; decoders read hints and outputs off the states. Hints are never
//! fed back, so they are decoded only where their loss is wanted.

mod decoder;
mod encoder;
pub mod input;
pub mod layers;
pub mod processors;
mod rollout;

use rand_chacha::ChaCha8Rng;
use salsa_engine::device::Reduction;
use salsa_engine::tape::{Tape, Tensor};
use salsa_traces::convention::Convention;
use salsa_traces::spec::{Field, Kind, Location, Spec};
use thiserror::Error;

use decoder::{Decoded, Decoder};
pub use encoder::{Encoder, Encoding};
use input::Sizes;
use layers::Builder;
use processors::Processor;
pub use rollout::{Forward, Rollout};

/// The shape of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelOptions {
    /// Width of hidden states.
    pub hidden: usize,
    /// How encodings are combined and which second state processors see.
    pub convention: Convention,
    /// How messages are reduced.
    pub reduction: Reduction,
    /// Steps of the processor for each step of the algorithm.
    pub steps_per_hint: usize,
    /// Whether there are decoders for hints.
    pub hints: bool,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            hidden: 128,
            convention: Convention::Paper,
            reduction: Reduction::Max,
            steps_per_hint: 1,
            hints: false,
        }
    }
}

/// A network for one algorithm; its parameters lie on the tape it was made on.
pub struct Model {
    /// What it reads and gives.
    pub spec: Spec,
    /// Its shape.
    pub options: ModelOptions,
    encoder: Encoder,
    processor: Box<dyn Processor>,
    decoders: Vec<Decoder>,
}

/// A feature that cannot be decoded.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("no decoder for {name}: {location:?} {kind:?}")]
pub struct Undecodable {
    name: String,
    location: Location,
    kind: Kind,
}

impl Model {
    /// Puts a new network's parameters on a tape.
    pub fn new(
        tape: &mut Tape,
        spec: &Spec,
        options: ModelOptions,
        processor: impl FnOnce(&mut Builder<'_>, Sizes) -> Box<dyn Processor>,
        rng: &mut ChaCha8Rng,
    ) -> Result<Self, Undecodable> {
        let mut builder = Builder::new(tape, rng);
        let ModelOptions { hidden, convention, .. } = options;
        let encoder = Encoder::new(&mut builder, spec, convention, hidden);
        let sizes = Sizes {
            hidden,
            input: 3 * hidden + usize::from(spec.needs_randomness()),
            weighted: spec.needs_weights(),
        };
        let processor = processor(&mut builder, sizes);
        let mut decoders: Vec<Decoder> = Vec::new();
        let hints = spec.hints().filter(|_| options.hints);
        for field in spec.outputs().chain(hints) {
            if decoders.iter().any(|decoder| decoder.base_name == field.base_name()) {
                continue;
            }
            let decoder = Decoder::new(&mut builder, field, hidden);
            decoders.push(decoder.ok_or_else(|| Undecodable {
                name: field.name.to_string(),
                location: field.location,
                kind: field.kind,
            })?);
        }
        Ok(Self { spec: spec.clone(), options, encoder, processor, decoders })
    }

    fn decoder(&self, field: &Field) -> &Decoder {
        let found = self.decoders.iter().find(|decoder| decoder.base_name == field.base_name());
        found.unwrap_or_else(|| panic!("the model was built without a decoder for {}", field.name))
    }

    /// Decodes all outputs of the spec, in its order.
    fn decode_outputs(&self, tape: &mut Tape, z: &Decoded) -> Vec<Tensor> {
        let decode = |field| tape.scope(|tape| self.decoder(field).decode(tape, z));
        self.spec.outputs().map(decode).collect()
    }

    /// Decodes all hints of the spec, in its order.
    fn decode_hints(&self, tape: &mut Tape, z: &Decoded) -> Vec<Tensor> {
        self.spec.hints().map(|field| self.decoder(field).decode(tape, z)).collect()
    }
}
