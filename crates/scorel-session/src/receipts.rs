use std::collections::HashMap;

use scorel_proto::{
    ClientId, CommandId, Message, MessageBody, PersistentBody, PersistentEvent, QueueOp,
    SendMessageResult, Seq, WhileRunning,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::SessionError;

/// A client's name for one mutation, with what the mutation was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Who sent it.
    pub client_id: ClientId,
    /// The client's name for it; without one it is not remembered.
    pub id: Option<CommandId>,
    /// The SHA-256 of its method and parameters, in hexadecimal.
    pub digest: String,
}

impl Command {
    /// Names a call of `method` with `params`, which must not contain the command id.
    #[must_use]
    pub fn new<P: Serialize>(
        client_id: ClientId,
        id: Option<CommandId>,
        method: &str,
        params: &P,
    ) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(method.as_bytes());
        hasher.update([0]);
        // Parameters come out of JSON, so they go back into it, and a hash takes what it is given.
        let _ = serde_json::to_writer(&mut hasher, params);
        let digest = hasher
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Self {
            client_id,
            id,
            digest,
        }
    }
}

/// What was answered to commands that took effect, folded from the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Receipts {
    answers: HashMap<(ClientId, CommandId), Receipt>,
    /// How many there were after the old ones were last forgotten.
    pruned: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Receipt {
    digest: String,
    /// When the command took effect, in milliseconds since 1970.
    ts: u64,
    answer: Answer,
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Answer {
    Sent(SendMessageResult),
    Done(Seq),
}

/// One receipt as a checkpoint keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredReceipt {
    client_id: ClientId,
    command_id: CommandId,
    #[serde(flatten)]
    receipt: Receipt,
}

/// How long receipts are kept at least.
const KEEP_MS: u64 = 14 * 24 * 60 * 60 * 1000;

/// Fewer receipts than this are not worth looking through.
const PRUNE_FROM: usize = 256;

impl Receipts {
    /// The answer that this command has had.
    pub(crate) fn find(&self, command: &Command) -> Result<Option<&Answer>, SessionError> {
        let Some(id) = &command.id else {
            return Ok(None);
        };
        match self.answers.get(&(command.client_id, id.clone())) {
            Some(receipt) if receipt.digest == command.digest => Ok(Some(&receipt.answer)),
            Some(_) => Err(SessionError::Conflict(format!(
                "command {id} was used before for something else"
            ))),
            None => Ok(None),
        }
    }

    /// Folds one more record. `queue_len` is the length of the queue after it.
    pub(crate) fn apply(&mut self, event: &PersistentEvent, queue_len: usize) {
        if event.origin.is_some() {
            return;
        }
        if let PersistentBody::QueueUpdate(body) = &event.body {
            for op in &body.ops {
                if let QueueOp::Add { item } = op
                    && let (Some(id), Some(digest)) = (&item.command_id, &item.digest)
                {
                    let answer = Answer::Sent(SendMessageResult::Queued {
                        queue: WhileRunning::FollowUp,
                        queue_item_id: item.queue_item_id,
                        position: u32::try_from(queue_len.saturating_sub(1)).unwrap_or(u32::MAX),
                        seq: event.seq,
                    });
                    self.insert(item.client_id, id, digest, event.ts, answer);
                }
            }
            return;
        }
        if let (Some(id), Some(digest)) = (&event.command_id, &event.digest) {
            self.insert(event.client_id, id, digest, event.ts, answer(event));
        }
    }

    fn insert(&mut self, client: ClientId, id: &CommandId, digest: &str, ts: u64, answer: Answer) {
        let receipt = Receipt {
            digest: digest.to_owned(),
            ts,
            answer,
        };
        self.answers.insert((client, id.clone()), receipt);
        self.prune(ts);
    }

    /// Forgets old receipts whenever their number has doubled, so that each costs little.
    fn prune(&mut self, now: u64) {
        if self.answers.len() >= PRUNE_FROM.max(self.pruned * 2) {
            self.answers.retain(|_, receipt| receipt.is_young(now));
            self.pruned = self.answers.len();
        }
    }

    /// What a checkpoint keeps: receipts that may still be asked for.
    pub(crate) fn stored(&self, now: u64) -> Vec<StoredReceipt> {
        self.answers
            .iter()
            .filter(|(_, receipt)| receipt.is_young(now))
            .map(|((client_id, command_id), receipt)| StoredReceipt {
                client_id: *client_id,
                command_id: command_id.clone(),
                receipt: receipt.clone(),
            })
            .collect()
    }

    pub(crate) fn restore(stored: Vec<StoredReceipt>) -> Self {
        let entry = |entry: StoredReceipt| ((entry.client_id, entry.command_id), entry.receipt);
        let answers: HashMap<_, _> = stored.into_iter().map(entry).collect();
        Self {
            pruned: answers.len(),
            answers,
        }
    }
}

impl Receipt {
    fn is_young(&self, now: u64) -> bool {
        self.ts.saturating_add(KEEP_MS) >= now
    }
}

fn answer(event: &PersistentEvent) -> Answer {
    match (&event.body, event.turn_id) {
        (
            PersistentBody::Message(MessageBody {
                message: Message::User(_),
                ..
            }),
            Some(turn_id),
        ) => Answer::Sent(SendMessageResult::Accepted {
            user_event_id: event.id,
            turn_id,
            seq: event.seq,
        }),
        _ => Answer::Done(event.seq),
    }
}
