//! Whether a record can be: whoever writes records by hand makes mistakes that figures would hide.

use salsa_records::Record;
use salsa_records::confidence::Summary;
use salsa_traces::algorithms;
use salsa_traces::nearest::did_you_mean;

use crate::metric::{self, Metric};

/// The record, its algorithm under the name it has here, or what is wrong with it.
pub fn checked(mut record: Record) -> Result<Record, String> {
    record.algorithm = own_name(&record.algorithm);
    for set in &record.evaluation {
        let all = &set.result.all;
        for (name, summary) in &all.metrics {
            check_value(metric_named(name)?, &set.result.split, summary)?;
        }
        if let Some(valid) = &all.valid {
            check_value(metric::VALID, &set.result.split, valid)?;
        }
    }
    let mut names: Vec<&str> =
        record.evaluation.iter().map(|set| set.result.split.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("set {:?} is there twice", pair[0])),
        None => Ok(record),
    }
}

/// An algorithm under the name it has here; the published names work too.
pub fn own_name(algorithm: &str) -> String {
    match algorithms::find(algorithm) {
        Ok(known) => known.spec().algorithm.to_string(),
        Err(_) => algorithm.to_owned(),
    }
}

/// The metric of a name.
pub fn metric_named(name: &str) -> Result<Metric, String> {
    Metric::named(name).ok_or_else(|| {
        let names = metric::ALL.map(|metric| metric.name);
        let hint = did_you_mean(name, names);
        format!("unknown metric {name:?}, expected one of {}{hint}", names.join(", "))
    })
}

/// Whether a metric can take a value. A diverged network has means that are no numbers.
pub fn can_be(metric: Metric, value: f64) -> Result<(), String> {
    if value.is_nan() || metric.takes(value) {
        return Ok(());
    }
    let expected = match metric.scale {
        crate::Scale::Percent => "a share from 0 to 1",
        crate::Scale::Number => "a number from 0 up",
    };
    Err(format!("{} is {value}, expected {expected}", metric.name))
}

fn check_value(metric: Metric, set: &str, summary: &Summary) -> Result<(), String> {
    can_be(metric, summary.mean).map_err(|reason| format!("on {set:?} {reason}"))
}
