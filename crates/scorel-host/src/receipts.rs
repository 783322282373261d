//! What is remembered of commands that belong to no session.
//!
//! A command that a client named is applied once, however often it is sent and whatever crashes in
//! between. Its receipt goes to `receipts.jsonl` and is synced **before** the effect. It names the
//! id of what the effect makes, so whoever finds the receipt without an end, a repetition or the
//! next start, carries the effect out under that id or sees that it is there already.
//!
//! How a receipt ends is written behind it:
//!
//! - `done` when the effect is there. This line is not synced: if it gets lost, the effect is found
//!   where it is. Only before something is deleted, the ends of what made it are synced, or the
//!   next start would make it again.
//! - `abandoned` when the effect was refused, for whatever reason. The command did not take effect,
//!   so nothing of it is remembered, and sent again it is checked again. The checks are part of the
//!   effect rather than before the receipt: there is one place for them, they hold for the next
//!   start too, and nothing can change between check and effect. This line is synced: what the
//!   client was told did not happen must not happen at the next start.

mod effect;
mod error;
mod file;
mod in_hand;
mod ledger;
mod line;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

pub(crate) use effect::{Effect, Subject};
pub(crate) use error::ReceiptError;
pub use file::MAX_BYTES;
pub(crate) use ledger::Begun;
pub(crate) use line::Key;

use crate::trusted_file::FileProblem;
use crate::unix_time::now_ms;
use in_hand::InHand;
use ledger::Ledger;

/// What is wrong with a line of the file, given without its newline.
#[must_use]
pub fn problem_of_line(bytes: &[u8]) -> Option<String> {
    let parsed = line::Line::parse(bytes);
    parsed.err().map(|error| error.to_string())
}

/// The receipts of the commands that belong to no session.
#[derive(Debug)]
pub(crate) struct HostReceipts {
    ledger: Arc<Mutex<Ledger>>,
    in_hand: InHand,
}

impl HostReceipts {
    /// Reads the file at `path`; a missing file is an empty one. Blocks on the disk.
    ///
    /// # Errors
    /// The file cannot be read safely. Damage in it is no error: it is logged, and kept aside when
    /// the file is rewritten.
    pub(crate) fn open(path: &Path) -> Result<Self, FileProblem> {
        Ok(Self {
            ledger: Arc::new(Mutex::new(Ledger::open(path, now_ms())?)),
            in_hand: InHand::default(),
        })
    }

    /// Waits until nobody else works on the same command. It is held until the receipt has its end.
    pub(crate) async fn take(&self, key: &Key) -> OwnedMutexGuard<()> {
        self.in_hand.take(key).await
    }

    /// Looks up the receipt of a command, or writes one that says what will be done.
    ///
    /// # Errors
    /// The command was used before for something else, or no receipt can be written.
    pub(crate) async fn begin(
        &self,
        key: Key,
        digest: String,
        effect: Effect,
    ) -> Result<Begun, ReceiptError> {
        self.with(|ledger| ledger.begin(key, digest, effect, now_ms()))
            .await?
    }

    /// The effect of a receipt is there, with `subject` as its result.
    pub(crate) async fn done(&self, key: Key, subject: Subject) {
        let end = self.with(move |ledger| ledger.done(&key, subject)).await;
        report(end, "a command's end was not noted");
    }

    /// The effect of a receipt is not there, and will not be.
    pub(crate) async fn abandon(&self, key: Key) {
        let end = self.with(move |ledger| ledger.abandon(&key)).await;
        report(end, "a command may be tried once more by the next start");
    }

    /// Makes sure that no start makes `subject` again, which is about to be deleted.
    pub(crate) async fn settle(&self, subject: Subject) {
        let settled = self.with(move |ledger| ledger.settle(subject)).await;
        report(settled, "a power failure may bring back what is deleted");
    }

    /// What was begun and has no end, in the order in which it was begun.
    pub(crate) async fn unfinished(&self) -> Vec<(Key, Effect)> {
        self.with(|ledger| ledger.unfinished())
            .await
            .unwrap_or_default()
    }

    async fn with<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Ledger) -> R + Send + 'static,
    ) -> Result<R, ReceiptError> {
        let ledger = Arc::clone(&self.ledger);
        // After a panic the file is at worst ahead of the memory, as after a crash.
        let work = move || work(&mut ledger.lock().unwrap_or_else(PoisonError::into_inner));
        tokio::task::spawn_blocking(work)
            .await
            .map_err(|error| ReceiptError::Internal(error.to_string()))
    }
}

/// The effect counts, not the note of it: the answer stays what it is.
fn report(result: Result<std::io::Result<()>, ReceiptError>, text: &'static str) {
    match result {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "{text}"),
        Err(error) => tracing::error!(%error, "{text}"),
    }
}
