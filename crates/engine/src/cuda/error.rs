//! What can be missing or go wrong with a GPU.

use cudarc::driver::result::DriverError;
use cudarc::driver::sys::CUresult;
use thiserror::Error;

/// Why a GPU cannot be used, or can no longer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CudaError {
    /// There is no driver.
    #[error("no NVIDIA driver: libcuda.so is not on the library path; --device cpu needs none")]
    NoDriver,
    /// There are fewer GPUs.
    #[error("there is no GPU {ordinal}: the driver sees {count}")]
    NoSuchGpu {
        /// Which was asked for.
        ordinal: usize,
        /// How many there are.
        count: usize,
    },
    /// The GPU is too old.
    #[error("{name} has compute capability {major}.{minor}; at least 8.0 (Ampere) is needed")]
    TooOld {
        /// Of the GPU.
        name: String,
        /// Of its compute capability.
        major: i32,
        /// The same.
        minor: i32,
    },
    /// There is no compiler for kernels.
    #[error(
        "libnvrtc.so is not on the library path: install the CUDA toolkit, or \
         pip install nvidia-cuda-nvrtc and add the folder of libnvrtc.so to LD_LIBRARY_PATH"
    )]
    NoCompiler,
    /// The compiler for kernels does not know the GPU.
    #[error(
        "libnvrtc.so is too old for this GPU ({architecture}): install a newer CUDA toolkit, or \
         pip install --upgrade nvidia-cuda-nvrtc and put the folder of libnvrtc.so first in \
         LD_LIBRARY_PATH"
    )]
    CompilerTooOld {
        /// What the kernels were to be compiled for.
        architecture: String,
    },
    /// There is no library for large products.
    #[error("libcublasLt.so is not on the library path; --precision f32 does without it")]
    NoLibrary,
    /// The kernels do not compile.
    #[error("the kernels do not compile for {architecture}:\n{log}")]
    Compile {
        /// What they were compiled for.
        architecture: String,
        /// What the compiler says.
        log: String,
    },
    /// There is not enough memory.
    #[error(
        "the GPU is out of memory: {} more were needed, {} are in use here and {} of {} are free",
        mebibytes(*needed), mebibytes(*held), mebibytes(*free), mebibytes(*total)
    )]
    OutOfMemory {
        /// Bytes of the request that failed.
        needed: u64,
        /// Bytes that this device holds.
        held: u64,
        /// Bytes that were free.
        free: u64,
        /// Bytes of the GPU.
        total: u64,
    },
    /// A tensor has more values than the kernels can number.
    #[error(
        "a tensor of {values} values is too large for the GPU's kernels, which number them with \
         32 bits; --device cpu does not"
    )]
    TooLarge {
        /// How many it would have.
        values: u64,
    },
    /// The driver reports an error; nothing that was computed since the last success is certain.
    #[error("the GPU failed: {0}")]
    Failed(String),
}

impl From<DriverError> for CudaError {
    fn from(DriverError(code): DriverError) -> Self {
        let text = match DriverError(code).error_string() {
            Ok(text) => text.to_string_lossy().into_owned(),
            Err(_) => "unknown".to_owned(),
        };
        Self::Failed(format!("{text} ({code:?})"))
    }
}

/// Whether a request failed for lack of memory only.
pub(super) fn is_out_of_memory(error: &DriverError) -> bool {
    error.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}
