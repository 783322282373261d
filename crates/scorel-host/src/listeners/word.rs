use scorel_proto::{
    Block, ClientId, OutcomeReason, QueueItem, QueueItemMeta, QueueKind, QueuedCustomMessage,
    excerpt,
};
use scorel_session::{Mutation, MutationCommand, ReceiptAnswer, Section, SessionError};

/// The bytes of what a hook says.
const MAX_TEXT: usize = 64 * 1024;

/// The messages that may wait in the queue besides.
const MAX_QUEUE: usize = 64;

/// The word of a hook that nothing has waited for. A running turn gets it as a steer; else it begins one, unless a
/// person has to go on first.
#[derive(Debug)]
pub(super) struct Word {
    hook: String,
    text: String,
}

impl Word {
    pub(super) fn new(hook: &str, text: &str) -> Self {
        Self {
            hook: hook.to_owned(),
            text: excerpt(text, MAX_TEXT),
        }
    }

    fn item(self, kind: QueueKind) -> QueueItem {
        let command = MutationCommand::new(ClientId::Daemon, None, "hook", &self.hook);
        let custom = QueuedCustomMessage {
            kind: format!("hook.{}", self.hook),
            internal: true,
            data: None,
        };
        QueueItem {
            meta: Some(QueueItemMeta {
                custom: Some(custom),
                ..QueueItemMeta::default()
            }),
            ..command.queue_item(kind, vec![Block::text(self.text)])
        }
    }
}

impl Mutation for Word {
    type Reply = ();

    fn command(&self) -> Option<&MutationCommand> {
        None
    }

    fn repeat(&self, _: &ReceiptAnswer, _: &Section<'_>) -> Option<()> {
        None
    }

    fn apply(self, section: &mut Section<'_>) -> Result<(), SessionError> {
        let (is_held, waiting) = {
            let view = section.view();
            let state = &view.state;
            let was_cancelled = state.last_outcome == Some(OutcomeReason::Cancelled);
            let held = state.archived || was_cancelled;
            let is_held = state.queue.paused || (!state.has_job() && held);
            (is_held, state.queue.items.len())
        };
        if waiting >= MAX_QUEUE {
            return Err(SessionError::QueueFull { limit: MAX_QUEUE });
        }
        section.enter_active()?;
        let kind = section.queued_as(QueueKind::Steer);
        section.add_to_queue(self.item(kind), is_held, false)?;
        section.go_on();
        Ok(())
    }
}
