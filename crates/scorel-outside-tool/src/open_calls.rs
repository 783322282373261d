use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use scorel_engine::ToolUpdates;
use serde_json::json;
use tokio::sync::Notify;

/// The longest time that a call may take which gives signs of progress.
pub const LONGEST_CALL: Duration = Duration::from_secs(600);

/// The longest text of a progress, in bytes.
const MAX_TEXT: usize = 4096;

/// The calls of a program's tools that are under way, by their ids.
#[derive(Debug, Default)]
pub struct OpenCalls(Mutex<HashMap<String, OpenCall>>);

#[derive(Debug, Clone)]
struct OpenCall {
    sign: Arc<Notify>,
    updates: ToolUpdates,
}

/// Forgets a call at its end.
#[derive(Debug)]
pub struct CallInFlight<'a> {
    calls: &'a OpenCalls,
    id: String,
    /// Notified at each sign of progress.
    pub sign: Arc<Notify>,
}

impl OpenCalls {
    /// Begins a call, for whose time what this returns is kept.
    pub fn begin(&self, id: String, updates: ToolUpdates) -> CallInFlight<'_> {
        let sign = Arc::new(Notify::new());
        let call = OpenCall {
            sign: Arc::clone(&sign),
            updates,
        };
        self.lock().insert(id.clone(), call);
        CallInFlight {
            calls: self,
            id,
            sign,
        }
    }

    /// Takes a sign of progress of a call, with a text to show if there is one. That of no call is ignored: it may have
    /// ended just now.
    pub fn heard(&self, id: &str, text: &str) {
        let Some(call) = self.lock().get(id).cloned() else {
            return;
        };
        call.sign.notify_one();
        if !text.is_empty() {
            let text = scorel_peer::beginning(text, MAX_TEXT);
            call.updates.send_replace(Some(json!({ "output": text })));
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, OpenCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CallInFlight<'_> {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.id);
    }
}
