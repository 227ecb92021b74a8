//! What every reader of a file of samples is put to.

use salsa_traces::sample::Sample;

/// Reads bytes as they are and, as checksums keep chance changes away from what is behind them,
/// also with checksums that are right.
pub fn also_sealed(bytes: &[u8], reseal: fn(&mut [u8]) -> Option<()>, read: fn(Vec<u8>)) {
    read(bytes.to_vec());
    let mut sealed = bytes.to_vec();
    if reseal(&mut sealed).is_some() {
        read(sealed);
    }
}

/// Uses samples, with and without hints; there may be more than there is time for.
pub fn used<E>(indices: impl Iterator<Item = u64>, sample: impl Fn(u64, bool) -> Result<Sample, E>) {
    for index in indices.take(20) {
        for hints in [false, true] {
            let Ok(sample) = sample(index, hints) else { continue };
            sample.content_hash();
            for (_, hint) in sample.trajectory.recorded_hints() {
                let _ = hint.at(hint.n_steps() - 1);
            }
        }
    }
}
