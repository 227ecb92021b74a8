//! NVIDIA GPUs: single precision by default, deterministic, one launch for hundreds of operators.

mod error;

pub use error::CudaError;

use crate::device::Device;

/// How a GPU is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CudaOptions {
    /// Which GPU, from 0.
    pub ordinal: usize,
    /// How many devices of one process share it at the same time.
    pub sharing: usize,
    /// How products are computed.
    pub precision: Precision,
}

impl Default for CudaOptions {
    fn default() -> Self {
        Self { ordinal: 0, sharing: 1, precision: Precision::Single }
    }
}

/// How the products of matrices are computed; everything else is in single precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// In single precision.
    #[default]
    Single,
    /// Operands rounded to 11 bits.
    Tf32,
    /// Operands rounded to 8 bits.
    Bf16,
}

/// Makes a GPU ready.
pub fn open(_options: CudaOptions) -> Result<Box<dyn Device>, CudaError> {
    Err(CudaError::NoDriver)
}
