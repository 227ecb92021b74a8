//! Slurm.
