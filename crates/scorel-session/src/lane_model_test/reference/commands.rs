//! What commands of clients do.

use scorel_proto::{QueueKind, WhileRunning};

use super::{Item, Job, Label, Reference, Refusal, Sent};

/// A message as a client sends it. Nodes stand for their events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Message {
    pub(crate) label: Label,
    pub(crate) while_running: WhileRunning,
    pub(crate) parent: Option<Option<usize>>,
    pub(crate) expected_leaf: Option<Option<usize>>,
}

/// An operation of `rewriteQueue`. Items are named by their keys.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Edit {
    Add(Label, QueueKind, Option<u32>, bool),
    Reword(Label, Label),
    Move(Label, u32),
    Remove(Label),
    Convert(Label, QueueKind),
    Pause,
    Resume,
}

impl Reference {
    pub(crate) fn is_busy(&self) -> bool {
        self.job.is_some() || !self.queue.is_empty()
    }

    /// A steer stays one only if the running turn will read it.
    fn queued_as(&self, wanted: QueueKind) -> QueueKind {
        match self.running() {
            Some(turn) if !turn.stopped => wanted,
            _ => QueueKind::FollowUp,
        }
    }

    pub(crate) fn send(&mut self, message: Message) -> Result<Sent, Refusal> {
        let busy = self.is_busy();
        if busy && message.parent.is_some() {
            return Err(Refusal::Busy);
        }
        if busy && message.while_running == WhileRunning::Reject {
            return Err(match self.job {
                None => Refusal::QueuePaused,
                Some(_) => Refusal::Busy,
            });
        }
        if message.expected_leaf.is_some_and(|leaf| leaf != self.leaf) {
            return Err(Refusal::LeafMoved);
        }
        if let Some(parent) = message.parent {
            self.check_target(parent)?;
            if self.is_on_path(parent) && self.is_summarised(parent) {
                return Err(Refusal::Summarised);
            }
        }
        if !busy {
            self.leaf = message.parent.unwrap_or(self.leaf);
            self.start(message.label);
            return Ok(Sent::Began);
        }
        let kind = match message.while_running {
            WhileRunning::Steer => self.queued_as(QueueKind::Steer),
            _ => QueueKind::FollowUp,
        };
        let position = self.queue.len();
        self.add(message.label, kind, None, false);
        self.version += 1;
        self.start_next();
        Ok(Sent::Queued(kind, position))
    }

    fn add(&mut self, label: Label, kind: QueueKind, position: Option<u32>, hold: bool) {
        let end = self.queue.len();
        let at = position.map_or(end, |at| (at as usize).min(end));
        let key = label;
        self.queue.insert(at, Item { key, label, kind });
        self.pause(hold || self.held);
        self.go_on = !hold && (self.go_on || self.stopped());
    }

    pub(crate) fn rewrite(&mut self, version: u64, edits: &[Edit]) -> Result<(), Refusal> {
        if version != self.version {
            return Err(Refusal::QueueChanged);
        }
        let mut after = self.clone();
        for edit in edits {
            after.edit(*edit)?;
            after.settle_queue();
        }
        after.version += 1;
        after.start_next();
        *self = after;
        Ok(())
    }

    fn edit(&mut self, edit: Edit) -> Result<(), Refusal> {
        match edit {
            Edit::Add(label, kind, position, hold) => {
                self.add(label, self.queued_as(kind), position, hold);
            }
            Edit::Reword(key, label) => {
                let at = self.item(key)?;
                self.queue[at].label = label;
            }
            Edit::Move(key, position) => {
                let at = self.item(key)?;
                let item = self.queue.remove(at);
                let to = (position as usize).min(self.queue.len());
                self.queue.insert(to, item);
            }
            Edit::Remove(key) => {
                let at = self.item(key)?;
                self.queue.remove(at);
            }
            Edit::Convert(key, kind) => {
                let at = self.item(key)?;
                self.queue[at].kind = self.queued_as(kind);
            }
            Edit::Pause => self.pause(true),
            Edit::Resume => self.pause(false),
        }
        Ok(())
    }

    fn item(&self, key: Label) -> Result<usize, Refusal> {
        let at = self.queue.iter().position(|item| item.key == key);
        at.ok_or(Refusal::InvalidParams)
    }

    /// Returns whether a job took the signal; `None` if another turn is open than the expected one,
    /// so that nothing happens.
    pub(crate) fn cancel_and_clear(&mut self, expected: Option<usize>) -> Option<bool> {
        let is_other = |open| expected.is_some_and(|expected| expected != open);
        if self.turn().is_some_and(is_other) {
            return None;
        }
        let taken = self.signal(expected);
        self.queue.clear();
        self.settle_queue();
        self.version += 1;
        if taken {
            self.stop_now();
        }
        Some(taken)
    }

    fn check_target(&self, target: Option<usize>) -> Result<(), Refusal> {
        let ends_turn = |at: usize| self.nodes.get(at).is_some_and(|node| node.ends_turn);
        match target {
            Some(at) if !ends_turn(at) => Err(Refusal::InvalidTarget),
            _ => Ok(()),
        }
    }

    fn check_move(&self, target: Option<usize>, expected: Option<usize>) -> Result<(), Refusal> {
        if self.is_busy() {
            return Err(Refusal::Busy);
        }
        if expected != self.leaf {
            return Err(Refusal::LeafMoved);
        }
        self.check_target(target)?;
        if target == self.leaf {
            return Err(Refusal::InvalidTarget);
        }
        Ok(())
    }

    pub(crate) fn rewind(
        &mut self,
        target: Option<usize>,
        expected: Option<usize>,
    ) -> Result<(), Refusal> {
        self.check_move(target, expected)?;
        if !self.is_on_path(target) {
            return Err(Refusal::InvalidTarget);
        }
        if self.is_summarised(target) {
            return Err(Refusal::Summarised);
        }
        self.leaf = target;
        self.moves += 1;
        Ok(())
    }

    pub(crate) fn branch(&mut self, target: usize, expected: Option<usize>) -> Result<(), Refusal> {
        self.check_move(Some(target), expected)?;
        if self.is_on_path(Some(target)) {
            return Err(Refusal::InvalidTarget);
        }
        self.leaf = Some(target);
        self.moves += 1;
        Ok(())
    }

    /// Only the turn that waits has a wait to end.
    pub(crate) fn end_wait(&mut self, expected: usize) -> Result<(), Refusal> {
        if self.turn() != Some(expected) || self.due() != super::Due::Moment {
            return Err(Refusal::Conflict);
        }
        self.wait_ended();
        Ok(())
    }

    pub(crate) const fn is_compacting(&self) -> bool {
        matches!(self.job, Some(Job::Compaction))
    }
}
