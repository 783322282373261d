use std::collections::HashMap;
use std::io;
use std::path::Path;

use indexmap::IndexMap;

use super::ReceiptError;
use super::effect::{Effect, Subject};
use super::file::ReceiptsFile;
use super::line::{CommandKey, HostOutcome, HostReceipt, ReceiptLine};
use crate::trusted_file::FileProblem;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// How long a finished command is remembered, unless there are too many.
const KEEP_MS: u64 = 14 * DAY_MS;

/// How long it is remembered in any case.
const KEEP_AT_LEAST_MS: u64 = 7 * DAY_MS;

/// Beyond this, commands with an id are refused.
pub(super) const MAX_RECEIPTS: usize = 100_000;

/// Below this number nothing is pruned.
const PRUNE_FROM: usize = 256;

/// The receipts, in memory and in the file. Methods block on the disk.
#[derive(Debug)]
pub(super) struct Ledger {
    file: ReceiptsFile,
    /// Ordered by insertion and not by time: the clock may stand still or go back.
    begun: IndexMap<CommandKey, HostReceipt<Effect>>,
    done: HashMap<CommandKey, HostReceipt<HostOutcome>>,
    /// The number of receipts at which old ones are pruned next.
    prune_at: usize,
}

/// What the receipts say about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BeginOutcome {
    /// It is new; its `begun` line is durable now.
    New(Effect),
    /// It was begun before and may or may not have taken effect.
    Retried(Effect),
    /// It has taken effect.
    Done(Subject),
}

impl Ledger {
    pub(super) fn open(path: &Path, now: u64) -> Result<Self, FileProblem> {
        let (file, bytes) = ReceiptsFile::open(path)?;
        let mut ledger = Self {
            file,
            begun: IndexMap::new(),
            done: HashMap::new(),
            prune_at: PRUNE_FROM,
        };
        let mut offset = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            match ReceiptLine::parse(&line[..line.len() - 1]) {
                Ok(line) => ledger.apply(line),
                Err(reason) => {
                    tracing::error!(path = %path.display(), offset, bytes = line.len(), %reason,
                        "a damaged receipt is skipped");
                    ledger.file.mark_damaged();
                }
            }
            offset += line.len();
        }
        ledger.forget(now, KEEP_MS);
        Ok(ledger)
    }

    fn apply(&mut self, line: ReceiptLine) {
        match line {
            ReceiptLine::Begun(receipt) => {
                self.begun.insert(receipt.key.clone(), receipt);
            }
            ReceiptLine::Done(receipt) => {
                self.begun.shift_remove(&receipt.key);
                self.done.insert(receipt.key.clone(), receipt);
            }
            ReceiptLine::Abandoned(key) => {
                self.begun.shift_remove(&key);
            }
        }
    }

    /// Looks up a command, or appends and syncs its `begun` line.
    pub(super) fn begin(
        &mut self,
        key: CommandKey,
        digest: String,
        effect: Effect,
        now: u64,
    ) -> Result<BeginOutcome, ReceiptError> {
        if let Some(known) = self.begun.get(&key) {
            check_digest(known, &digest)?;
            return Ok(BeginOutcome::Retried(known.what.clone()));
        }
        if let Some(known) = self.done.get(&key) {
            check_digest(known, &digest)?;
            return Ok(BeginOutcome::Done(known.what.subject.clone()));
        }
        self.make_room(now)?;
        let receipt = HostReceipt {
            key,
            digest,
            ts: now,
            what: effect.clone(),
        };
        let line = ReceiptLine::Begun(receipt);
        self.write(&line)?;
        self.file.sync()?;
        // Only now: a receipt that may not be durable must not permit the effect.
        self.apply(line);
        Ok(BeginOutcome::New(effect))
    }

    /// Appends the `done` line without syncing: the next sync includes it.
    pub(super) fn done(&mut self, key: &CommandKey, subject: Subject) -> io::Result<()> {
        let Some(receipt) = self.begun.shift_remove(key) else {
            return Ok(());
        };
        let method = receipt.what.method();
        let line = ReceiptLine::Done(HostReceipt {
            key: receipt.key,
            digest: receipt.digest,
            ts: receipt.ts,
            what: HostOutcome { method, subject },
        });
        // Before the write: the effect has happened, so even if the disk refuses the line, a retry must
        // not apply it again while this daemon runs.
        self.apply(line.clone());
        self.write(&line)
    }

    /// Appends and syncs the `abandoned` line.
    pub(super) fn abandon(&mut self, key: &CommandKey) -> io::Result<()> {
        self.begun.shift_remove(key);
        self.write(&ReceiptLine::Abandoned(key.clone()))?;
        self.file.sync()
    }

    /// Ends the receipts of the commands that created `subject`, and syncs.
    pub(super) fn settle(&mut self, subject: &Subject) -> io::Result<()> {
        let makers: Vec<CommandKey> = self
            .begun
            .values()
            .filter(|receipt| receipt.what.makes().as_ref() == Some(subject))
            .map(|receipt| receipt.key.clone())
            .collect();
        for key in makers {
            self.done(&key, subject.clone())?;
        }
        if self.file.is_synced() {
            Ok(())
        } else if self.file.wants_rewriting() {
            // The file may have lost a line; rewriting writes all of them durably.
            self.rewrite()
        } else {
            self.file.sync()
        }
    }

    /// Receipts without an end, in the order in which they were begun.
    pub(super) fn unfinished(&self) -> Vec<(CommandKey, Effect)> {
        self.begun
            .iter()
            .map(|(key, receipt)| (key.clone(), receipt.what.clone()))
            .collect()
    }

    fn write(&mut self, line: &ReceiptLine) -> io::Result<()> {
        if self.file.wants_rewriting() {
            self.rewrite()?;
        }
        self.file.append(&line.seal()?)
    }

    /// Compacts the file to the receipts in memory.
    fn rewrite(&mut self) -> io::Result<()> {
        let begun = self.begun.values().cloned().map(ReceiptLine::Begun);
        let done = self.done.values().cloned().map(ReceiptLine::Done);
        let mut lines = Vec::new();
        for line in begun.chain(done) {
            lines.extend_from_slice(&line.seal()?);
        }
        self.file.rewrite(&lines)
    }

    /// Makes room for one more. Pruning scans all receipts, so it happens whenever their number has
    /// doubled: the cost per command stays constant.
    fn make_room(&mut self, now: u64) -> Result<(), ReceiptError> {
        if self.len() >= self.prune_at {
            self.forget(now, KEEP_MS);
        }
        if self.len() >= MAX_RECEIPTS {
            self.forget(now, KEEP_AT_LEAST_MS);
        }
        if self.len() >= MAX_RECEIPTS {
            return Err(ReceiptError::Full { max: MAX_RECEIPTS });
        }
        Ok(())
    }

    /// Forgets commands that were begun more than `keep` milliseconds ago and are done.
    fn forget(&mut self, now: u64, keep: u64) {
        self.done
            .retain(|_, receipt| receipt.ts.saturating_add(keep) >= now);
        self.prune_at = PRUNE_FROM.max(self.len() * 2).min(MAX_RECEIPTS);
    }

    fn len(&self) -> usize {
        self.begun.len() + self.done.len()
    }
}

fn check_digest<T>(known: &HostReceipt<T>, digest: &str) -> Result<(), ReceiptError> {
    if known.digest == digest {
        Ok(())
    } else {
        Err(ReceiptError::Reused(known.key.command_id.clone()))
    }
}

#[cfg(test)]
mod tests;
