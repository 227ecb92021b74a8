//! How much memory a process holds and has held, where the system is Linux and tells it.

/// The most memory this process has held, in bytes, since it began or its peak was forgotten.
pub fn peak_memory() -> Option<u64> {
    told("VmHWM:")
}

/// What it holds now.
pub fn held_memory() -> Option<u64> {
    told("VmRSS:")
}

/// Lets `peak_memory` begin anew; whether the system did so.
pub fn forget_peak() -> bool {
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}

fn told(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(1024 * kib)
}
