use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use super::CommandKey;

/// One lock per command in progress, so that a retry waits for the first attempt.
#[derive(Debug, Default)]
pub(super) struct CommandLocks(Mutex<HashMap<CommandKey, Weak<AsyncMutex<()>>>>);

impl CommandLocks {
    pub(super) async fn take(&self, key: &CommandKey) -> OwnedMutexGuard<()> {
        let command = self.entry(key);
        command.lock_owned().await
    }

    /// The command's lock, shared by its holder and waiters. Entries without either are dropped here;
    /// the scan is cheap, since there is at most one entry per call in progress.
    fn entry(&self, key: &CommandKey) -> Arc<AsyncMutex<()>> {
        let mut commands = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = commands.get(key).and_then(Weak::upgrade) {
            return known;
        }
        commands.retain(|_, command| command.strong_count() > 0);
        let new = Arc::new(AsyncMutex::new(()));
        commands.insert(key.clone(), Arc::downgrade(&new));
        new
    }
}
