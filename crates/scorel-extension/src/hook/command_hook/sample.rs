//! Samples of what hooks are asked about, for tests of a hook.

use std::sync::Arc;

use scorel_engine::{Moment, NewMessage, Occasion, SessionSource, ToolCall, ToolOutcome};
use scorel_proto::{Block, CompactionTrigger, EventId, Role};
use serde_json::{Map, Value, json};

use super::super::{ContextPoint, HookEntry, HookEvent};

/// The tools of samples, if their names match.
const TOOLS: [&str; 9] = [
    "Bash",
    "Write",
    "Edit",
    "Read",
    "Grep",
    "Glob",
    "WebFetch",
    "AgentSpawn",
    "Todo",
];

/// A call with the tool and the arguments that are given, and otherwise one that the hook is for.
pub(super) fn call(
    entry: &HookEntry,
    tool: Option<&str>,
    given: &mut Map<String, Value>,
) -> ToolCall {
    let named = given.shift_remove("tool_name");
    let named = tool.or(named.as_ref().and_then(Value::as_str));
    let matched = TOOLS.iter().find(|tool| entry.matcher.matches_tool(tool));
    let first = entry.matcher.as_str().split(['|', ',']).next();
    let name = named.or(matched.copied()).or(first).unwrap_or_default();
    let id = given.shift_remove("tool_use_id");
    let input = given.shift_remove("tool_input");
    ToolCall {
        id: id
            .as_ref()
            .and_then(Value::as_str)
            .unwrap_or("call_1")
            .to_owned(),
        name: name.trim().to_owned(),
        input: input.unwrap_or_else(|| arguments(name)),
        invalid_input: None,
    }
}

fn arguments(tool: &str) -> Value {
    match tool {
        "Bash" => json!({"command": "echo hello"}),
        "Write" => json!({"path": "sample.txt", "content": "hello\n"}),
        "Edit" => json!({
            "path": "sample.txt", "edits": [{"oldString": "hello", "newString": "goodbye"}],
        }),
        "Read" => json!({"path": "sample.txt"}),
        "Grep" => json!({"pattern": "hello"}),
        "Glob" => json!({"pattern": "*.txt"}),
        "WebFetch" => json!({"url": "https://example.com/"}),
        "AgentSpawn" => json!({"agentType": "coder", "title": "A sample", "prompt": "Say hello."}),
        "Todo" => json!({"items": [{"content": "Say hello", "status": "pending"}]}),
        _ => json!({}),
    }
}

pub(super) fn outcome(event: HookEvent, given: &Map<String, Value>) -> ToolOutcome {
    let content = vec![Block::text("hello\n")];
    ToolOutcome {
        content,
        is_error: event == HookEvent::PostToolUseFailure || given.contains_key("error"),
        details: None,
        recorded: Box::default(),
    }
}

/// The first point of the hook.
pub(super) fn moment(entry: &HookEntry, given: &Map<String, Value>) -> Moment {
    let is_manual = given.get("trigger").map_or_else(
        || entry.matcher.matches("manual"),
        |trigger| trigger == "manual",
    );
    let occasion = match entry.points.first() {
        _ if entry.event == HookEvent::SubagentStart => Occasion::Begin {
            source: SessionSource::Startup,
        },
        _ if entry.event == HookEvent::SessionStart => Occasion::Begin {
            source: source(entry, given),
        },
        Some(ContextPoint::Start) => Occasion::Start { first_turn: true },
        Some(ContextPoint::Call) => Occasion::Call,
        Some(ContextPoint::Trim) => Occasion::Trim {
            trigger: match is_manual {
                true => CompactionTrigger::Manual,
                false => CompactionTrigger::Threshold,
            },
            instructions: None,
        },
        Some(ContextPoint::End) => Occasion::End {
            went_on: 0,
            background: Arc::default(),
        },
        None => Occasion::Send,
    };
    let (role, text) = match occasion {
        Occasion::End { .. } => (Role::Assistant, "Hello."),
        _ => (Role::User, "Say hello."),
    };
    let message = NewMessage {
        event_id: EventId::generate(),
        role,
        text: text.to_owned(),
        is_cut: false,
        tool_call_id: None,
        tool_name: None,
    };
    Moment {
        occasion,
        turn_id: None,
        attempt: 1,
        messages: Arc::new([message]),
        left_out: 0,
    }
}

fn source(entry: &HookEntry, given: &Map<String, Value>) -> SessionSource {
    let word = given.get("source").and_then(Value::as_str);
    let all = [
        ("startup", SessionSource::Startup),
        ("resume", SessionSource::Resume),
        ("clear", SessionSource::Clear),
        ("compact", SessionSource::Compact),
    ];
    let is_meant = |name: &str| word.map_or_else(|| entry.matcher.matches(name), |it| it == name);
    let found = all.into_iter().find(|(name, _)| is_meant(name));
    found.map_or(SessionSource::Startup, |(_, source)| source)
}

/// An event of a session that the hook hears of, with its kind.
pub(super) fn heard(entry: &HookEntry, given: &Map<String, Value>) -> (&'static str, Value) {
    let word = |name: &str| given.get(name).and_then(Value::as_str);
    match entry.event {
        HookEvent::Notification => match word("notification_type") {
            Some("permission_prompt") => asked(),
            None if entry.matcher.matches("permission_prompt") => asked(),
            _ => ("turn_finish", json!({})),
        },
        HookEvent::SubagentStop => {
            let event = json!({
                "agentType": agent(entry, given), "childSessionId": AGENT, "lastMessage": "Hello.",
            });
            ("sample", event)
        }
        _ => ("session_end", json!({"reason": "unloaded"})),
    }
}

/// The id of an agent.
pub(super) const AGENT: &str = "agent_1";

/// The type of an agent that the hook is for.
pub(super) fn agent(entry: &HookEntry, given: &Map<String, Value>) -> String {
    let first = entry.matcher.as_str().split(['|', ',']).next();
    let first = first
        .map(str::trim)
        .filter(|it| !it.is_empty() && *it != "*");
    let given = given.get("agent_type").and_then(Value::as_str);
    given.or(first).unwrap_or("coder").to_owned()
}

fn asked() -> (&'static str, Value) {
    let event = json!({"toolName": "Bash", "reason": "no rule allows it"});
    ("permission_asked", event)
}
