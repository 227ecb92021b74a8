//! Operators waiting to be launched together, in the order that lets most of them run at once.
//!
//! An operator is put into the first phase in which everything it reads is there and nobody still
//! needs what it overwrites. Between phases blocks wait for each other; within one, operators run side
//! by side. Which words of which block an operator touches decides, nothing else.

use super::draft::{Access, Code, Draft, Op};
use super::history::History;
use super::values::RELU;

/// Parts of a product.
const MAX_PARTS: usize = 4;

/// Operators and when they run.
#[derive(Debug, Default)]
pub(super) struct Program {
    ops: Vec<(u32, Draft)>,
    n_phases: u32,
    n_tiles: usize,
    /// What each block does.
    turns: Vec<Vec<u32>>,
    histories: Vec<History>,
    number: u64,
}

impl Program {
    pub(super) fn push(&mut self, draft: Draft) {
        if self.pass(&draft) || self.merge(&draft) {
            return;
        }
        let phase = self.earliest(draft.accesses());
        self.remember(draft.accesses(), phase, self.ops.len());
        self.n_tiles += draft.n_tiles();
        self.ops.push((phase, draft));
    }

    /// Lets the operator that wrote a gradient also pass it through an activation.
    fn pass(&mut self, draft: &Draft) -> bool {
        let [result, before, gradient] = *draft.accesses() else { return false };
        if draft.op.code != Code::UnaryGradient
            || draft.op.numbers[1..3] != [RELU as u32, 0]
            || before != (Access { write: false, ..gradient })
        {
            return false;
        }
        let Some(writer) = self.history(gradient.block).only_writer(&gradient) else {
            return false;
        };
        let (phase, op) = (self.ops[writer].0, &self.ops[writer].1.op);
        // A product's result must fill its rows, as the activated one does.
        let whole = !op.code.is_product() || op.numbers[22] == op.numbers[21];
        let can = op.code.can_pass()
            && op.pointers[12] == 0
            && whole
            && self.ops[writer].1.accesses().last() == Some(&gradient);
        if !can || self.history(result.block).earliest(&result) > phase {
            return false;
        }
        let writer_draft = &mut self.ops[writer].1;
        writer_draft.op.pointers[12] = draft.op.pointers[0];
        writer_draft.op.numbers[27] = writer_draft.op.numbers[21];
        writer_draft.accesses[writer_draft.n_accesses] = result;
        writer_draft.n_accesses += 1;
        self.remember(&[result], phase, writer);
        true
    }

    /// Makes a product that is added to another's result a part of that one. Its sums are still
    /// taken by themselves, so that results do not depend on whether this could be done.
    fn merge(&mut self, draft: &Draft) -> bool {
        let op = &draft.op;
        let parts = op.numbers[24] as usize;
        // Flags: only added, and no bias, addend or activation.
        if !op.code.is_product() || op.numbers[23] != 1 || op.pointers[9..13] != [0; 4] {
            return false;
        }
        let (to, operands) = draft.accesses().split_last().expect("a product has a result");
        let Some(first) = self.history(to.block).only_writer(to) else { return false };
        let (phase, other) = (self.ops[first].0, &self.ops[first].1);
        let at = other.op.numbers[24] as usize;
        if other.op.code != op.code
            || at + parts > MAX_PARTS
            || other.op.numbers[23] > 1
            || other.op.pointers[9..13] != [0; 4]
            || op.pointers[8] != other.op.pointers[8]
            || op.numbers[16] != other.op.numbers[16]
            || op.numbers[20..23] != other.op.numbers[20..23]
            || op.numbers[26] != other.op.numbers[26]
        {
            return false;
        }
        // If the first has to wait, what it reads must still be there.
        let theirs = other.accesses[..other.n_accesses - 1].to_vec();
        let later = self.earliest(operands).max(phase);
        let kept = |access: &Access| {
            let history = &self.histories[access.block as usize];
            history.earliest(&Access { write: false, ..*access }) <= phase
        };
        if later > phase && !theirs.iter().all(kept) {
            return false;
        }
        let (phase, other) = &mut self.ops[first];
        *phase = later;
        other.op.pointers[2 * at..2 * (at + parts)].copy_from_slice(&op.pointers[..2 * parts]);
        other.op.numbers[4 * at..4 * (at + parts)].copy_from_slice(&op.numbers[..4 * parts]);
        other.op.numbers[24] += parts as u32;
        other.op.numbers[28] |= op.numbers[28] << at | 1 << at;
        // The result stays the last access.
        let end = other.n_accesses - 1;
        other.accesses[end..end + operands.len()].copy_from_slice(operands);
        other.accesses[end + operands.len()] = *to;
        other.n_accesses += operands.len();
        let all = other.accesses().to_vec();
        self.remember(&all, later, first);
        true
    }

    fn history(&mut self, block: u32) -> &mut History {
        let block = block as usize;
        if self.histories.len() <= block {
            self.histories.resize_with(block + 1, History::default);
        }
        let history = &mut self.histories[block];
        if history.program != self.number {
            history.program = self.number;
            history.touched.clear();
        }
        history
    }

    fn earliest(&mut self, accesses: &[Access]) -> u32 {
        accesses.iter().map(|access| self.history(access.block).earliest(access)).max().unwrap_or(0)
    }

    fn remember(&mut self, accesses: &[Access], phase: u32, op: usize) {
        for access in accesses {
            self.history(access.block).remember(access, phase, op as u32);
        }
        self.n_phases = self.n_phases.max(phase + 1);
    }

    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    /// How many tiles all operators have.
    pub(super) fn n_tiles(&self) -> usize {
        self.n_tiles
    }

    /// Hands over all operators by phase, and says what each of `n_blocks` does, turn by turn (as
    /// `program.cu` reads it); then it is empty.
    pub(super) fn drain(&mut self, n_blocks: usize, mut to: impl FnMut(Op)) -> &[Vec<u32>] {
        self.turns.resize_with(n_blocks, Vec::new);
        self.turns.iter_mut().for_each(Vec::clear);
        let n_phases = self.n_phases as usize;
        let (mut firsts, mut tiles) = (vec![0usize; n_phases + 1], vec![0usize; n_phases]);
        for (phase, draft) in &self.ops {
            firsts[*phase as usize + 1] += 1;
            tiles[*phase as usize] += draft.n_tiles();
        }
        for phase in 0..n_phases {
            firsts[phase + 1] += firsts[phase];
        }
        let mut order = vec![0u32; self.ops.len()];
        for (i, (phase, _)) in self.ops.iter().enumerate() {
            let at = &mut firsts[*phase as usize];
            order[*at] = i as u32;
            *at += 1;
        }
        // Phase, number of the next tile in it, and how often blocks have finished those before.
        let (mut now, mut next, mut after) = (0, 0, 0);
        for (number, i) in order.into_iter().enumerate() {
            let (phase, mut op) = (self.ops[i as usize].0, self.ops[i as usize].1.op);
            if phase != now {
                after += tiles[now as usize].min(n_blocks);
                (now, next) = (phase, 0);
            }
            op.after = after as u32;
            let all = tiles[phase as usize];
            for tile in 0..op.tiles {
                let waits = u32::from(after > 0 && next < n_blocks);
                let ends = u32::from(next + n_blocks >= all);
                let turn = (number as u32) << 22 | tile << 2 | ends << 1 | waits;
                self.turns[next % n_blocks].push(turn);
                next += 1;
            }
            to(op);
        }
        self.ops.clear();
        (self.n_phases, self.n_tiles) = (0, 0);
        self.number += 1;
        &self.turns
    }
}

#[cfg(test)]
mod tests;
