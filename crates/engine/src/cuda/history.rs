//! Who touched which words of a block, and when.

use super::draft::{Access, Words};

/// When the words of a block were last touched in this program, and by which operators.
#[derive(Debug, Default)]
pub(super) struct History {
    program: u64,
    touched: Vec<Touch>,
    users: Vec<User>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    words: Words,
    write: bool,
    /// The last one.
    pub(super) phase: u32,
    /// Its number among `users`.
    user: u32,
}

/// An operator that touched words, and the one that read the same words before.
#[derive(Debug, Clone, Copy)]
struct User {
    op: u32,
    before: Option<u32>,
}

impl History {
    /// What is known of a program; nothing of the one before.
    pub(super) fn of(&mut self, program: u64) -> &mut Self {
        if self.program != program {
            self.program = program;
            self.touched.clear();
            self.users.clear();
        }
        self
    }

    /// What must be over before an access.
    pub(super) fn before<'a>(&'a self, access: &'a Access) -> impl Iterator<Item = &'a Touch> {
        self.touched
            .iter()
            .filter(|touch| (touch.write || access.write) && touch.words.overlaps(&access.words))
    }

    /// The operators of a touch.
    pub(super) fn ops(&self, touch: &Touch) -> impl Iterator<Item = usize> {
        let first = Some(self.users[touch.user as usize]);
        let users = std::iter::successors(first, |user| {
            user.before.map(|before| self.users[before as usize])
        });
        users.map(|user| user.op as usize)
    }

    pub(super) fn remember(&mut self, access: &Access, phase: u32, op: u32) {
        let Access { words, write, .. } = *access;
        if write {
            // Whoever comes later and conflicts with what is covered conflicts with this too.
            self.touched.retain(|touch| !words.cover(&touch.words));
        }
        let user = self.users.len() as u32;
        let same = |touch: &&mut Touch| !write && !touch.write && touch.words == words;
        let mut before = None;
        if let Some(touch) = self.touched.iter_mut().find(same) {
            before = Some(touch.user);
            (touch.phase, touch.user) = (touch.phase.max(phase), user);
        } else {
            self.touched.push(Touch { words, write, phase, user });
        }
        self.users.push(User { op, before });
    }

    /// The operator that wrote exactly these words, if nobody has touched the block since.
    pub(super) fn only_writer(&self, access: &Access) -> Option<usize> {
        match &self.touched[..] {
            [touch] if touch.write && touch.words == access.words => self.ops(touch).next(),
            _ => None,
        }
    }
}
