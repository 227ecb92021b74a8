//! The world outside, as far as pages call for it: programs that do for a test what they would for
//! a reader. What they start is real; a cluster, an installation and a browser have tests of their
//! own.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::cluster_examples::RAY;
use crate::salsa::repository;

const PROGRAMS: &[(&str, &str)] = &[
    // Whoever serves is stopped when it has said where.
    (
        "salsa",
        "[ \"$1\" = serve ] || exec '{salsa}' \"$@\"
         '{salsa}' \"$@\" --bind 127.0.0.1:0 > served &
         until grep -q http:// served; do kill -0 $! || exit 1; sleep 0.05; done
         kill $!; wait $! || true",
    ),
    // A queue that takes every job and forgets it.
    ("sbatch", "[ \"$1\" = --parsable ] && sh -n \"$3\" && echo >> jobs && wc -l < jobs"),
    ("squeue", "exit 0"),
    ("sacct", "exit 1"),
    ("ssh", "shift; exec sh -c \"$*\""),
    ("kubectl", "[ \"$1 $2\" = 'apply -f' ] && test -s \"$3\""),
    ("xdg-open", "test -s \"$1\""),
    ("python", "exec python3 \"$@\""),
    (
        "pip",
        "[ \"$1 $#\" = 'install 2' ] || exit 2
         case $2 in
         .) ;;
         .\\[*\\]) extra=${2#.[}; grep -q \"^${extra%]} = \\[\" '{repository}/pyproject.toml' ;;
         *) exit 2 ;;
         esac",
    ),
    ("cargo", "[ \"$1 $2 $#\" = 'install --path 3' ] && test -s '{repository}'/\"$3\"/src/main.rs"),
];

/// Puts the programs into a folder, and what Python would import.
pub fn lay_out(at: &Path) {
    std::fs::create_dir(at).unwrap();
    let root = repository("").display().to_string();
    for (name, text) in PROGRAMS {
        let text = text.replace("{salsa}", env!("CARGO_BIN_EXE_salsa"));
        let text = format!("#!/bin/sh\n{}\n", text.replace("{repository}", &root));
        std::fs::write(at.join(name), text).unwrap();
        std::fs::set_permissions(at.join(name), PermissionsExt::from_mode(0o755)).unwrap();
    }
    std::fs::write(at.join("ray.py"), RAY).unwrap();
}
