//! The kernels compile for the architectures that are supported. That needs NVRTC but no GPU;
//! `SALSA_TEST_NVRTC=1` says that NVRTC must be there.

use salsa_engine::cuda::{CudaError, compile};

#[test]
fn kernels_compile_for_all_that_is_supported() {
    for architecture in ["sm_80", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"] {
        match compile(architecture) {
            Ok(code) => assert!(code.starts_with(b"\x7fELF"), "machine code for {architecture}"),
            Err(CudaError::NoCompiler) if std::env::var_os("SALSA_TEST_NVRTC").is_none() => {
                eprintln!("left out: there is no NVRTC here");
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_compiler_that_does_not_know_a_gpu_is_too_old() {
    match compile("sm_999") {
        Err(CudaError::NoCompiler) if std::env::var_os("SALSA_TEST_NVRTC").is_none() => {
            eprintln!("left out: there is no NVRTC here");
        }
        result => {
            let architecture = "sm_999".to_owned();
            assert_eq!(result, Err(CudaError::CompilerTooOld { architecture }));
        }
    }
}
