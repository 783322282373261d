use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_engine::ToolUpdates;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::Notify;

/// The longest text of a progress, in bytes.
const MAX_TEXT: usize = 4096;

/// The calls of an extension's tools that are under way, by their ids.
#[derive(Debug, Default)]
pub(super) struct OpenCalls(Mutex<HashMap<String, OpenCall>>);

#[derive(Debug, Clone)]
struct OpenCall {
    sign: Arc<Notify>,
    updates: ToolUpdates,
}

/// `tool.progress`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProgressParams {
    call_id: String,
    #[serde(default)]
    text: String,
}

/// Forgets a call at its end.
pub(super) struct CallInFlight<'a> {
    calls: &'a OpenCalls,
    id: String,
    pub(super) sign: Arc<Notify>,
}

impl OpenCalls {
    pub(super) fn begin(&self, id: String, updates: ToolUpdates) -> CallInFlight<'_> {
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

    /// Takes a `tool.progress`. One of no call is ignored: it may have ended just now.
    pub(super) fn progress(&self, params: &RawValue) {
        let Ok(params) = serde_json::from_str::<ProgressParams>(params.get()) else {
            return;
        };
        let Some(call) = self.lock().get(&params.call_id).cloned() else {
            return;
        };
        call.sign.notify_one();
        if !params.text.is_empty() {
            let text = scorel_peer::beginning(&params.text, MAX_TEXT);
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
