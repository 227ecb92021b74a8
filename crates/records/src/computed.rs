//! What computed a result.

use serde::{Deserialize, Serialize};

/// What computed a result. Threads of the CPU decide nothing and are left out; a GPU sums in
/// another order, and its products may be rounded, so both are told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Computed {
    /// `cpu`, or the GPU's name.
    #[serde(default = "cpu")]
    pub device: String,
    /// How products of matrices were rounded, if they were: `tf32` or `bf16`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<String>,
}

impl Computed {
    /// `cpu`, or a GPU and what it rounds to.
    pub fn name(&self) -> String {
        match &self.precision {
            Some(precision) => format!("{} ({precision})", self.device),
            None => self.device.clone(),
        }
    }
}

impl Default for Computed {
    fn default() -> Self {
        Self { device: cpu(), precision: None }
    }
}

/// Records from before there were others.
fn cpu() -> String {
    "cpu".to_owned()
}
