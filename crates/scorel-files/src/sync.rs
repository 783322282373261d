//! Making files durable together.

use std::os::fd::AsFd;
use std::thread::{Builder, scope};

use rustix::fs::fsync;
use rustix::io::Errno;

/// The files waited for at a time. A disk makes those durable together that wait together.
const THREADS: usize = 16;

/// Syncs open files. The results are in their order.
pub(crate) fn sync_all<F: AsFd + Sync>(files: &[F]) -> Vec<Result<(), Errno>> {
    let sync = |files: &[F]| files.iter().map(fsync).collect::<Vec<_>>();
    let mut results = Vec::with_capacity(files.len());
    scope(|scope| {
        let shares = files.chunks(files.len().div_ceil(THREADS).max(1));
        let threads: Vec<_> = shares
            .map(|share| {
                let thread = Builder::new().spawn_scoped(scope, move || sync(share));
                (share, thread)
            })
            .collect();
        for (share, thread) in threads {
            // Without a thread, and after one that failed, here.
            let synced = thread.ok().and_then(|thread| thread.join().ok());
            results.extend(synced.unwrap_or_else(|| sync(share)));
        }
    });
    results
}
