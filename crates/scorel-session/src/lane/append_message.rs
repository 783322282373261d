use scorel_proto::{
    AppendCustomMessageResult, AppendResult, CustomMessageBody, InternalMessage, Message,
    PersistentBody, QueueItem, QueueItemMeta, QueueKind, QueuedCustomMessage, SendMessageResult,
    UserMessage,
};

use super::mutate::Mutation;
use super::{EventDraft, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// `appendCustomMessage`: adds a message without starting a turn. An open turn gets it as a steer.
///
/// Refused with [`SessionError::Busy`] while a turn is being cancelled or another job runs.
#[derive(Debug)]
pub struct AppendMessage {
    pub command: MutationCommand,
    /// Its message is one of a user or an internal one.
    pub body: CustomMessageBody,
}

impl Mutation for AppendMessage {
    type Reply = AppendCustomMessageResult;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        match answer {
            ReceiptAnswer::Appended(AppendResult { event_id, seq }) => {
                Some(AppendCustomMessageResult::Appended {
                    event_id: *event_id,
                    seq: *seq,
                })
            }
            ReceiptAnswer::Sent(SendMessageResult::Queued {
                queue_item_id,
                position,
                seq,
                ..
            }) => Some(AppendCustomMessageResult::Queued {
                queue_item_id: *queue_item_id,
                position: *position,
                seq: *seq,
            }),
            _ => None,
        }
    }

    /// A cancelled turn reads nothing more, and other jobs have no model call that would. To wait
    /// there as a follow-up would start a turn, which this method never does.
    fn check_busy(&self, section: &Section<'_>) -> Result<(), SessionError> {
        let has_job = section.view().state.has_job() || section.lane.has_job();
        if has_job && !section.takes_steers() {
            return Err(section.busy());
        }
        Ok(())
    }

    /// A message between a tool call and its result would break the request, so an open turn gets it
    /// as a steer.
    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        if section.takes_steers() {
            return section.queue_custom_message(self);
        }
        let body = PersistentBody::CustomMessage(self.body);
        let event = section.commit_and_announce(EventDraft::new(body).by(&self.command))?;
        Ok(AppendCustomMessageResult::Appended {
            event_id: event.id,
            seq: event.seq,
        })
    }
}

impl Section<'_> {
    fn queue_custom_message(
        &mut self,
        request: AppendMessage,
    ) -> Result<AppendCustomMessageResult, SessionError> {
        let position = self.queue_position()?;
        let item = queued(request)?;
        self.check_queue_bytes(&item)?;
        let queue_item_id = item.queue_item_id;
        let seq = self.enqueue(item)?;
        Ok(AppendCustomMessageResult::Queued {
            queue_item_id,
            position: u32::try_from(position).unwrap_or(u32::MAX),
            seq,
        })
    }
}

fn queued(request: AppendMessage) -> Result<QueueItem, SessionError> {
    let CustomMessageBody {
        kind,
        message,
        data,
        ..
    } = request.body;
    let (content, internal) = match message {
        Message::User(UserMessage { content, .. }) => (content, false),
        Message::Internal(InternalMessage { content, .. }) => (content, true),
        Message::Assistant(_) | Message::ToolResult(_) => {
            let text = "answers and results come from turns".to_owned();
            return Err(SessionError::InvalidParams(text));
        }
    };
    let custom = QueuedCustomMessage {
        kind,
        internal,
        data,
    };
    Ok(QueueItem {
        meta: Some(QueueItemMeta {
            custom: Some(custom),
            ..QueueItemMeta::default()
        }),
        ..request.command.queue_item(QueueKind::Steer, content)
    })
}
