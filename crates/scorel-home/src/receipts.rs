//! Receipts: commands that belong to no session take effect exactly once.
//!
//! A command with a `commandId` is applied once, however often it is sent and whatever crashes in
//! between. Its `begun` line goes to `receipts.jsonl` and is synced **before** the effect. The line
//! contains the id that the effect will create, so a retry or the next start can apply the effect
//! under that id, or find that it exists.
//!
//! A second line ends the receipt:
//!
//! - `done` after the effect. It is not synced: if it is lost, the effect is still found by its id.
//!   Only before a deletion the `done` lines of what created the object are synced; otherwise the
//!   next start would create it again.
//! - `abandoned` when the effect was refused. Nothing of the command is remembered, so a retry is
//!   checked again. The checks are part of the effect and do not precede the receipt: they then hold
//!   at the next start too, and nothing can change between check and effect. The line is synced: what
//!   a client was told did not happen must not happen at the next start.

mod command_locks;
mod effect;
mod error;
mod file;
mod ledger;
mod line;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

pub use effect::{Effect, RunChange, Subject};
pub use error::ReceiptError;
pub use file::MAX_BYTES;
pub use ledger::BeginOutcome;
pub use line::CommandKey;

use crate::trusted_file::FileProblem;
use crate::unix_time::now_ms;
use command_locks::CommandLocks;
use ledger::Ledger;

/// What is wrong with a line of `receipts.jsonl`, given without its newline; `None` if it is intact.
pub fn problem_of_line(bytes: &[u8]) -> Option<String> {
    let parsed = line::ReceiptLine::parse(bytes);
    parsed.err().map(|error| error.to_string())
}

/// The receipts of commands that belong to no session.
#[derive(Debug)]
pub struct HostReceipts {
    ledger: Arc<Mutex<Ledger>>,
    command_locks: CommandLocks,
}

impl HostReceipts {
    /// Reads the file at `path`; a missing file means no receipts. Blocks on the disk. Damaged lines
    /// are logged and skipped, and a copy of the file is kept before it is rewritten.
    pub fn open(path: &Path) -> Result<Self, FileProblem> {
        Ok(Self {
            ledger: Arc::new(Mutex::new(Ledger::open(path, now_ms())?)),
            command_locks: CommandLocks::default(),
        })
    }

    /// Locks the command, so that a concurrent retry waits until its receipt has ended.
    pub async fn take(&self, key: &CommandKey) -> OwnedMutexGuard<()> {
        self.command_locks.take(key).await
    }

    /// Looks up the receipt of a command, or writes a durable `begun` line.
    pub async fn begin(
        &self,
        key: CommandKey,
        digest: String,
        effect: Effect,
    ) -> Result<BeginOutcome, ReceiptError> {
        self.with(|ledger| ledger.begin(key, digest, effect, now_ms()))
            .await?
    }

    /// Ends the receipt of a command that took effect on `subject`.
    pub async fn done(&self, key: CommandKey, subject: Subject) {
        let end = self.with(move |ledger| ledger.done(&key, subject)).await;
        report(end, "a command's end was not recorded");
    }

    /// Ends the receipt of a command that was refused.
    pub async fn abandon(&self, key: CommandKey) {
        let end = self.with(move |ledger| ledger.abandon(&key)).await;
        report(end, "a command may be tried once more by the next start");
    }

    /// Before `subject` is deleted: makes durable that whatever created it is done, or the next start
    /// would create it again.
    pub async fn settle(&self, subject: Subject) {
        let settled = self.with(move |ledger| ledger.settle(&subject)).await;
        report(settled, "a power failure may bring back what is deleted");
    }

    /// Receipts without an end, in the order in which they were begun.
    pub async fn unfinished(&self) -> Vec<(CommandKey, Effect)> {
        self.with(|ledger| ledger.unfinished())
            .await
            .unwrap_or_default()
    }

    async fn with<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Ledger) -> R + Send + 'static,
    ) -> Result<R, ReceiptError> {
        let ledger = Arc::clone(&self.ledger);
        // Poisoning can be ignored: after a panic the file is at worst ahead of memory, as after a
        // crash.
        let work = move || work(&mut ledger.lock().unwrap_or_else(PoisonError::into_inner));
        scorel_engine::spawn_blocking(work)
            .await
            .map_err(|error| ReceiptError::Internal(error.to_string()))
    }
}

/// Logs a failure to end a receipt. The call's result stands: the effect has happened, or not.
fn report(result: Result<std::io::Result<()>, ReceiptError>, text: &'static str) {
    match result {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "{text}"),
        Err(error) => tracing::error!(%error, "{text}"),
    }
}
