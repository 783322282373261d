use scorel_engine::EngineEvent;
use scorel_proto::{
    AssistantMessage, Block, InternalMessage, Message, MessageBody, Meta, PersistentBody,
    StopReason, TurnError,
};

use super::task::TurnTask;
use crate::SessionError;

/// The message by which the model learns that its answer said nothing.
const ASKED_AGAIN: &str = "Your answer had no text and called no tool. Answer the user, or go on with the \
    work.";

/// Returns whether the last answer of a turn says something. Models end turns with nothing at times, and a turn
/// that ended so would look like a success without a word.
#[derive(Debug, Default)]
pub(super) struct EmptyAnswer {
    is_last: bool,
    asked_again: bool,
}

impl EmptyAnswer {
    pub(super) fn look_at(&mut self, event: &EngineEvent) {
        if let EngineEvent::MessageEnd { message } = event {
            self.is_last = message.stop_reason == StopReason::EndTurn && says_nothing(message);
        }
    }

    /// Asks the model once more, if its last answer says nothing and `may_go_on`. The error is how the
    /// turn ends if it says nothing again.
    pub(super) async fn ask_again(
        &mut self,
        task: &TurnTask,
        may_go_on: bool,
    ) -> Result<Result<bool, TurnError>, SessionError> {
        if !self.is_last || task.stop.cause().is_some() {
            return Ok(Ok(false));
        }
        if self.asked_again || !may_go_on {
            return Ok(Err(said_nothing()));
        }
        self.asked_again = true;
        let note = Message::Internal(InternalMessage {
            content: vec![Block::text(ASKED_AGAIN)],
            meta: Meta::default(),
        });
        let body = PersistentBody::Message(MessageBody::new(note));
        task.commit(body).await?;
        Ok(Ok(true))
    }
}

/// Thinking says nothing to the user, nor does what an endpoint wants back without showing it.
fn says_nothing(message: &AssistantMessage) -> bool {
    message.content.iter().all(|block| match block {
        Block::Thinking { .. } => true,
        Block::Text { text, .. } => text.trim().is_empty(),
        _ => false,
    })
}

fn said_nothing() -> TurnError {
    TurnError {
        code: "empty_answer".to_owned(),
        message: "the model's answer is empty".to_owned(),
        retryable: true,
        hint: Some("send the message again, in other words, or choose another model".to_owned()),
        resets_at: None,
        sizes: None,
    }
}
