use crate::locks::Leaf;

/// Why the session's job makes no progress, if no event tells of it. A leaf lock, and not part of the
/// published state: that is written by sections only, and a wait may end outside of one.
#[derive(Debug, Default)]
pub(super) struct WaitReason(Leaf<Option<String>>);

impl WaitReason {
    pub(super) fn get(&self) -> Option<String> {
        self.0.lock().clone()
    }

    pub(super) fn set(&self, reason: Option<String>) {
        *self.0.lock() = reason;
    }
}
