use std::collections::HashMap;

use crate::schedule::Bucket;

/// The spawns that are being recorded, by the queue that they will wait in. The schedule learns of a runtime
/// once it is durable; until then these count for the limit of a queue, so that it holds for spawns that come
/// at the same time too.
#[derive(Debug, Default)]
pub(crate) struct SpawnsInProgress(HashMap<Bucket, usize>);

impl SpawnsInProgress {
    pub(crate) fn of(&self, bucket: &Bucket) -> usize {
        self.0.get(bucket).copied().unwrap_or_default()
    }

    pub(crate) fn begin(&mut self, bucket: Bucket) {
        *self.0.entry(bucket).or_default() += 1;
    }

    pub(crate) fn end(&mut self, bucket: &Bucket) {
        if let Some(count) = self.0.get_mut(bucket) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(bucket);
            }
        }
    }
}
