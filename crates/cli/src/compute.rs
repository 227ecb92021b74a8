//! Where networks compute: as it is asked for, and as it is told.

use std::str::FromStr;

use clap::Args;
use salsa_engine::cuda::{CudaOptions, Precision};
use salsa_learn::compute::{Compute, Computed, PRECISIONS};

use crate::arguments::ThreadsArgument;
use crate::failure::Failure;

/// Where networks compute.
#[derive(Debug, Args)]
pub struct ComputeArguments {
    /// Where to compute: cpu, cuda or cuda:N (the NVIDIA GPU of this number, from 0)
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: DeviceName,

    /// How a GPU computes products of matrices: f32, tf32 or bf16 (rounded, faster)
    #[arg(long, value_name = "NAME", default_value = "f32", value_parser = precision)]
    precision: Precision,

    #[command(flatten)]
    threads: ThreadsArgument,
}

/// What `--device` can be.
#[derive(Debug, Clone, Copy)]
enum DeviceName {
    Cpu,
    Cuda(usize),
}

impl FromStr for DeviceName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_prefix("cuda:").map(str::parse);
        match (text, number) {
            ("cpu", _) => Ok(Self::Cpu),
            ("cuda", _) => Ok(Self::Cuda(0)),
            (_, Some(Ok(ordinal))) => Ok(Self::Cuda(ordinal)),
            _ => Err(format!("expected cpu, cuda or cuda:N, found {text:?}")),
        }
    }
}

fn precision(text: &str) -> Result<Precision, String> {
    let found = PRECISIONS.iter().find(|(name, _)| *name == text);
    let found = found.map(|(_, precision)| *precision);
    found.ok_or_else(|| format!("expected f32, tf32 or bf16, found {text:?}"))
}

impl ComputeArguments {
    /// What they say.
    pub fn compute(&self) -> Result<Compute, Failure> {
        let n_threads = self.threads.count()?;
        match self.device {
            DeviceName::Cpu if self.precision != Precision::Single => Err(Failure::mistake(
                "--precision: the CPU computes in f32; others need --device cuda",
            )),
            DeviceName::Cpu => Ok(Compute::Cpu { n_threads }),
            DeviceName::Cuda(_) if self.threads.is_given() => {
                Err(Failure::mistake("--threads: only for --device cpu"))
            }
            DeviceName::Cuda(ordinal) => {
                Ok(Compute::Cuda(CudaOptions { ordinal, sharing: 1, precision: self.precision }))
            }
        }
    }

    /// The words that give the same to another process.
    pub fn words(&self) -> Result<[String; 4], Failure> {
        Ok(match self.compute()? {
            Compute::Cpu { n_threads } => {
                ["--device".into(), "cpu".into(), "--threads".into(), n_threads.to_string()]
            }
            Compute::Cuda(CudaOptions { ordinal, precision, .. }) => {
                let named = PRECISIONS.iter().find(|(_, known)| *known == precision);
                let name = named.map_or("f32", |(name, _)| name);
                ["--device".into(), format!("cuda:{ordinal}"), "--precision".into(), name.into()]
            }
        })
    }
}

/// `, on NVIDIA H200 (tf32)`; the CPU goes without saying.
pub fn on_device(computed: &Computed) -> String {
    match computed.name() {
        cpu if cpu == "cpu" => String::new(),
        other => format!(", on {other}"),
    }
}
