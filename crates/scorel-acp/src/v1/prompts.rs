use std::sync::{Mutex, MutexGuard, PoisonError};

use scorel_proto::{
    CommandId, PersistentBody, PersistentEvent, QueueItemId, QueueOp, SendMessageResult, TurnId,
    TurnOutcomeBody,
};
use tokio::sync::{oneshot, watch};

use crate::failure::Failure;

/// The prompts of a session that can wait for their turns at a time.
const MAX_PROMPTS: usize = 64;

/// The end of a prompt.
#[derive(Debug)]
pub(super) enum PromptEnd {
    /// Its turn has ended.
    Outcome(TurnOutcomeBody),
    /// It was taken from the queue before its turn.
    Removed,
    /// Its session can no longer be followed.
    Lost(Failure),
}

/// The prompts of one session that are not answered, in the order of their arrival.
#[derive(Debug)]
pub(super) struct Prompts {
    open: Mutex<Vec<OpenPrompt>>,
    /// The number of prompts of which it is not known where they are.
    unplaced: watch::Sender<usize>,
}

#[derive(Debug)]
struct OpenPrompt {
    command_id: CommandId,
    place: PromptPlace,
    end: oneshot::Sender<PromptEnd>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PromptPlace {
    /// On its way to the daemon.
    Sent,
    Queued(QueueItemId),
    Turn(TurnId),
}

impl Default for Prompts {
    fn default() -> Self {
        Self {
            open: Mutex::default(),
            unplaced: watch::Sender::new(0),
        }
    }
}

impl Prompts {
    /// Opens a prompt before it is sent, so that no event of its turn can be missed. `None` if too many are open.
    pub(super) fn open(&self, command_id: CommandId) -> Option<oneshot::Receiver<PromptEnd>> {
        let (end, ended) = oneshot::channel();
        let mut open = self.lock();
        if open.len() >= MAX_PROMPTS {
            return None;
        }
        open.push(OpenPrompt {
            command_id,
            place: PromptPlace::Sent,
            end,
        });
        self.count(&open);
        Some(ended)
    }

    /// Gives an open prompt another command id, with which it is sent anew.
    pub(super) fn rename(&self, old: &CommandId, new: CommandId) {
        if let Some(prompt) = self.lock().iter_mut().find(|open| open.command_id == *old) {
            prompt.command_id = new;
        }
    }

    /// Forgets a prompt that the daemon refused.
    pub(super) fn forget(&self, command_id: &CommandId) {
        let mut open = self.lock();
        open.retain(|prompt| prompt.command_id != *command_id);
        self.count(&open);
    }

    /// Notes where the daemon put a prompt. Its events may have told more already.
    pub(super) fn placed(&self, command_id: &CommandId, result: &SendMessageResult) {
        let place = match result {
            SendMessageResult::Accepted { turn_id, .. } => PromptPlace::Turn(*turn_id),
            SendMessageResult::Queued { queue_item_id, .. } => PromptPlace::Queued(*queue_item_id),
        };
        let mut open = self.lock();
        let prompt = open
            .iter_mut()
            .find(|prompt| prompt.command_id == *command_id && prompt.place == PromptPlace::Sent);
        if let Some(prompt) = prompt {
            prompt.place = place;
        }
        self.count(&open);
    }

    /// Waits until it is known where each prompt is.
    pub(super) async fn all_placed(&self) {
        // Fails only without a sender, which this has.
        drop(
            self.unplaced
                .subscribe()
                .wait_for(|count| *count == 0)
                .await,
        );
    }

    /// Where the open prompts are.
    pub(super) fn places(&self) -> Vec<PromptPlace> {
        self.lock().iter().map(|prompt| prompt.place).collect()
    }

    /// Takes an event. True if it is the message of an open prompt, which the editor shows already.
    pub(super) fn event(&self, event: &PersistentEvent) -> bool {
        let mut open = self.lock();
        if open.is_empty() {
            return false;
        }
        let mut is_own = false;
        match &event.body {
            PersistentBody::Message(body) => {
                for prompt in open.iter_mut() {
                    let queued = body.queue_item_id.map(PromptPlace::Queued);
                    let by_command = event.command_id.as_ref() == Some(&prompt.command_id);
                    if by_command || Some(prompt.place) == queued {
                        is_own = true;
                        prompt.place = event.turn_id.map_or(prompt.place, PromptPlace::Turn);
                    }
                }
            }
            PersistentBody::QueueUpdate(body) => {
                body.ops.iter().for_each(|op| queue_changed(&mut open, op));
            }
            PersistentBody::TurnOutcome(body) => {
                let turn = event.turn_id.map(PromptPlace::Turn);
                end_all(
                    &mut open,
                    |prompt| Some(prompt.place) == turn,
                    || PromptEnd::Outcome(body.clone()),
                );
            }
            _ => {}
        }
        self.count(&open);
        is_own
    }

    /// Ends all prompts: no event comes any more.
    pub(super) fn lose(&self, failure: &Failure) {
        let mut open = self.lock();
        end_all(&mut open, |_| true, || PromptEnd::Lost(failure.clone()));
        self.count(&open);
    }

    fn count(&self, open: &[OpenPrompt]) {
        let sent = |prompt: &&OpenPrompt| prompt.place == PromptPlace::Sent;
        let count = open.iter().filter(sent).count();
        self.unplaced
            .send_if_modified(|known| std::mem::replace(known, count) != count);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<OpenPrompt>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn queue_changed(open: &mut Vec<OpenPrompt>, op: &QueueOp) {
    match op {
        QueueOp::Add { item, .. } => {
            let added = open.iter_mut().find(|prompt| {
                item.command_id.as_ref() == Some(&prompt.command_id)
                    && prompt.place == PromptPlace::Sent
            });
            if let Some(prompt) = added {
                prompt.place = PromptPlace::Queued(item.queue_item_id);
            }
        }
        QueueOp::Remove { queue_item_id } => {
            let removed = PromptPlace::Queued(*queue_item_id);
            end_all(
                open,
                |prompt| prompt.place == removed,
                || PromptEnd::Removed,
            );
        }
        _ => {}
    }
}

fn end_all(
    open: &mut Vec<OpenPrompt>,
    ends: impl Fn(&OpenPrompt) -> bool,
    end: impl Fn() -> PromptEnd,
) {
    for prompt in open.extract_if(.., |prompt| ends(prompt)) {
        // Fails if the editor withdrew the prompt.
        drop(prompt.end.send(end()));
    }
}
