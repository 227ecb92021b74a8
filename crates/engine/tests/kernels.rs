//! The kernels compile for the architectures that are supported. That needs NVRTC but no GPU;
//! `SALSA_TEST_NVRTC=1` says that NVRTC must be there.

use salsa_engine::cuda::{CudaError, compile};

#[test]
fn kernels_compile_for_all_that_is_supported() {
    for architecture in ["sm_80", "sm_89", "sm_90", "sm_90a"] {
        match compile(architecture) {
            Ok(code) => assert!(code.starts_with(b"\x7fELF"), "machine code for {architecture}"),
            Err(CudaError::NoCompiler) if std::env::var_os("SALSA_TEST_NVRTC").is_none() => {
                eprintln!("left out: there is no NVRTC here");
            }
            Err(error) => panic!("{error}"),
        }
    }
}
