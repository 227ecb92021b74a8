//! The end of a cell: its checkpoint gets its place, and its record is published.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use salsa_learn::training::Folder;
use salsa_records::{CheckpointFile, Circumstances, Data, Record, SCHEMA, store};
use serde_json::{Map, Value};

use super::evaluating::Evaluated;
use super::training::Trained;
use super::{Work, WorkError};
use crate::claim::Holder;
use crate::folder::SweepFolder;
use salsa_traces::files::write_whole;

impl Work<'_> {
    /// Publishes the record, unless there is one, and removes what is not needed any more.
    pub(super) fn finish(
        &self,
        place: &Path,
        trained: Trained,
        evaluated: Evaluated,
    ) -> Result<(), WorkError> {
        let checkpoint = self.kept_checkpoint(place)?;
        let run = self.cell.run();
        let plan = self.folder.plan();
        let suite = plan.suite(self.cell);
        let finished = SystemTime::now().duration_since(UNIX_EPOCH);
        let record = Record {
            schema: SCHEMA,
            sweep: plan.name().to_owned(),
            cell: self.cell.name().to_owned(),
            fingerprint: self.cell.fingerprint().to_owned(),
            algorithm: run.algorithm.clone(),
            model: run.model.processor.clone(),
            hints: run.hints,
            convention: run.convention,
            seed: run.seed,
            code_version: env!("CARGO_PKG_VERSION").to_owned(),
            run: self.settings()?,
            training: Some(trained.training),
            checkpoint: Some(checkpoint),
            data: Some(Data::Suite {
                name: suite.name.clone(),
                version: suite.version,
                convention: suite.convention,
                seed: run.data_seed.unwrap_or(suite.seed),
            }),
            steps: plan.steps().to_string(),
            evaluation: evaluated.sets,
            circumstances: Circumstances {
                epoch_seconds: trained.epoch_seconds,
                evaluation_seconds: evaluated.seconds,
                host: Holder::this().host,
                threads: self.compute.n_threads() as u64,
                attempts: self.claim.claim().number(),
                finished: finished.map_or(0.0, |since| since.as_secs_f64()),
            },
        };
        store::publish(&self.folder.records(), &record)?;
        // Whatever is left is not read again.
        let _ = std::fs::remove_dir_all(self.all_work());
        Ok(())
    }

    /// The best checkpoint where others find it. Whoever wrote it before wrote the same bytes.
    fn kept_checkpoint(&self, place: &Path) -> Result<CheckpointFile, WorkError> {
        let best = Folder::new(place).best();
        let bytes = std::fs::read(&best).map_err(|error| WorkError::file(&best, &error))?;
        let name = SweepFolder::checkpoint_name(self.cell);
        let path = self.folder.path().join(&name);
        write_whole(&path, &bytes).map_err(|error| WorkError::file(&path, &error))?;
        let blake3 = blake3::hash(&bytes).to_hex().to_string();
        Ok(CheckpointFile { path: name, blake3, bytes: bytes.len() as u64 })
    }

    fn settings(&self) -> Result<Map<String, Value>, WorkError> {
        match serde_json::to_value(self.cell.run()) {
            Ok(Value::Object(settings)) => Ok(settings),
            Ok(other) => Err(WorkError::System(format!("a run became {other}"))),
            Err(error) => Err(WorkError::System(error.to_string())),
        }
    }
}
