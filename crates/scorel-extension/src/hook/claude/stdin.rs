use std::path::PathBuf;

use scorel_engine::ToolCall;
use serde_json::{Map, Value, json};

use super::super::HookEvent;
use super::call_input::CallView;
use super::tool_words::their_tool;

/// Where a hook runs: the session, as far as its input tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookScene {
    pub session_id: String,
    /// The file with what was said in the session.
    pub transcript_path: PathBuf,
    /// The directory that the session works in.
    pub directory: PathBuf,
    /// The mode of the gate in their words.
    pub permission_mode: String,
    /// The session's agent, if it is one.
    pub agent: Option<HookAgent>,
    /// The runner that makes the calls; `None` for the daemon's own engine.
    pub ran_by: Option<String>,
}

/// The agent of a session that another session has started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookAgent {
    pub id: String,
    pub agent_type: String,
}

/// The input of a command, about a call if there is one. `more` has what only some events tell; its `scorel` joins
/// ours.
pub fn stdin(
    scene: &HookScene,
    event: HookEvent,
    call: Option<(&ToolCall, &CallView)>,
    more: Map<String, Value>,
) -> Value {
    let mut fields = common(scene, event);
    let mut own = json!({"event": event.word()});
    if let Some(runner) = &scene.ran_by {
        own["ranBy"] = runner.as_str().into();
    }
    if let Some((call, view)) = call {
        fields.insert("tool_name".to_owned(), their_tool(&call.name).into());
        fields.insert("tool_input".to_owned(), view.input.clone().into());
        fields.insert("tool_use_id".to_owned(), call.id.as_str().into());
        own["tool"] = call.name.as_str().into();
        own["input"] = call.input.clone();
    }
    let mut more = more;
    if let (Some(Value::Object(told)), Some(own)) =
        (more.shift_remove("scorel"), own.as_object_mut())
    {
        own.extend(told);
    }
    fields.extend(more);
    fields.insert("scorel".to_owned(), own);
    Value::Object(fields)
}

fn common(scene: &HookScene, event: HookEvent) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut set = |name: &str, value: &str| {
        fields.insert(name.to_owned(), value.into());
    };
    set("session_id", &scene.session_id);
    set("transcript_path", &scene.transcript_path.to_string_lossy());
    set("cwd", &scene.directory.to_string_lossy());
    set("permission_mode", &scene.permission_mode);
    set("hook_event_name", event.their_word());
    if let Some(agent) = &scene.agent {
        set("agent_id", &agent.id);
        set("agent_type", &agent.agent_type);
    }
    fields
}
