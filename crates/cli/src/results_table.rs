//! The results of an evaluation as a table for people, beside those of the paper.

use std::collections::BTreeMap;

use clap::ValueEnum;
use salsa_learn::confidence::Summary;
use salsa_learn::evaluation::{Data, Evaluation, Group, SplitResult, Steps};
use salsa_learn::metrics::{self, Metric, Scale};
use salsa_report::paper;

use crate::compute::on_device;
use crate::table::{short, table_of};

/// What the rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// A row for each number of nodes
    Size,
    /// A row for each generator, or what files say instead
    Family,
}

/// What was evaluated, a row for each split or part of one, and what the columns mean.
pub fn results_table(evaluation: &Evaluation, by: Option<By>) -> String {
    let parts: Vec<(&SplitResult, Option<String>, &Group)> =
        evaluation.splits.iter().flat_map(|split| rows(split, by)).collect();
    let (run, splits) = (&evaluation.run, &evaluation.splits);
    // Its table has networks that learned without hints.
    let paper = paper::row(&run.algorithm, &run.model.processor).filter(|row| {
        by.is_none() && !run.hints && splits.iter().any(|split| row.figure(&split.split).is_some())
    });

    let mut header = vec!["split".to_owned()];
    header.extend(by.map(|by| if by == By::Size { "nodes" } else { "family" }.to_owned()));
    header.push("graphs".to_owned());
    let columns: Vec<&Metric> = metrics::ALL
        .iter()
        .copied()
        .filter(|metric| parts.iter().any(|(_, _, group)| group.metrics.contains_key(metric.name)))
        .collect();
    let beside = |metric: &Metric| paper.filter(|row| row.metric == metric.name);
    for metric in &columns {
        header.push(title(metric.name));
        header.extend(beside(metric).map(|_| "paper".to_owned()));
    }
    let has_rule = parts.iter().any(|(_, _, group)| group.valid.is_some());
    header.extend(has_rule.then(|| "valid".to_owned()));
    header.push("steps".to_owned());

    let lines = parts.iter().map(|(split, part, group)| {
        let mut line = vec![split.split.clone()];
        line.extend(part.clone());
        line.push(group.graphs.to_string());
        for metric in &columns {
            line.push(cell(group.metrics.get(metric.name), metric.scale));
            line.extend(beside(metric).map(|row| {
                row.figure(&split.split).map_or(String::new(), |figure| format!("{figure:.1}"))
            }));
        }
        line.extend(has_rule.then(|| cell(group.valid.as_ref(), Scale::Outcome)));
        line.push(short(group.mean_steps));
        line
    });
    let left = 1 + usize::from(by == Some(By::Family));
    let table = table_of(header, left, lines.collect());
    format!("{}\n\n{table}\n\n{}", what(evaluation), notes(evaluation, paper))
}

fn rows(split: &SplitResult, by: Option<By>) -> Vec<(&SplitResult, Option<String>, &Group)> {
    match by {
        None => vec![(split, None, &split.all)],
        Some(By::Size) => {
            let parts = split.by_size.iter();
            parts.map(|(size, group)| (split, Some(size.to_string()), group)).collect()
        }
        Some(By::Family) => {
            let parts = split.by_family.iter();
            parts.map(|(family, group)| (split, Some(family.clone()), group)).collect()
        }
    }
}

fn title(metric: &str) -> String {
    metric.replace('_', " ").replace("f1", "F1")
}

/// A mean and half the width of its interval, in percent unless it is an error.
fn cell(summary: Option<&Summary>, scale: Scale) -> String {
    let Some(Summary { mean, interval, .. }) = summary else { return String::new() };
    let half = interval.map(|interval| (interval.high - interval.low) / 2.0);
    let number = |value: f64| match scale {
        Scale::Error => format!("{value:.3}"),
        Scale::Outcome | Scale::Share => format!("{:.1}", 100.0 * value),
    };
    match half {
        Some(half) => format!("{} ± {}", number(*mean), number(half)),
        None => number(*mean),
    }
}

fn what(evaluation: &Evaluation) -> String {
    let Evaluation { run, trained, .. } = evaluation;
    let data = match &evaluation.data {
        Data::Suite { name, seed, .. } => format!("suite {name}, data seed {seed}"),
        Data::Files { convention, .. } => format!("graph files, {convention} convention"),
    };
    let steps = match evaluation.steps {
        Steps::Recorded => "as many steps as recorded".to_owned(),
        Steps::Fixed(1) => "1 step".to_owned(),
        Steps::Fixed(steps) => format!("{steps} steps"),
        Steps::Auto => "steps until the answer stands still".to_owned(),
    };
    let on = on_device(&evaluation.computed);
    format!(
        "{} by {}, {} convention, {}hints, seed {}, after {} epoch{} ({} steps)\n{data}, {steps}{on}",
        run.algorithm,
        run.model.processor,
        run.convention,
        if run.hints { "" } else { "no " },
        run.seed,
        trained.epochs,
        if trained.epochs == 1 { "" } else { "s" },
        trained.steps,
    )
}

fn notes(evaluation: &Evaluation, paper: Option<&paper::Row>) -> String {
    let mut notes = "Percent, mean over graphs ± half of its 95% interval.".to_owned();
    let has_errors = |split: &SplitResult| split.all.metrics.contains_key("squared_error");
    if evaluation.splits.iter().any(has_errors) {
        notes.push_str(" Squared errors as they are.");
    }
    if let Some(row) = paper {
        notes.push_str(&format!("\npaper: {} in its Table 1, mean over seeds.", title(row.metric)));
    }
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for split in &evaluation.splits {
        for (reason, count) in &split.all.violations {
            *reasons.entry(reason).or_default() += count;
        }
    }
    if !reasons.is_empty() {
        let told: Vec<String> =
            reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        notes.push_str(&format!("\nNot valid because of: {}.", told.join(", ")));
    }
    notes
}
