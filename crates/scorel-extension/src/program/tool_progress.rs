use scorel_outside_tool::OpenCalls;
use serde::Deserialize;
use serde_json::value::RawValue;

/// `tool.progress`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolProgress {
    call_id: String,
    #[serde(default)]
    text: String,
}

impl ToolProgress {
    /// Takes one. One that cannot be read is ignored, as nothing waits for it.
    pub(super) fn tell(calls: &OpenCalls, params: &RawValue) {
        if let Ok(Self { call_id, text }) = serde_json::from_str(params.get()) {
            calls.heard(&call_id, &text);
        }
    }
}
