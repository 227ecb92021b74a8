//! Who holds a claim, in words that others can check.

use serde::{Deserialize, Serialize};

/// A process that works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The machine's name.
    pub host: String,
    /// What tells this start of the machine from others; empty where it is not known.
    pub boot: String,
    /// The process.
    pub process: u32,
    /// Its Slurm job, as squeue writes it: `17_3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
}

impl Holder {
    /// This process.
    pub fn this() -> Self {
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        Self {
            host: gethostname::gethostname().to_string_lossy().into_owned(),
            boot: boot.trim().to_owned(),
            process: std::process::id(),
            job: slurm_job(|name| std::env::var(name).ok()),
        }
    }

    /// Whether both run on the same machine, as far as locks are concerned.
    pub fn is_beside(&self, other: &Self) -> bool {
        !self.boot.is_empty() && (&self.host, &self.boot) == (&other.host, &other.boot)
    }
}

fn slurm_job(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    match (variable("SLURM_ARRAY_JOB_ID"), variable("SLURM_ARRAY_TASK_ID")) {
        (Some(job), Some(task)) => Some(format!("{job}_{task}")),
        _ => variable("SLURM_JOB_ID"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_named_as_slurm_does() {
        let job = |given: &[(&str, &str)]| {
            slurm_job(|name| {
                given.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(job(&[]), None);
        assert_eq!(job(&[("SLURM_JOB_ID", "9")]), Some("9".to_owned()));
        let array =
            [("SLURM_JOB_ID", "9"), ("SLURM_ARRAY_JOB_ID", "7"), ("SLURM_ARRAY_TASK_ID", "2")];
        assert_eq!(job(&array), Some("7_2".to_owned()));
    }

    #[test]
    fn another_start_of_a_machine_is_another_place() {
        let this = Holder::this();
        let rebooted = Holder { boot: "other".to_owned(), ..this.clone() };
        assert!(!this.is_beside(&rebooted));
        let unknown = Holder { boot: String::new(), ..this };
        assert!(!unknown.is_beside(&unknown));
    }
}
