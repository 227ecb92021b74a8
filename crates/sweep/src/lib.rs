//! Sweeps: many trainings and their evaluations, each done once and recorded once.
//!
//! A [`plan`] says what is to be done: cells, each one training and its evaluation. A [`folder`]
//! holds everything a sweep has and needs, so it can be moved. Workers [`claim`] cells in it, do
//! the [`work`], and publish a record; a [`crew`] is as many workers as a machine holds. [`state`]
//! says how far a sweep has come, and [`slurm`] brings workers to a cluster.
//!
//! Nothing is coordinated but by files: there is no server, and any number of machines that share
//! the folder may work on it.

pub mod plan;

pub mod folder;

pub mod claim;

pub mod work;

pub mod crew;

pub mod state;

pub mod slurm;
