//! Training from Python.
//!
//! What a training tells is in the log of its folder, so Python reads it there, whoever trained.

use std::path::PathBuf;

use pyo3::prelude::*;
use salsa_learn::compute::Compute;
use salsa_learn::model::processors;
use salsa_learn::run::Run;
use salsa_learn::training::log::{EpochSummary, json_lines};
use salsa_learn::training::{Changes, Folder, Observer, Plan};

use crate::calling::{Raised, call, raised};
use crate::computing::{Computing, Watch};
use crate::trained::run_with;

/// Trains a new run: settings by name, with values in TOML, over those of a file or the paper's.
/// `on_epoch` gets each epoch's record as JSON; what it returns as true stops the training.
/// Gives the folder.
#[pyfunction]
pub fn train(
    py: Python<'_>,
    file: Option<PathBuf>,
    settings: Vec<(String, String)>,
    out: Option<PathBuf>,
    computing: Computing,
    on_epoch: Option<Py<PyAny>>,
) -> PyResult<PathBuf> {
    let run = match file {
        Some(file) => Run::load(&file, &processors::names()).map_err(raised)?,
        None => Run::default(),
    };
    let run = run_with(run, settings)?;
    let path = out.unwrap_or_else(|| Folder::default_of(&run).path().to_owned());
    trained(py, Plan::new(&run, path).map_err(raised)?, computing.compute()?, on_epoch)
}

/// Goes on with the run of a folder.
#[pyfunction]
pub fn resume(
    py: Python<'_>,
    folder: PathBuf,
    epochs: Option<u64>,
    batch: Option<u64>,
    computing: Computing,
    on_epoch: Option<Py<PyAny>>,
) -> PyResult<PathBuf> {
    let plan = Plan::resume(&folder, Changes { epochs, batch }).map_err(raised)?;
    trained(py, plan, computing.compute()?, on_epoch)
}

/// The records in the log of a training's folder, as JSON.
#[pyfunction]
pub fn log(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    call(py, || {
        let records = json_lines::read(&Folder::new(folder).log()).map_err(Raised::from)?;
        serde_json::to_string(&records).map_err(Raised::from)
    })
}

fn trained(
    py: Python<'_>,
    plan: Plan,
    compute: Compute,
    on_epoch: Option<Py<PyAny>>,
) -> PyResult<PathBuf> {
    let folder = plan.folder();
    call(py, || {
        let mut observer = Watched { watch: Watch::new(), on_epoch, enough: false };
        let mut trainer = plan.trainer(compute).map_err(Raised::from)?;
        trainer.train(&folder, &mut observer).map_err(Raised::from)?;
        observer.watch.finish().map_err(Raised::from)
    })?;
    Ok(folder.path().to_owned())
}

struct Watched {
    watch: Watch,
    on_epoch: Option<Py<PyAny>>,
    enough: bool,
}

impl Observer for Watched {
    fn epoch(&mut self, summary: &EpochSummary, improved: bool) {
        let Some(on_epoch) = &self.on_epoch else { return };
        let told = Python::attach(|py| {
            let record = serde_json::to_string(summary).map_err(raised)?;
            on_epoch.call1(py, (record, improved))?.is_truthy(py)
        });
        self.enough |= self.watch.keep(told).unwrap_or(false);
    }

    fn stops(&self) -> bool {
        self.enough || self.watch.stops()
    }
}
