use scorel_proto::{AgentTaskId, EndReason, SessionId, SessionView};
use serde::Deserialize;
use serde_json::{Value, json};

/// An event as a listener gets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// Its type: one of the protocol, or one of [`Heard::MEANINGS`].
    pub kind: String,
    /// The session.
    pub session_id: SessionId,
    /// The event as clients get it; of a meaning the fields named there.
    pub event: Value,
}

impl Heard {
    /// The meaning of events, for listeners that do not want to know how it is recorded:
    ///
    /// | kind | fields besides `sessionId` |
    /// |---|---|
    /// | `session_start` | none: a session has been loaded, and something happens in it |
    /// | `session_end` | `reason`: `deleted`, `failed`, `shutting_down` or `unloaded` |
    /// | `prompt_submit` | `prompt` |
    /// | `turn_finish` | `usage`, `duration` in milliseconds |
    /// | `turn_error` | `reason`, `error` |
    /// | `permission_asked` | `requestId`, `toolName`, `reason` |
    ///
    /// `rewind` and `compact` are events of the protocol; the first has its `targetEventId` as `targetId` as well.
    pub const MEANINGS: [&'static str; 6] = scorel_extension::hook::MEANINGS;

    pub(super) fn session_start(session_id: SessionId) -> Self {
        Self::meaning(session_id, "session_start", json!({}))
    }

    pub(super) fn session_end(session_id: SessionId, reason: Option<EndReason>) -> Self {
        let reason = reason.map_or_else(|| json!("unloaded"), |reason| json!(reason));
        Self::meaning(session_id, "session_end", json!({ "reason": reason }))
    }

    /// The type of an event in its JSON text. It is found and not parsed, since each delta of an answer comes here: only
    /// numbers and ids stand before it, and a quote in a text is escaped.
    pub(super) fn kind_of(json: &[u8]) -> Option<String> {
        let (_, rest) = str::from_utf8(json).ok()?.split_once("\"type\":\"")?;
        Some(rest.split_once('"')?.0.to_owned())
    }

    /// The event and what it means, of that what is `wanted`. Of most events nothing is, so they are not read.
    pub(super) fn all_of(
        session_id: SessionId,
        kind: &str,
        json: &[u8],
        wanted: impl Fn(&str) -> bool,
    ) -> Vec<Self> {
        let is_wanted = |meaning: &&str| wanted(meaning);
        let meanings = Self::may_mean(kind).iter().copied().filter(is_wanted);
        let meanings: Vec<&str> = meanings.collect();
        let itself = wanted(kind);
        if meanings.is_empty() && !itself {
            return Vec::new();
        }
        let Ok(mut event) = serde_json::from_slice::<Value>(json) else {
            return Vec::new();
        };
        if kind == "rewind" {
            event["targetId"] = event["targetEventId"].clone();
        }
        let found = meanings.into_iter().filter_map(|meaning| {
            let fields = fields(meaning, &event)?;
            Some(Self::meaning(session_id, meaning, fields))
        });
        let mut all: Vec<Self> = found.collect();
        if itself {
            let kind = kind.to_owned();
            all.insert(
                0,
                Self {
                    kind,
                    session_id,
                    event,
                },
            );
        }
        all
    }

    /// Says which agent the end of a task is of, and the session that it has worked in. The record does not.
    pub(super) fn name_agent(&mut self, view: &SessionView) {
        let id = &self.event["runtimeId"];
        if self.kind == "runtime_finished"
            && let Ok(id) = AgentTaskId::deserialize(id)
            && let Some(task) = view.state.runtimes.get(id)
        {
            self.event["agentType"] = json!(task.agent_type);
            self.event["childSessionId"] = json!(task.session_id);
        }
    }

    /// Returns whether the event says that a turn was cancelled.
    pub(super) fn is_cancel(kind: &str, json: &[u8]) -> bool {
        let reason = |event: Value| event["reason"] == "cancelled";
        kind == "turn_outcome" && serde_json::from_slice(json).is_ok_and(reason)
    }

    fn may_mean(kind: &str) -> &'static [&'static str] {
        match kind {
            "message" => &["prompt_submit"],
            "turn_outcome" => &["turn_finish", "turn_error"],
            "permission_request" => &["permission_asked"],
            _ => &[],
        }
    }

    fn meaning(session_id: SessionId, kind: &str, mut event: Value) -> Self {
        event["type"] = json!(kind);
        event["sessionId"] = json!(session_id);
        Self {
            kind: kind.to_owned(),
            session_id,
            event,
        }
    }
}

/// The fields of a meaning; `None` if the event has another.
fn fields(meaning: &str, event: &Value) -> Option<Value> {
    let message = &event["message"];
    match meaning {
        "prompt_submit" if message["role"] == "user" => Some(json!({ "prompt": text(message) })),
        "turn_finish" if event["reason"] == "completed" => {
            Some(json!({ "usage": event["usage"], "duration": event["durationMs"] }))
        }
        "turn_error" if event["reason"] != "completed" => {
            Some(json!({ "reason": event["reason"], "error": event["error"] }))
        }
        "permission_asked" => Some(json!({
            "requestId": event["requestId"],
            "toolName": event["toolName"],
            "reason": event["reason"],
        })),
        _ => None,
    }
}

fn text(message: &Value) -> String {
    let blocks = message["content"].as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(event: &Value, wanted: &[&str]) -> Vec<String> {
        let json = event.to_string();
        let id = SessionId::generate();
        let kind = Heard::kind_of(json.as_bytes()).expect("a type");
        let all = Heard::all_of(id, &kind, json.as_bytes(), |kind| wanted.contains(&kind));
        all.into_iter().map(|heard| heard.kind).collect()
    }

    #[test]
    fn an_event_is_heard_by_its_type_and_by_what_it_means() {
        let completed = json!({"type": "turn_outcome", "reason": "completed", "durationMs": 3});
        let failed = json!({"type": "turn_outcome", "reason": "error", "error": {"code": "x"}});
        let all = ["turn_outcome", "turn_finish", "turn_error"];
        assert_eq!(kinds(&completed, &all), ["turn_outcome", "turn_finish"]);
        assert_eq!(kinds(&failed, &all), ["turn_outcome", "turn_error"]);
        assert_eq!(kinds(&failed, &["turn_finish"]), [""; 0]);
        let said = json!({"type": "message", "message": {"role": "user", "content": []}});
        assert_eq!(kinds(&said, &["prompt_submit"]), ["prompt_submit"]);
        let result = json!({"type": "message", "message": {"role": "tool_result"}});
        assert_eq!(kinds(&result, &["prompt_submit"]), [""; 0]);
        let rewind = json!({"type": "rewind", "targetEventId": "evt_1"}).to_string();
        let all = Heard::all_of(SessionId::generate(), "rewind", rewind.as_bytes(), |_| true);
        assert_eq!(all[0].event["targetId"], "evt_1");
    }
}
