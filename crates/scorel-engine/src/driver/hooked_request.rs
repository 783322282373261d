//! Hooks that look at a request before its model call.

use scorel_proto::Context;

use super::{TurnDriver, TurnStep};
use crate::{BeforeRequest, EngineEvent};

impl TurnDriver {
    /// Shows the coming request to the hooks that have not seen it, and announces its call when all have.
    pub(super) async fn show_request(&mut self, messages: Context) -> Option<TurnStep> {
        let mut next = self.next_hook;
        let hooks = &self.ports.hooks;
        let found = tokio::select! {
            biased;
            found = hooks.before_request(&mut next, self.steps, &messages) => found,
            cause = self.stop.wait() => {
                self.state = self.stopped(cause);
                return None;
            }
        };
        self.next_hook = next;
        match found {
            BeforeRequest::Send => Some(self.announce_call(messages)),
            // The state is to get the context again, which has the message then.
            BeforeRequest::Inject(body) => Some(TurnStep::Event(EngineEvent::Injected(body))),
            BeforeRequest::Refuse(error) => {
                self.fail(error);
                None
            }
        }
    }
}
