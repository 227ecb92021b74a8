//! Kernels: compiled by NVRTC for the GPU at hand, and kept on disk for the next start.

use std::collections::hash_map::DefaultHasher;
use std::ffi::CString;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;

use cudarc::nvrtc::{result, sys};

use super::error::CudaError;

/// All kernels, as one text.
pub(super) const SOURCE: &str = concat!(
    include_str!("kernels/prelude.cu"),
    include_str!("kernels/instructions.cu"),
    include_str!("kernels/turns.cu"),
    include_str!("kernels/product.cu"),
    include_str!("kernels/layers.cu"),
    include_str!("kernels/rows.cu"),
    include_str!("kernels/deferred.cu"),
    include_str!("kernels/graphs.cu"),
    include_str!("kernels/columns.cu"),
    include_str!("kernels/values.cu"),
    include_str!("kernels/updates.cu"),
    include_str!("kernels/program.cu"),
    include_str!("kernels/light.cu"),
    include_str!("kernels/split.cu"),
    include_str!("kernels/network.cu"),
);

/// Shared memory that a block is given at its launch, for slices of a product's operands and its sums
/// (`product.cu`). Every GPU that the kernels are compiled for has more.
pub(super) const SHARED_BYTES: u32 = 4 * 24064;
// With compute capability 8.9 a block can have 99 KiB, with the two that it declares itself.
const _: () = assert!(SHARED_BYTES <= 97 * 1024);

/// Machine code for an architecture such as `sm_90` that was compiled before.
pub(super) fn kept(architecture: &str) -> Option<Vec<u8>> {
    std::fs::read(cache_file(architecture)?).ok()
}

/// Machine code that is compiled now, and kept for the next start.
pub(super) fn compiled(architecture: &str) -> Result<Vec<u8>, CudaError> {
    let code = compile(architecture)?;
    if let Some(file) = cache_file(architecture) {
        keep(&file, &code);
    }
    Ok(code)
}

/// Compiles without looking on disk; needs NVRTC but no GPU.
pub fn compile(architecture: &str) -> Result<Vec<u8>, CudaError> {
    // SAFETY: looks for a library and loads it.
    if !unsafe { sys::is_culib_present() } {
        return Err(CudaError::NoCompiler);
    }
    let failed = |log: String| CudaError::Compile { architecture: architecture.to_owned(), log };
    let unexpected = |error: result::NvrtcError| failed(format!("{error:?}"));
    let source = CString::new(SOURCE).map_err(|error| failed(error.to_string()))?;
    let program = result::create_program(&source, None).map_err(unexpected)?;
    let options = [
        format!("--gpu-architecture={architecture}"),
        "--std=c++17".to_owned(),
        // Generic lambdas would be the host's for older compilers.
        "--device-as-default-execution-space".to_owned(),
    ];
    // SAFETY: the program was created above and is destroyed below, once.
    unsafe {
        let compiled = result::compile_program(program, &options);
        let code = match compiled {
            Ok(()) => machine_code(program).map_err(unexpected),
            // Older ones do not know newer architectures, or some other option.
            Err(result::NvrtcError(sys::nvrtcResult::NVRTC_ERROR_INVALID_OPTION)) => {
                Err(CudaError::CompilerTooOld { architecture: architecture.to_owned() })
            }
            Err(_) => {
                let log = result::get_program_log(program).unwrap_or_default();
                let log: Vec<u8> = log.into_iter().map(|c| c as u8).collect();
                Err(failed(String::from_utf8_lossy(&log).trim_matches(['\0', '\n']).to_owned()))
            }
        };
        result::destroy_program(program).map_err(unexpected)?;
        code
    }
}

/// # Safety
/// The program must have been compiled for a real architecture.
unsafe fn machine_code(program: sys::nvrtcProgram) -> Result<Vec<u8>, result::NvrtcError> {
    let mut size = 0;
    // SAFETY: as the caller promises; the buffer has the size that was asked for.
    unsafe {
        sys::nvrtcGetCUBINSize(program, &raw mut size).result()?;
        let mut code = vec![0u8; size];
        sys::nvrtcGetCUBIN(program, code.as_mut_ptr().cast()).result()?;
        Ok(code)
    }
}

fn cache_file(architecture: &str) -> Option<PathBuf> {
    let folder = match std::env::var_os("XDG_CACHE_HOME") {
        Some(folder) if !folder.is_empty() => PathBuf::from(folder),
        _ => PathBuf::from(std::env::var_os("HOME")?).join(".cache"),
    };
    let mut hasher = DefaultHasher::new();
    (SOURCE, architecture).hash(&mut hasher);
    Some(folder.join("salsa").join(format!("kernels-{architecture}-{:016x}", hasher.finish())))
}

/// Writes beside the place and renames, so that nobody reads half a file. That it cannot be kept
/// costs seconds at the next start and nothing else.
fn keep(file: &std::path::Path, code: &[u8]) {
    let Some(folder) = file.parent() else { return };
    let partial = file.with_extension(format!("{}", std::process::id()));
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&partial, code))
        .and_then(|()| std::fs::rename(&partial, file));
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
}
