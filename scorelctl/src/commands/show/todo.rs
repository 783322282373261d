use scorel_proto::{Event, Message, PersistentBody};
use serde::Deserialize;

/// The name of the to-do tool.
const TOOL: &str = "Todo";

/// The model's to-do list, from the details of the tool's result.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct TodoList {
    items: Vec<TodoItem>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct TodoItem {
    content: String,
    status: TodoStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TodoStatus {
    Pending,
    InProgress,
    Completed,
    /// A status that this version does not know.
    #[serde(other)]
    Other,
}

impl TodoList {
    /// The list after the event; `None` if the event does not change it.
    pub(super) fn of(event: &Event) -> Option<Self> {
        let Event::Persistent(event) = event else {
            return None;
        };
        let PersistentBody::Message(body) = &event.body else {
            return None;
        };
        let Message::ToolResult(message) = &body.message else {
            return None;
        };
        let result = message.result();
        if message.tool_name != TOOL || result.is_error {
            return None;
        }
        Self::deserialize(result.details.as_ref()?).ok()
    }

    /// The list as text; `None` if it is empty.
    pub(super) fn text(&self) -> Option<String> {
        let lines = self.items.iter().map(|item| {
            let mark = match item.status {
                TodoStatus::Pending => "[ ]",
                TodoStatus::InProgress => "[>]",
                TodoStatus::Completed => "[x]",
                TodoStatus::Other => "[?]",
            };
            format!("\n{mark} {}", item.content)
        });
        let lines: String = lines.collect();
        (!lines.is_empty()).then(|| format!("to do:{lines}"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn result(tool: &str, is_error: bool, details: &Value) -> Event {
        let content = json!([{
            "type": "tool_result", "toolUseId": "call_1", "isError": is_error,
            "content": [{"type": "text", "text": "kept"}], "details": details,
        }]);
        let event = json!({
            "type": "message", "id": scorel_proto::EventId::generate(), "parentId": null, "seq": 1,
            "sessionId": "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV", "clientId": "daemon", "ts": 1,
            "message": {
                "role": "tool_result", "toolName": tool, "durationMs": 1, "content": content,
            },
        });
        Event::decode(&event.to_string()).expect("an event")
    }

    #[test]
    fn the_list_is_read_from_the_result_of_a_call() {
        let details = json!({"ok": true, "items": [
            {"content": "read", "status": "completed"},
            {"content": "change", "status": "in_progress"},
            {"content": "test", "status": "pending"},
            {"content": "wait", "status": "blocked", "since": 1},
        ]});
        let list = TodoList::of(&result("Todo", false, &details)).expect("a list");
        assert_eq!(
            list.text().as_deref(),
            Some("to do:\n[x] read\n[>] change\n[ ] test\n[?] wait")
        );
        let empty = json!({"ok": true, "items": []});
        let list = TodoList::of(&result("Todo", false, &empty)).expect("a list");
        assert_eq!(list.text(), None);
    }

    #[test]
    fn other_results_leave_the_list() {
        let details = json!({"items": [{"content": "x", "status": "pending"}]});
        assert_eq!(TodoList::of(&result("Read", false, &details)), None);
        assert_eq!(TodoList::of(&result("Todo", true, &details)), None);
        assert_eq!(TodoList::of(&result("Todo", false, &json!({}))), None);
    }
}
