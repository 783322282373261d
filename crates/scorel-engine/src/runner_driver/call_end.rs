use super::RunnerDriver;
use super::hooking::{Aftermath, CallSeen};
use super::step::EarlyEnd;
use crate::ports::RunnerCallEnd;

impl RunnerDriver {
    /// A call has ended. Nothing more is read from the runner until the hooks have seen it.
    pub(super) fn end_call(&mut self, end: RunnerCallEnd) {
        let call = self.calls.get(&end.call_id);
        let seen = call.filter(|_| !self.ports.hooks.is_empty()).cloned();
        match seen {
            Some(call) => {
                self.aftermath = Some(Aftermath::begin(self.ports.hooks.clone(), call, end));
            }
            None => {
                let ended = self.calls.end(end, self.ports.clock.now());
                self.events(ended);
            }
        }
    }

    pub(super) fn call_seen(&mut self, seen: CallSeen) {
        self.heard_at = self.ports.clock.now();
        let ended = self.calls.end(seen.end, self.heard_at);
        self.events(ended);
        if seen.ends_turn {
            self.end_early(EarlyEnd::Hook);
        }
    }
}
