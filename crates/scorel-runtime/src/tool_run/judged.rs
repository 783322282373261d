use std::collections::VecDeque;

use crate::{Permission, ToolCall};

/// A call that may run, or the reason why it does not.
pub(super) struct Judged {
    pub(super) call: ToolCall,
    pub(super) refusal: Option<String>,
}

/// The calls of a group on their way through the gatekeeper, one after the other.
#[derive(Default)]
pub(super) struct Judging {
    open: VecDeque<ToolCall>,
    judged: Vec<Judged>,
}

impl Judging {
    pub(super) fn new(calls: Vec<ToolCall>) -> Self {
        Self {
            open: calls.into(),
            judged: Vec::new(),
        }
    }

    /// The call that is to be judged.
    pub(super) fn due(&self) -> Option<&ToolCall> {
        self.open.front()
    }

    /// What is said about the call that is due.
    pub(super) fn say(&mut self, permission: Permission) {
        if let Some(call) = self.open.pop_front() {
            let refusal = match permission {
                Permission::Granted => None,
                Permission::Refused(text) => Some(text),
            };
            self.judged.push(Judged { call, refusal });
        }
    }

    /// The judged calls, if there are any and none is left to be judged.
    pub(super) fn take_judged(&mut self) -> Option<Vec<Judged>> {
        let done = self.open.is_empty() && !self.judged.is_empty();
        done.then(|| std::mem::take(&mut self.judged))
    }

    /// Takes back all calls: nothing of this group runs.
    pub(super) fn take_back(&mut self) -> Vec<ToolCall> {
        let judged = self.judged.drain(..).map(|judged| judged.call);
        judged.chain(self.open.drain(..)).collect()
    }
}
