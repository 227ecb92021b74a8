//! What can be missing or go wrong with a GPU.

use thiserror::Error;

/// Why a GPU cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CudaError {
    /// There is no driver.
    #[error("no NVIDIA driver: libcuda.so is not on the library path; --device cpu needs none")]
    NoDriver,
}
