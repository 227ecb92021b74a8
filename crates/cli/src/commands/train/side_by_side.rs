//! Several trainings at once, a thread each with a network and a device of its own.
//!
//! They share nothing that decides a result, so each ends as it would have alone. What is printed
//! comes in the order of the plans, whoever is ready first; one that fails leaves the others be.

use std::io::{self, Write};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, ScopedJoinHandle};

use indicatif::{MultiProgress, ProgressDrawTarget};
use salsa_learn::compute::Compute;
use salsa_learn::training::{Outcome, Plan};

use super::watched::{Screen, ending, introduction, watched};
use crate::failure::Failure;

/// How a training ended, and in words.
type Ended = Result<(Outcome, String), Failure>;

/// Trains all, and tells how it went.
pub fn train_all(
    plans: &[Plan],
    compute: Compute,
    stop: &Arc<AtomicBool>,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let bars = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
    let screens = screens(plans, &bars, stop);
    let compute = compute.shared_by(plans.len());
    // What no run can use is told once; what has to be made for a device is made once.
    if plans.len() > 1 {
        compute.try_out()?;
    }
    let ends = thread::scope(|scope| {
        let started: Vec<(Receiver<String>, ScopedJoinHandle<'_, Ended>)> = plans
            .iter()
            .zip(&screens)
            .map(|(plan, screen)| {
                let (introduce, introduced) = mpsc::channel();
                (introduced, scope.spawn(move || train(plan, compute, screen, &introduce)))
            })
            .collect();
        // One that cannot begin has no introduction.
        let mut introductions = started.iter().filter_map(|(line, _)| line.recv().ok());
        let told = introductions.try_for_each(|line| writeln!(out, "{line}"));
        let told = told.and_then(|()| out.flush());
        if told.is_err() {
            stop.store(true, Ordering::SeqCst);
        }
        let threads = started.into_iter().map(|(_, thread)| thread);
        let ends = threads.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        let ends: Vec<Ended> = ends.collect();
        told.map(|()| ends)
    });
    let ends = ends.map_err(Failure::output)?;
    tell(plans, &screens, &ends, out).map_err(Failure::output)?;
    let stopped = ends.iter().any(|end| matches!(end, Ok((Outcome::Interrupted, _))));
    match failure(plans, ends) {
        Some(failure) => Err(failure),
        None if stopped => Err(Failure::stopped()),
        None => Ok(()),
    }
}

fn train(plan: &Plan, compute: Compute, screen: &Screen, introduce: &Sender<String>) -> Ended {
    let mut trainer = plan.trainer(compute)?;
    // Whoever asked may be gone; then the training is told to stop.
    let _ = introduce.send(introduction(&mut trainer));
    match watched(&mut trainer, &plan.folder(), screen) {
        Ok(outcome) => Ok((outcome, ending(outcome, trainer.progress()))),
        Err(error) => {
            if !screen.prefix().is_empty() {
                screen.tell(&format!("failed: {error}"));
            }
            Err(error.into())
        }
    }
}

/// What a training is called beside others: by its seed, or by the folder it goes on in.
fn label(plan: &Plan) -> String {
    match plan.new_run() {
        Some(run) => format!("seed {}", run.seed),
        None => plan.folder().path().display().to_string(),
    }
}

/// Where each is shown: alone without a name, beside others by its label.
fn screens(plans: &[Plan], bars: &MultiProgress, stop: &Arc<AtomicBool>) -> Vec<Screen> {
    let labels: Vec<String> = plans.iter().map(label).collect();
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let screen = |label| Screen::beside(&format!("{label:<width$}"), bars, stop);
    match plans {
        [_] => vec![Screen::new(stop)],
        _ => labels.into_iter().map(screen).collect(),
    }
}

/// How each ended, and what to do next.
fn tell(
    plans: &[Plan],
    screens: &[Screen],
    ends: &[Ended],
    out: &mut impl Write,
) -> io::Result<()> {
    for (screen, end) in screens.iter().zip(ends) {
        if let Ok((_, line)) = end {
            writeln!(out, "{}{line}", screen.prefix())?;
        }
    }
    let mut stopped = Vec::new();
    for (plan, end) in plans.iter().zip(ends) {
        let folder = plan.folder().path().display().to_string();
        match end {
            Ok((Outcome::Finished(_), _)) => writeln!(out, "salsa evaluate {folder}")?,
            Ok((Outcome::Interrupted, _)) => stopped.push(folder),
            Err(_) => {}
        }
    }
    if !stopped.is_empty() {
        writeln!(out, "salsa train --resume {}", stopped.join(" "))?;
    }
    Ok(())
}

/// What went wrong and where, each reason once; a mistake only if nothing else went wrong.
fn failure(plans: &[Plan], ends: Vec<Ended>) -> Option<Failure> {
    let mut failures: Vec<(String, Failure)> =
        plans.iter().zip(ends).filter_map(|(plan, end)| Some((label(plan), end.err()?))).collect();
    if plans.len() == 1 {
        return failures.pop().map(|(_, failure)| failure);
    }
    let is_mistake = failures.iter().all(|(_, failure)| matches!(failure, Failure::Mistake(_)));
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for (label, failure) in failures {
        let reason = failure.to_string();
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, labels)) => labels.push(label),
            None => reasons.push((reason, vec![label])),
        }
    }
    let told: Vec<String> = reasons
        .into_iter()
        .map(|(reason, labels)| format!("{}: {reason}", labels.join(", ")))
        .collect();
    let told = told.join("; ");
    match (told.is_empty(), is_mistake) {
        (true, _) => None,
        (false, true) => Some(Failure::Mistake(told)),
        (false, false) => Some(Failure::System(told)),
    }
}
