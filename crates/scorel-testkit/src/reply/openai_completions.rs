use super::model_reply::ModelReply;
use crate::ScriptedResponse;

pub(super) fn render(reply: &ModelReply) -> ScriptedResponse {
    let mut chat = ScriptedResponse::chat();
    if let Some(thinking) = &reply.thinking {
        chat = chat.thinking(thinking);
    }
    if let Some(text) = &reply.text {
        chat = chat.text(text);
    }
    for call in &reply.calls {
        chat = chat.tool_call(&call.id, &call.name, &call.arguments);
    }
    let reason = if reply.calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    let usage = reply.usage;
    chat.finish(reason).usage(usage.input, usage.output).into()
}
