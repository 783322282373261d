use std::collections::HashMap;
use std::io;
use std::path::Path;

use indexmap::IndexMap;

use super::ReceiptError;
use super::effect::{Effect, Subject};
use super::file::ReceiptsFile;
use super::line::{Key, Line, Outcome, Receipt};
use crate::trusted_file::FileProblem;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// How long receipts are kept, unless there are too many.
const KEEP_MS: u64 = 14 * DAY_MS;

/// How long receipts are kept at least.
const KEEP_AT_LEAST_MS: u64 = 7 * DAY_MS;

/// How many receipts there may be.
pub(super) const MAX_RECEIPTS: usize = 100_000;

/// Fewer receipts than this are not worth looking through.
const PRUNE_FROM: usize = 256;

/// The receipts, in memory and in the file. Everything here blocks on the disk.
#[derive(Debug)]
pub(super) struct Ledger {
    file: ReceiptsFile,
    /// In the order in which they were begun: the clock may stand still or go back.
    begun: IndexMap<Key, Receipt<Effect>>,
    done: HashMap<Key, Receipt<Outcome>>,
    /// At how many receipts old ones are looked for.
    prune_at: usize,
}

/// What is known of a command that is to be carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Begun {
    /// Nothing was; now its receipt is durable.
    First(Effect),
    /// It was begun before, and nobody knows how far it came.
    Again(Effect),
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
            match Line::parse(&line[..line.len() - 1]) {
                Ok(line) => ledger.apply(line),
                Err(reason) => {
                    tracing::error!(path = %path.display(), offset, bytes = line.len(), %reason,
                        "a damaged receipt is left out");
                    ledger.file.is_damaged();
                }
            }
            offset += line.len();
        }
        ledger.forget(now, KEEP_MS);
        Ok(ledger)
    }

    fn apply(&mut self, line: Line) {
        match line {
            Line::Begun(receipt) => {
                self.begun.insert(receipt.key.clone(), receipt);
            }
            Line::Done(receipt) => {
                self.begun.shift_remove(&receipt.key);
                self.done.insert(receipt.key.clone(), receipt);
            }
            Line::Abandoned(key) => {
                self.begun.shift_remove(&key);
            }
        }
    }

    /// Looks up a command, or writes durably that its effect is about to happen.
    pub(super) fn begin(
        &mut self,
        key: Key,
        digest: String,
        effect: Effect,
        now: u64,
    ) -> Result<Begun, ReceiptError> {
        if let Some(known) = self.begun.get(&key) {
            check_digest(known, &digest)?;
            return Ok(Begun::Again(known.what.clone()));
        }
        if let Some(known) = self.done.get(&key) {
            check_digest(known, &digest)?;
            return Ok(Begun::Done(known.what.subject));
        }
        self.make_room(now)?;
        let receipt = Receipt {
            key,
            digest,
            ts: now,
            what: effect.clone(),
        };
        let line = Line::Begun(receipt);
        self.write(&line)?;
        self.file.sync()?;
        self.apply(line);
        Ok(Begun::First(effect))
    }

    /// The effect is there. The line is durable with the next one that has to be.
    pub(super) fn done(&mut self, key: &Key, subject: Subject) -> io::Result<()> {
        let Some(receipt) = self.begun.shift_remove(key) else {
            return Ok(());
        };
        let method = receipt.what.method();
        let line = Line::Done(Receipt {
            key: receipt.key,
            digest: receipt.digest,
            ts: receipt.ts,
            what: Outcome { method, subject },
        });
        self.apply(line.clone());
        self.write(&line)
    }

    /// There is no effect; durable when this returns.
    pub(super) fn abandon(&mut self, key: &Key) -> io::Result<()> {
        self.begun.shift_remove(key);
        self.write(&Line::Abandoned(key.clone()))?;
        self.file.sync()
    }

    /// Ends, durably, the receipts of whatever has made `subject`.
    pub(super) fn settle(&mut self, subject: Subject) -> io::Result<()> {
        let makers: Vec<Key> = self
            .begun
            .values()
            .filter(|receipt| receipt.what.makes() == Some(subject))
            .map(|receipt| receipt.key.clone())
            .collect();
        for key in makers {
            self.done(&key, subject)?;
        }
        if self.file.is_synced() {
            Ok(())
        } else if self.file.wants_rewriting() {
            self.rewrite()
        } else {
            self.file.sync()
        }
    }

    /// What was begun and has no end, in the order in which it was begun.
    pub(super) fn unfinished(&self) -> Vec<(Key, Effect)> {
        self.begun
            .iter()
            .map(|(key, receipt)| (key.clone(), receipt.what.clone()))
            .collect()
    }

    fn write(&mut self, line: &Line) -> io::Result<()> {
        if self.file.wants_rewriting() {
            self.rewrite()?;
        }
        self.file.append(&line.seal()?)
    }

    /// Writes everything that is remembered, and nothing else.
    fn rewrite(&mut self) -> io::Result<()> {
        let begun = self.begun.values().cloned().map(Line::Begun);
        let done = self.done.values().cloned().map(Line::Done);
        let mut lines = Vec::new();
        for line in begun.chain(done) {
            lines.extend_from_slice(&line.seal()?);
        }
        self.file.rewrite(&lines)
    }

    /// Makes room for one more. Old receipts are looked for whenever the number has doubled, so
    /// that each costs little.
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

    /// Forgets what took effect more than `keep` milliseconds ago.
    fn forget(&mut self, now: u64, keep: u64) {
        self.done
            .retain(|_, receipt| receipt.ts.saturating_add(keep) >= now);
        self.prune_at = PRUNE_FROM.max(self.len() * 2).min(MAX_RECEIPTS);
    }

    fn len(&self) -> usize {
        self.begun.len() + self.done.len()
    }
}

fn check_digest<T>(known: &Receipt<T>, digest: &str) -> Result<(), ReceiptError> {
    if known.digest == digest {
        Ok(())
    } else {
        Err(ReceiptError::Reused(known.key.command_id.clone()))
    }
}

#[cfg(test)]
mod tests;
