//! `gc`: what the home keeps and nothing refers to any more.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use scorel_engine::spawn_blocking;
use scorel_proto::{GarbageKind, GarbageRow, GcResult};
use scorel_session::{GarbageSum, KEEP_COPIES, bytes_in};

use crate::host::Host;
use crate::rpc::call_error::CallError;

/// How many problems a reply names.
const MAX_PROBLEMS: usize = 100;

const RECEIPTS: &str = "receipts.jsonl";

/// How the names of copies of the receipts go on: those of the daemon, and those of `fsck`.
const COPIES: [&str; 2] = [".damaged-", ".before-repair-"];

impl Host {
    /// Reports the garbage, and removes it if `remove` is set. Runs in a task of its own: a client that
    /// disconnects does not end it.
    pub(crate) async fn collect_garbage(
        self: &Arc<Self>,
        remove: bool,
    ) -> Result<GcResult, CallError> {
        let host = Arc::clone(self);
        let collected = tokio::spawn(async move {
            // Two at a time would count the same twice.
            let _collecting = host.collecting.lock().await;
            host.collect_now(remove).await
        });
        collected.await?
    }

    async fn collect_now(self: &Arc<Self>, remove: bool) -> Result<GcResult, CallError> {
        let sessions = self.sessions.garbage(remove).await?;
        let mut problems = sessions.problems;
        let host = Arc::clone(self);
        let of_home = spawn_blocking(move || {
            let mut found = HomeGarbage {
                remove,
                ..HomeGarbage::default()
            };
            found.look(&host);
            found
        });
        let of_home = of_home.await?;
        problems.extend(of_home.problems);
        problems.truncate(MAX_PROBLEMS);
        let copies = GarbageSum {
            items: sessions.copies.items + of_home.copies.items,
            bytes: sessions.copies.bytes + of_home.copies.bytes,
        };
        Ok(GcResult {
            applied: remove,
            rows: vec![
                row(GarbageKind::Trash, sessions.trash),
                row(GarbageKind::Blobs, sessions.blobs),
                row(GarbageKind::Copies, copies),
                row(GarbageKind::Store, of_home.store),
            ],
            problems,
        })
    }
}

const fn row(kind: GarbageKind, sum: GarbageSum) -> GarbageRow {
    let GarbageSum { items, bytes } = sum;
    GarbageRow { kind, items, bytes }
}

/// What belongs to no session.
#[derive(Debug, Default)]
struct HomeGarbage {
    remove: bool,
    copies: GarbageSum,
    store: GarbageSum,
    problems: Vec<String>,
}

impl HomeGarbage {
    fn look(&mut self, host: &Host) {
        let of_runs = host.runs.used_digests();
        let visited = host.trust.visit_unused(&of_runs, |path| {
            let bytes = bytes_in(path);
            if self.take(path, |path| fs::remove_dir_all(path)) {
                self.store.add(bytes);
            }
        });
        if let Err(error) = visited {
            self.problems.push(error.to_string());
        }
        if let Err(error) = self.look_at_copies(&host.home) {
            self.problems
                .push(format!("{}: {error}", host.home.display()));
        }
    }

    /// The copies of damaged receipts.
    fn look_at_copies(&mut self, home: &Path) -> io::Result<()> {
        for entry in fs::read_dir(home)? {
            let entry = entry?;
            let name = entry.file_name();
            let kind = name.to_str().and_then(|name| name.strip_prefix(RECEIPTS));
            let is_copy = kind.is_some_and(|kind| COPIES.iter().any(|it| kind.starts_with(it)));
            if !is_copy {
                continue;
            }
            let metadata = entry.metadata()?;
            let age = SystemTime::now().duration_since(metadata.modified()?);
            let is_old = metadata.is_file() && age.is_ok_and(|age| age > KEEP_COPIES);
            if is_old && self.take(&entry.path(), |path| fs::remove_file(path)) {
                self.copies.add(metadata.len());
            }
        }
        Ok(())
    }

    /// Removes it if that is wanted. Returns whether it counts.
    fn take(&mut self, path: &Path, remove: impl FnOnce(&Path) -> io::Result<()>) -> bool {
        if !self.remove {
            return true;
        }
        match remove(path) {
            Ok(()) => true,
            Err(error) => {
                self.problems.push(format!("{}: {error}", path.display()));
                false
            }
        }
    }
}
