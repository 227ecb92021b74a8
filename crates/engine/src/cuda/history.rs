//! Who touched which words of a block, and when.

use super::draft::{Access, Words};

/// When the words of a block were last touched in this program, and by which operator.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) program: u64,
    pub(super) touched: Vec<Touch>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    words: Words,
    write: bool,
    pub(super) phase: u32,
    pub(super) op: u32,
}

impl History {
    /// Those that must be done before an access.
    pub(super) fn before<'a>(&'a self, access: &'a Access) -> impl Iterator<Item = &'a Touch> {
        self.touched
            .iter()
            .filter(|touch| (touch.write || access.write) && touch.words.overlaps(&access.words))
    }

    pub(super) fn remember(&mut self, access: &Access, phase: u32, op: u32) {
        let Access { words, write, .. } = *access;
        if write {
            // Whoever comes later and conflicts with what is covered conflicts with this too.
            self.touched.retain(|touch| !words.cover(&touch.words));
        }
        self.touched.push(Touch { words, write, phase, op });
    }

    /// The operator that wrote exactly these words, if nobody has touched the block since.
    pub(super) fn only_writer(&self, access: &Access) -> Option<usize> {
        match &self.touched[..] {
            [touch] if touch.write && touch.words == access.words => Some(touch.op as usize),
            _ => None,
        }
    }
}
