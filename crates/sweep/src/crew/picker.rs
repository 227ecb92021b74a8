//! Which cell a worker of a crew takes next.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use super::Rest;
use crate::claim::{Claim, Holder, Watch, take};
use crate::folder::SweepFolder;
use crate::work::{Event, Failure};

/// What a crew knows of the cells.
pub(super) struct Picker<'a> {
    folder: &'a SweepFolder,
    holder: Holder,
    watch: Watch,
    /// Nothing is to be done for these, or not by this crew.
    over: HashSet<usize>,
    /// Workers of this crew have these.
    ours: HashSet<usize>,
    /// Others have these, and since when they are known to.
    theirs: BTreeMap<usize, Instant>,
}

/// What a worker is to do.
pub(super) enum Pick {
    /// Work on this cell.
    Cell(usize, Claim),
    /// Ask again after a while.
    Later(Duration),
    /// Go home.
    Nothing,
}

/// Looks in a lease while there is nothing to do but wait.
const LOOKS: u32 = 20;

impl<'a> Picker<'a> {
    pub(super) fn new(folder: &'a SweepFolder, lease: Duration, only: &[String]) -> Self {
        let cells = folder.plan().cells().iter().enumerate();
        let left_out = cells.filter(|(_, cell)| !cell.is_one_of(only)).map(|(place, _)| place);
        Self {
            folder,
            holder: Holder::this(),
            watch: Watch::new(lease),
            over: left_out.collect(),
            ours: HashSet::new(),
            theirs: BTreeMap::new(),
        }
    }

    /// The first cell that is to be had. What is learned of others on the way is told.
    pub(super) fn next(
        &mut self,
        rest: Rest,
        mut tell: impl FnMut(usize, Event<'_>),
    ) -> Result<Pick, String> {
        for (place, cell) in self.folder.plan().cells().iter().enumerate() {
            if self.over.contains(&place) || self.ours.contains(&place) {
                continue;
            }
            if self.folder.is_finished(cell) {
                self.over.insert(place);
                self.theirs.remove(&place);
                tell(place, Event::Known);
                continue;
            }
            if let Some(failure) = Failure::read(self.folder, cell) {
                self.over.insert(place);
                self.theirs.remove(&place);
                tell(place, Event::Failed(&failure.message));
                continue;
            }
            let claims = self.folder.claims(cell);
            let taken = take(&claims, &self.holder, &mut self.watch)
                .map_err(|error| format!("{}: {error}", claims.display()))?;
            match taken {
                Some(claim) => {
                    self.theirs.remove(&place);
                    self.ours.insert(place);
                    return Ok(Pick::Cell(place, claim));
                }
                None => {
                    if let Entry::Vacant(first) = self.theirs.entry(place) {
                        first.insert(Instant::now());
                        tell(place, Event::Lost);
                    }
                }
            }
        }
        Ok(self.nothing_to_take(rest))
    }

    /// A worker is done with a cell, for now or for ever.
    pub(super) fn returned(&mut self, place: usize, is_over: bool) {
        self.ours.remove(&place);
        if is_over {
            self.over.insert(place);
        }
    }

    fn nothing_to_take(&self, rest: Rest) -> Pick {
        let lease = self.watch.lease();
        // Whoever is still alive after two leases was not found dead within one.
        let patience = match rest {
            Rest::Wait => None,
            Rest::Leave => Some(2 * lease),
        };
        let is_worth_waiting =
            |since: &Instant| patience.is_none_or(|patience| since.elapsed() < patience);
        match self.theirs.values().any(is_worth_waiting) {
            true => Pick::Later(
                (lease / LOOKS).clamp(Duration::from_millis(10), Duration::from_secs(5)),
            ),
            false => Pick::Nothing,
        }
    }
}
