use scorel_outside_tool::OpenCalls;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// `notifications/progress`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Progress {
    progress_token: Value,
    progress: Option<f64>,
    total: Option<f64>,
    message: Option<String>,
}

/// Takes a sign of progress.
pub(crate) fn progressed(calls: &OpenCalls, params: &RawValue) {
    let Ok(progress) = serde_json::from_str::<Progress>(params.get()) else {
        return;
    };
    // Ours is a number, which some servers hand back as a text.
    let token = match &progress.progress_token {
        Value::String(token) => token.clone(),
        other => other.to_string(),
    };
    calls.heard(&token, &progress.text());
}

impl Progress {
    fn text(&self) -> String {
        let done = match (self.progress, self.total) {
            (Some(done), Some(total)) => format!("{done} of {total}"),
            (Some(done), None) => done.to_string(),
            (None, _) => String::new(),
        };
        match &self.message {
            Some(message) if done.is_empty() => message.clone(),
            Some(message) => format!("{done}: {message}"),
            None => done,
        }
    }
}
