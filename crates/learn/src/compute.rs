//! Where a network computes, and how a result says so.
//!
//! A device belongs to one thread and is made there, so what travels is this description. Threads
//! of the CPU decide nothing about a result and are left out of its record; a GPU sums in another
//! order, and its products may be rounded, so both are told.

use std::str::FromStr;

use salsa_engine::cpu::Cpu;
use salsa_engine::cuda::{self, CudaError};
pub use salsa_engine::cuda::{CudaOptions, Precision};
use salsa_engine::device::Device;
pub use salsa_records::Computed;

/// Where a network computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compute {
    /// On the CPU.
    Cpu {
        /// With so many threads.
        n_threads: usize,
    },
    /// On an NVIDIA GPU.
    Cuda(CudaOptions),
}

/// The names of precisions.
pub const PRECISIONS: [(&str, Precision); 3] =
    [("f32", Precision::Single), ("tf32", Precision::Tf32), ("bf16", Precision::Bf16)];

/// A device as a person names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceName {
    /// `cpu`.
    Cpu,
    /// `cuda` or `cuda:N`, the GPU of this number.
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

/// A precision by its name.
pub fn precision(text: &str) -> Result<Precision, String> {
    let found = PRECISIONS.iter().find(|(name, _)| *name == text);
    let found = found.map(|(_, precision)| *precision);
    found.ok_or_else(|| format!("expected f32, tf32 or bf16, found {text:?}"))
}

/// Networks that answer on one GPU at the same time: one computes while the other's graphs are
/// made.
const NETWORKS_A_GPU: usize = 2;

/// Graphs that one of them answers on at once, which keep a GPU busy unless they are tiny.
const GRAPHS_A_NETWORK: usize = 50;

impl Compute {
    /// The device, made ready.
    pub fn device(self) -> Result<Box<dyn Device>, CudaError> {
        match self {
            Self::Cpu { n_threads } => Ok(Box::new(Cpu::new(n_threads))),
            Self::Cuda(options) => cuda::open(options),
        }
    }

    /// The part of each of `count` networks that compute at the same time.
    ///
    /// ```
    /// use salsa_learn::compute::Compute;
    /// let whole = Compute::Cpu { n_threads: 8 };
    /// assert_eq!(whole.shared_by(3), Compute::Cpu { n_threads: 2 });
    /// ```
    pub fn shared_by(self, count: usize) -> Self {
        match self {
            Self::Cpu { n_threads } => Self::Cpu { n_threads: (n_threads / count.max(1)).max(1) },
            Self::Cuda(options) => {
                Self::Cuda(CudaOptions { sharing: options.sharing * count.max(1), ..options })
            }
        }
    }

    /// The same, letting others on a GPU go first: their steps are short, and they wait for each.
    pub fn in_background(self) -> Self {
        match self {
            Self::Cpu { .. } => self,
            Self::Cuda(options) => Self::Cuda(CudaOptions { background: true, ..options }),
        }
    }

    /// How many networks should share it where many questions are asked.
    pub fn most_networks(self) -> usize {
        match self {
            Self::Cpu { n_threads } => n_threads,
            Self::Cuda(_) => NETWORKS_A_GPU,
        }
    }

    /// How many graphs a network should be asked about at once.
    pub fn graphs_at_once(self) -> usize {
        match self {
            Self::Cpu { .. } => 1,
            Self::Cuda(_) => GRAPHS_A_NETWORK,
        }
    }

    /// Threads of the CPU that compute; one where a GPU does.
    pub fn n_threads(self) -> usize {
        match self {
            Self::Cpu { n_threads } => n_threads,
            Self::Cuda(_) => 1,
        }
    }

    /// What will compute, found by making the device ready once.
    pub fn try_out(self) -> Result<Computed, CudaError> {
        Ok(self.computed(&*self.device()?))
    }

    /// What computes on the device that was made of this.
    pub fn computed(self, device: &dyn Device) -> Computed {
        let precision = match self {
            Self::Cpu { .. } => Precision::Single,
            Self::Cuda(options) => options.precision,
        };
        let rounded = precision != Precision::Single;
        let named = PRECISIONS.iter().find(|(_, known)| *known == precision);
        let precision = named.filter(|_| rounded).map(|(name, _)| (*name).to_owned());
        Computed { precision, ..computed_on(device) }
    }
}

/// Single precision on any device.
pub fn computed_on(device: &dyn Device) -> Computed {
    let name = device.name();
    let name = match name.strip_suffix(" threads").and_then(|name| name.rsplit_once(", ")) {
        Some((name, _)) => name.to_owned(),
        None => name,
    };
    Computed { device: name, precision: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_no_part_of_a_record() {
        for n_threads in [1, 3] {
            let computed = Compute::Cpu { n_threads }.try_out().unwrap();
            assert_eq!(serde_json::to_string(&computed).unwrap(), "{\"device\":\"cpu\"}");
        }
        assert_eq!(serde_json::from_str::<Computed>("{}").unwrap().name(), "cpu");
    }

    #[test]
    fn rounding_is_part_of_a_record() {
        let told = PRECISIONS.map(|(_, precision)| {
            let compute = Compute::Cuda(CudaOptions { precision, ..CudaOptions::default() });
            compute.computed(&Cpu::new(1)).name()
        });
        assert_eq!(told, ["cpu", "cpu (tf32)", "cpu (bf16)"]);
    }

    #[test]
    fn everyone_gets_a_thread_and_a_gpu_knows_how_many_share_it() {
        assert_eq!(Compute::Cpu { n_threads: 2 }.shared_by(5), Compute::Cpu { n_threads: 1 });
        let Compute::Cuda(shared) = Compute::Cuda(CudaOptions::default()).shared_by(5) else {
            panic!("still a GPU");
        };
        assert_eq!(shared.sharing, 5);
    }
}
