//! Who touched which words of a block, and when.

use super::draft::Access;

/// When the words of a block were last touched in this program, and by which operator.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) program: u64,
    pub(super) touched: Vec<Touch>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    start: u64,
    end: u64,
    phase: u32,
    write: bool,
    /// None, if there were several.
    op: Option<u32>,
}

impl History {
    /// The first phase in which an access is right.
    pub(super) fn earliest(&self, access: &Access) -> u32 {
        let conflicts = self.touched.iter().filter(|touch| {
            (touch.write || access.write) && touch.start < access.end && access.start < touch.end
        });
        conflicts.map(|touch| touch.phase + 1).max().unwrap_or(0)
    }

    pub(super) fn remember(&mut self, access: &Access, phase: u32, op: u32) {
        let Access { start, end, write, .. } = *access;
        if write {
            // Whoever comes later and conflicts with what is covered conflicts with this too.
            self.touched.retain(|touch| touch.start < start || touch.end > end);
        }
        let same = |touch: &&mut Touch| !touch.write && (touch.start, touch.end) == (start, end);
        if !write && let Some(touch) = self.touched.iter_mut().find(same) {
            touch.phase = touch.phase.max(phase);
            return;
        }
        if let Some(last) = self.touched.last_mut()
            && (last.write, last.phase, last.end) == (write, phase, start)
        {
            (last.end, last.op) = (end, None);
            return;
        }
        self.touched.push(Touch { start, end, phase, write, op: Some(op) });
    }

    /// The operator that wrote exactly these words, if nobody has touched the block since.
    pub(super) fn only_writer(&self, access: &Access) -> Option<usize> {
        match &self.touched[..] {
            [touch] if touch.write && (touch.start, touch.end) == (access.start, access.end) => {
                touch.op.map(|op| op as usize)
            }
            _ => None,
        }
    }
}
