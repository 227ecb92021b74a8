//! Where networks compute: as it is asked for, and as it is told.

use clap::Args;
use salsa_engine::cuda::{CudaOptions, Precision};
use salsa_learn::compute::{Compute, Computed, DeviceName, PRECISIONS, precision};

use crate::arguments::ThreadsArgument;
use crate::failure::Failure;

/// Where networks compute.
#[derive(Debug, Args)]
pub struct ComputeArguments {
    /// Where to compute: cpu, cuda or cuda:N (the NVIDIA GPU of this number, from 0)
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: DeviceName,

    #[command(flatten)]
    how: HowArguments,
}

/// Where networks compute, one place after another.
#[derive(Debug, Args)]
pub struct ComputeListArguments {
    /// Where to compute, separated by commas: cpu, cuda or cuda:N (the NVIDIA GPU of this number,
    /// from 0)
    #[arg(long, value_name = "DEVICES", value_delimiter = ',', default_value = "cpu")]
    device: Vec<DeviceName>,

    #[command(flatten)]
    how: HowArguments,
}

/// What can be chosen on some devices only.
#[derive(Debug, Args)]
struct HowArguments {
    /// How a GPU computes products of matrices: f32, tf32 or bf16 (rounded, in layers of 4096 rows
    /// and more)
    #[arg(long, value_name = "NAME", default_value = "f32", value_parser = precision)]
    precision: Precision,

    #[command(flatten)]
    threads: ThreadsArgument,
}

impl ComputeArguments {
    /// What they say.
    pub fn compute(&self) -> Result<Compute, Failure> {
        self.how.check(&[self.device])?;
        self.how.on(self.device)
    }

    /// The words that give the same to another process.
    pub fn words(&self) -> Result<[String; 4], Failure> {
        Ok(words(self.compute()?))
    }
}

impl ComputeListArguments {
    /// What they say, in their order.
    pub fn each(&self) -> Result<Vec<Compute>, Failure> {
        self.how.check(&self.device)?;
        self.device.iter().map(|&device| self.how.on(device)).collect()
    }
}

impl HowArguments {
    /// Whether each choice concerns one of the devices.
    fn check(&self, devices: &[DeviceName]) -> Result<(), Failure> {
        let is_cpu = |device: &DeviceName| matches!(device, DeviceName::Cpu);
        if self.precision != Precision::Single && devices.iter().all(is_cpu) {
            let told = "--precision: the CPU computes in f32; others need --device cuda";
            return Err(Failure::mistake(told));
        }
        if self.threads.is_given() && !devices.iter().any(is_cpu) {
            return Err(Failure::mistake("--threads: only for --device cpu"));
        }
        Ok(())
    }

    /// What concerns this device.
    fn on(&self, device: DeviceName) -> Result<Compute, Failure> {
        let precision = self.precision;
        Ok(match device {
            DeviceName::Cpu => Compute::Cpu { n_threads: self.threads.count()? },
            DeviceName::Cuda(ordinal) => {
                Compute::Cuda(CudaOptions { ordinal, precision, ..CudaOptions::default() })
            }
        })
    }
}

/// The words that give this to another process.
pub fn words(compute: Compute) -> [String; 4] {
    match compute {
        Compute::Cpu { n_threads } => {
            ["--device".into(), "cpu".into(), "--threads".into(), n_threads.to_string()]
        }
        Compute::Cuda(CudaOptions { ordinal, precision, .. }) => {
            let named = PRECISIONS.iter().find(|(_, known)| *known == precision);
            let name = named.map_or("f32", |(name, _)| name);
            ["--device".into(), format!("cuda:{ordinal}"), "--precision".into(), name.into()]
        }
    }
}

/// `, on NVIDIA H200 (tf32)`; the CPU goes without saying.
pub fn on_device(computed: &Computed) -> String {
    match computed.name() {
        cpu if cpu == "cpu" => String::new(),
        other => format!(", on {other}"),
    }
}
