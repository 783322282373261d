use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use super::Key;

/// The commands that are being carried out, each by one at a time.
#[derive(Debug, Default)]
pub(super) struct InHand(Mutex<HashMap<Key, Weak<AsyncMutex<()>>>>);

impl InHand {
    /// Waits until nobody else works on the command.
    pub(super) async fn take(&self, key: &Key) -> OwnedMutexGuard<()> {
        let command = self.entry(key);
        command.lock_owned().await
    }

    /// One lock for all who hold it or wait for it. There are never more than there are calls, so
    /// looking through them costs little.
    fn entry(&self, key: &Key) -> Arc<AsyncMutex<()>> {
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
