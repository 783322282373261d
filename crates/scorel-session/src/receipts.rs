use std::collections::HashMap;

use scorel_proto::{
    AppendResult, Block, ClientId, CommandId, CompactionId, Message, MessageBody, PersistentBody,
    PersistentEvent, QueueItem, QueueItemId, QueueKind, QueueOp, SendMessageResult, Seq,
    SpawnRuntimeResult,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::SessionError;

/// Who asks for a mutation, and the key under which a retry finds its receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MutationCommand {
    pub client_id: ClientId,
    /// Without an id the mutation leaves no receipt.
    pub id: Option<CommandId>,
    /// SHA-256 of method and parameters, in hexadecimal. Tells a retry from a reused id.
    pub digest: String,
}

impl MutationCommand {
    /// The command of a call. `params` must not contain the command id, or renaming a retry would
    /// make it another command.
    pub fn new<P: Serialize>(
        client_id: ClientId,
        id: Option<CommandId>,
        method: &str,
        params: &P,
    ) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(method.as_bytes());
        hasher.update([0]);
        // Cannot fail: the parameters came from JSON, and a hasher accepts every write.
        let _ = serde_json::to_writer(&mut hasher, params);
        Self {
            client_id,
            id,
            digest: format!("{:x}", hasher.finalize()),
        }
    }
    /// An item of the queue, which carries its own receipt.
    pub fn queue_item(self, kind: QueueKind, content: Vec<Block>) -> QueueItem {
        QueueItem {
            queue_item_id: QueueItemId::generate(),
            kind,
            content,
            client_id: self.client_id,
            edited_by: None,
            meta: None,
            digest: self.id.is_some().then_some(self.digest),
            command_id: self.id,
        }
    }
}

/// The replies to commands that took effect, folded from the log.
///
/// A receipt is part of the record that carries out its command. So both become durable in one sync,
/// and no crash separates them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Receipts {
    by_command: HashMap<(ClientId, CommandId), Receipt>,
    /// How many were left by the last prune.
    pruned: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Receipt {
    digest: String,
    /// When the command took effect, in milliseconds since 1970.
    ts: u64,
    answer: ReceiptAnswer,
}

/// What a command was answered. Checkpoints store it, so the names are a file format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ReceiptAnswer {
    Sent(SendMessageResult),
    Appended(AppendResult),
    /// A reply that is no more than the seq of its record.
    Done(Seq),
    /// `rewriteQueue`, and `cancel` with `clearQueue`.
    QueueUpdated {
        /// True if a turn took a cancel's signal.
        cancelled: bool,
        seq: Seq,
        version: u64,
    },
    /// `spawnRuntime`.
    Spawned(SpawnRuntimeResult),
    /// `compact`.
    CompactionStarted {
        seq: Seq,
        compaction_id: CompactionId,
    },
}

impl ReceiptAnswer {
    /// The answer to a message.
    pub fn sent(&self) -> Option<SendMessageResult> {
        match self {
            Self::Sent(answer) => Some(answer.clone()),
            _ => None,
        }
    }

    /// The seq of a command that has no other answer.
    pub const fn done(&self) -> Option<Seq> {
        match self {
            Self::Done(seq) => Some(*seq),
            _ => None,
        }
    }
}

/// A receipt in a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredReceipt {
    client_id: ClientId,
    command_id: CommandId,
    #[serde(flatten)]
    receipt: Receipt,
}

/// How long receipts are kept: twice the seven days that the protocol promises.
const KEEP_MS: u64 = 14 * 24 * 60 * 60 * 1000;

/// Below this many receipts nothing is pruned.
const PRUNE_FROM: usize = 256;

impl Receipts {
    /// The reply to this command, if it was carried out before.
    ///
    /// # Errors
    ///
    /// [`SessionError::Conflict`] if the client has used the id for another command.
    pub(crate) fn find(
        &self,
        command: &MutationCommand,
    ) -> Result<Option<&ReceiptAnswer>, SessionError> {
        let Some(id) = &command.id else {
            return Ok(None);
        };
        match self.by_command.get(&(command.client_id, id.clone())) {
            Some(receipt) if receipt.digest == command.digest => Ok(Some(&receipt.answer)),
            Some(_) => Err(SessionError::Conflict(format!(
                "command {id} was used before with another method or other parameters"
            ))),
            None => Ok(None),
        }
    }

    /// Folds a record. `queue_len` is the length of the queue after it.
    pub(crate) fn apply(&mut self, event: &PersistentEvent, queue_len: usize) {
        if event.origin.is_some() {
            // Copied history: its commands were addressed to another session.
            return;
        }
        if let PersistentBody::QueueUpdate(body) = &event.body {
            self.queued(event, &body.ops, queue_len);
        }
        if let (Some(id), Some(digest)) = (&event.command_id, &event.digest) {
            self.insert(event.client_id, id, digest, event.ts, answer(event));
        }
    }

    /// The receipt of a queued message is in its item.
    fn queued(&mut self, event: &PersistentEvent, ops: &[QueueOp], queue_len: usize) {
        for op in ops {
            if let QueueOp::Add { item, .. } = op
                && let (Some(id), Some(digest)) = (&item.command_id, &item.digest)
            {
                let answer = ReceiptAnswer::Sent(SendMessageResult::Queued {
                    queue: item.kind,
                    queue_item_id: item.queue_item_id,
                    position: u32::try_from(queue_len.saturating_sub(1)).unwrap_or(u32::MAX),
                    seq: event.seq,
                });
                self.insert(item.client_id, id, digest, event.ts, answer);
            }
        }
    }

    fn insert(
        &mut self,
        client: ClientId,
        id: &CommandId,
        digest: &str,
        ts: u64,
        answer: ReceiptAnswer,
    ) {
        let receipt = Receipt {
            digest: digest.to_owned(),
            ts,
            answer,
        };
        self.by_command.insert((client, id.clone()), receipt);
        self.prune(ts);
    }

    /// Drops old receipts each time their number has doubled: amortised, an insert stays O(1).
    fn prune(&mut self, now: u64) {
        if self.by_command.len() >= PRUNE_FROM.max(self.pruned * 2) {
            self.by_command
                .retain(|(client, _), receipt| is_kept(*client, receipt, now));
            self.pruned = self.by_command.len();
        }
    }

    /// The receipts for a checkpoint, without expired ones.
    pub(crate) fn stored(&self, now: u64) -> Vec<StoredReceipt> {
        self.by_command
            .iter()
            .filter(|((client, _), receipt)| is_kept(*client, receipt, now))
            .map(|((client_id, command_id), receipt)| StoredReceipt {
                client_id: *client_id,
                command_id: command_id.clone(),
                receipt: receipt.clone(),
            })
            .collect()
    }

    pub(crate) fn restore(stored: Vec<StoredReceipt>) -> Self {
        let entry = |entry: StoredReceipt| ((entry.client_id, entry.command_id), entry.receipt);
        let by_command: HashMap<_, _> = stored.into_iter().map(entry).collect();
        Self {
            pruned: by_command.len(),
            by_command,
        }
    }
}

/// The daemon repeats its own commands for as long as the task is there that they belong to.
fn is_kept(client: ClientId, receipt: &Receipt, now: u64) -> bool {
    client == ClientId::Daemon || receipt.ts.saturating_add(KEEP_MS) >= now
}

fn answer(event: &PersistentEvent) -> ReceiptAnswer {
    match (&event.body, event.turn_id) {
        (
            PersistentBody::Message(MessageBody {
                message: Message::User(_),
                ..
            }),
            Some(turn_id),
        ) => ReceiptAnswer::Sent(SendMessageResult::Accepted {
            user_event_id: event.id,
            turn_id,
            seq: event.seq,
        }),
        (PersistentBody::Custom(_) | PersistentBody::CustomMessage(_), _) => {
            ReceiptAnswer::Appended(AppendResult {
                event_id: event.id,
                seq: event.seq,
            })
        }
        (PersistentBody::QueueUpdate(body), _) => ReceiptAnswer::QueueUpdated {
            cancelled: body.records_cancel(),
            seq: event.seq,
            version: body.version,
        },
        (PersistentBody::Compaction(body), _) => ReceiptAnswer::CompactionStarted {
            seq: event.seq,
            compaction_id: body.compaction_id,
        },
        (PersistentBody::RuntimeSpawned(body), _) => ReceiptAnswer::Spawned(SpawnRuntimeResult {
            runtime_id: body.stamp.runtime_id,
            session_id: body.session_id,
            seq: event.seq,
        }),
        _ => ReceiptAnswer::Done(event.seq),
    }
}
