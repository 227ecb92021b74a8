# Short names for plain commands; nothing here is needed to build or test.

# What CI runs
test:
    ./test

# Adds long property tests, fuzzing, whole-suite overlaps and the scale run
test-full:
    ./test --full

# A network trained on BFS for a minute, beside the paper
demo:
    cargo run --release

# Speed beside the published code and petgraph; the training step; a million nodes
bench:
    cargo run --release -- bench generate
    cargo run --release -- bench execution
    cargo run --release -- bench scale
    cargo run --release -- bench train
    cargo run --release -- bench infer

# Our training step beside PyTorch's on the same batches
compare:
    benchmarks/compare.py

# Accept what the command line prints now as what it should print
snapshots:
    INSTA_UPDATE=always cargo test --package salsa-cli

# Accept the samples as they are now; a new suite version must go with it
hashes:
    SALSA_UPDATE_HASHES=1 cargo test --package salsa-traces --test stability

# The documentation of the crates, in a browser
doc:
    cargo doc --workspace --no-deps --open

# The documentation site, rebuilt as pages change
site:
    target/tools/bin/mkdocs serve
