//! Refuses a free-threaded Python before anything is compiled for it.

use pyo3_build_config::BuildFlag;

fn main() {
    let python = pyo3_build_config::get();
    if python.is_free_threaded() || python.build_flags().0.contains(&BuildFlag::Py_GIL_DISABLED) {
        println!(
            "cargo::error=salsa_clrs does not run on a free-threaded Python: install it with the \
             ordinary one of the same version (python3.14 instead of python3.14t)"
        );
    }
}
