//! One axis of a plot: its range, where a value lies on it, and its ticks.
//!
//! Ticks of a logarithmic axis are powers of ten; where fewer than three fit, 2 and 5 stand
//! between them. A linear axis starts at 0, so that lengths can be compared.

/// The range of an axis, in powers of ten if it is logarithmic.
#[derive(Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    log: bool,
}

impl Axis {
    /// An axis that shows all of these values, which are finite, and positive if it is
    /// logarithmic.
    pub(super) fn new(values: impl Iterator<Item = f64>, log: bool) -> Self {
        let values = values.map(|value| if log { value.log10() } else { value });
        let (low, high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        // A linear axis starts at 0; a flat one still has a length.
        let low = if log { low } else { low.min(0.0) };
        let spare = if high > low { 0.03 * (high - low) } else { 0.5 };
        Self { low: if low == 0.0 && !log { 0.0 } else { low - spare }, high: high + spare, log }
    }

    /// Where a value lies between the ends, 0 to 1.
    pub(super) fn share(&self, value: f64) -> f64 {
        let value = if self.log { value.log10() } else { value };
        (value - self.low) / (self.high - self.low)
    }

    /// Values with a tick, and their labels: powers of ten, with 2 and 5 between them where there
    /// are few.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let mut ticks = Vec::new();
        if self.log {
            let powers = self.low.floor() as i32..=self.high.ceil() as i32;
            let inside = powers.clone().filter(|&p| (self.low..=self.high).contains(&f64::from(p)));
            let factors: &[f64] = if inside.count() >= 3 { &[1.0] } else { &[1.0, 2.0, 5.0] };
            let every = (powers.clone().count() as i32 / 9 + 1).max(1);
            for power in powers.filter(|power| power % every == 0) {
                for factor in factors {
                    ticks.push(factor * 10f64.powi(power));
                }
            }
        } else {
            let rough = (self.high - self.low) / 6.0;
            let power = 10f64.powf(rough.log10().floor());
            let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
            let step = step.into_iter().find(|&step| step >= rough).unwrap_or(10.0 * power);
            let first = (self.low / step).ceil() as i64;
            ticks.extend((first..first + 12).map(|place| place as f64 * step));
        }
        let inside =
            ticks.into_iter().filter(|&tick| (-1e-9..=1.0 + 1e-9).contains(&self.share(tick)));
        inside.map(|tick| (tick, label(tick))).collect()
    }
}

/// A short number: 0.001 to 100000 written out, others as powers of ten.
fn label(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if (1e-3..1e6).contains(&value.abs()) {
        let digits = (2.0 - value.abs().log10().floor()).clamp(0.0, 5.0) as usize;
        let text = format!("{value:.digits$}");
        return match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
    }
    format!("{value:e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis_has_its_ticks_at_powers_of_ten() {
        let ticks = Axis::new([0.02, 3000.0].into_iter(), true).ticks();
        let labels: Vec<&str> = ticks.iter().map(|(_, label)| &**label).collect();
        assert_eq!(labels, ["0.1", "1", "10", "100", "1000"]);
    }

    #[test]
    fn a_linear_axis_starts_at_0_with_round_steps() {
        let ticks = Axis::new([3.0, 47.0].into_iter(), false).ticks();
        let labels: Vec<&str> = ticks.iter().map(|(_, label)| &**label).collect();
        assert_eq!(labels, ["0", "10", "20", "30", "40"]);
    }
}
