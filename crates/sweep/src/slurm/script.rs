//! The job script: one worker, which is told in time to save, and begins again if work is left.

use std::fmt::Write;
use std::path::Path;

/// What each worker is.
#[derive(Debug, Clone, Default)]
pub struct Job {
    /// The time limit, in Slurm's words.
    pub time: Option<String>,
    /// CPUs of a worker.
    pub cpus: Option<u32>,
    /// Other options of `sbatch`, each a whole: `--partition=gpu`.
    pub options: Vec<String>,
    /// Words for `salsa sweep worker` after the folder.
    pub words: Vec<String>,
}

/// How long before the time limit Slurm asks a worker to save.
const SECONDS_TO_SAVE: u32 = 60;

impl Job {
    /// The script for a sweep in `folder`, run by `salsa`; both are absolute.
    pub fn script(&self, name: &str, salsa: &Path, folder: &Path) -> String {
        let mut text = format!("#!/bin/sh\n#SBATCH --job-name={}\n", job_name(name));
        let log = folder.join("slurm/%A_%a.log");
        let _ = writeln!(text, "#SBATCH --output=\"{}\"", log.display());
        text.push_str("#SBATCH --open-mode=append\n#SBATCH --requeue\n");
        let _ = writeln!(text, "#SBATCH --signal=B:TERM@{SECONDS_TO_SAVE}");
        if let Some(time) = &self.time {
            let _ = writeln!(text, "#SBATCH --time={time}");
        }
        if let Some(cpus) = self.cpus {
            let _ = writeln!(text, "#SBATCH --cpus-per-task={cpus}");
        }
        for option in &self.options {
            let _ = writeln!(text, "#SBATCH {option}");
        }
        let words: String = self.words.iter().map(|word| format!(" {}", quoted(word))).collect();
        let (salsa, folder) = (quoted_path(salsa), quoted_path(folder));
        let _ = write!(
            text,
            r#"
# Slurm sends TERM before the time limit and on preemption: the worker saves and stops.
trap 'kill -TERM "$worker" 2>/dev/null' TERM
{salsa} sweep worker {folder}{words} &
worker=$!
while wait "$worker"; code=$?; kill -0 "$worker" 2>/dev/null; do :; done

# 75: stopped with work left to do. A job that was cancelled is not running any more and stays so.
if [ "$code" = 75 ] && [ "$(squeue --noheader --jobs="$SLURM_JOB_ID" --format=%T)" = RUNNING ]; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
"#
        );
        text
    }
}

/// What the jobs of a sweep are called.
pub(super) fn job_name(sweep: &str) -> String {
    format!("salsa-{sweep}")
}

fn quoted_path(path: &Path) -> String {
    quoted(&path.display().to_string())
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_in_full() {
        let job = Job {
            time: Some("4:00:00".to_owned()),
            cpus: Some(8),
            options: vec!["--partition=gpu".to_owned()],
            words: vec!["--device".to_owned(), "cuda".to_owned()],
        };
        let text = job.script("mine", Path::new("/opt/it's/salsa"), Path::new("/shared/mine"));
        let expected = r#"#!/bin/sh
#SBATCH --job-name=salsa-mine
#SBATCH --output="/shared/mine/slurm/%A_%a.log"
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
#SBATCH --time=4:00:00
#SBATCH --cpus-per-task=8
#SBATCH --partition=gpu

# Slurm sends TERM before the time limit and on preemption: the worker saves and stops.
trap 'kill -TERM "$worker" 2>/dev/null' TERM
'/opt/it'\''s/salsa' sweep worker '/shared/mine' '--device' 'cuda' &
"#;
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn a_shell_understands_it() {
        let text = Job::default().script("mine", Path::new("/bin/salsa"), Path::new("/a b/mine"));
        let checked = std::process::Command::new("sh").args(["-n", "-c", &text]).status();
        assert!(checked.unwrap().success());
    }
}
