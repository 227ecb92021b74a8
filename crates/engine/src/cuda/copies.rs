//! Indices as a GPU has them.

use std::sync::{Arc, Mutex, PoisonError};

use super::arena::{Block, Place, SharedArena};

/// What a GPU keeps of indices that were made on the host, or made itself.
#[derive(Debug, Default)]
pub struct Copies {
    plain: Mutex<Option<Arc<Block>>>,
    groups: Mutex<Option<Arc<Groups>>>,
}

/// Indices by value: each value once, and where it stands.
#[derive(Debug)]
pub(super) struct Groups {
    /// Values, ascending.
    pub(super) values: Block,
    /// The first place of each value, and the number of places.
    pub(super) firsts: Block,
    /// Places, by value and then ascending.
    pub(super) places: Block,
    pub(super) count: usize,
}

impl Copies {
    /// The copy of this device, made if there is none.
    pub(super) fn plain(&self, arena: &SharedArena, make: impl FnOnce() -> Block) -> Place {
        let mut slot = self.plain.lock().unwrap_or_else(PoisonError::into_inner);
        match &*slot {
            Some(block) if block.is_of(arena) => block.place(),
            _ => slot.insert(Arc::new(make())).place(),
        }
    }

    /// Puts what the device itself computes here.
    pub(super) fn set(&mut self, block: Block) {
        self.plain = Mutex::new(Some(Arc::new(block)));
    }

    /// The groups of this device, made if there are none.
    pub(super) fn groups(&self, arena: &SharedArena, make: impl FnOnce() -> Groups) -> Arc<Groups> {
        let mut slot = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        match &*slot {
            Some(groups) if groups.values.is_of(arena) => Arc::clone(groups),
            _ => Arc::clone(slot.insert(Arc::new(make()))),
        }
    }
}

/// Values, first places and places of indices; `u32::MAX` stands for none and is left out.
pub(super) fn group(indices: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut places: Vec<u32> = (0..indices.len() as u32).collect();
    places.retain(|&place| indices[place as usize] != u32::MAX);
    places.sort_by_key(|&place| indices[place as usize]);
    let (mut values, mut firsts) = (Vec::new(), Vec::new());
    for (at, &place) in places.iter().enumerate() {
        let value = indices[place as usize];
        if values.last() != Some(&value) {
            values.push(value);
            firsts.push(at as u32);
        }
    }
    firsts.push(places.len() as u32);
    (values, firsts, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_by_value_and_in_order() {
        let (values, firsts, places) = group(&[3, u32::MAX, 1, 3, 1]);
        assert_eq!(values, [1, 3]);
        assert_eq!(firsts, [0, 2, 4]);
        assert_eq!(places, [2, 4, 0, 3]);
        assert_eq!(group(&[]), (vec![], vec![0], vec![]));
    }
}
