use scorel_proto::{Message, PersistentBody, ToolResultMessage};
use serde::Deserialize;

use crate::line::Line;
use crate::style::Style;

/// The name of the to-do tool.
const TOOL: &str = "Todo";

/// The model's to-do list, from the details of the tool's result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct TodoList {
    items: Vec<TodoItem>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
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
    pub(crate) const EMPTY: Self = Self { items: Vec::new() };

    /// The list in one row: what is being done, and what comes next. `None` if nothing is left to do.
    pub fn line(&self) -> Option<Line> {
        let left = |item: &&TodoItem| item.status != TodoStatus::Completed;
        let current = |item: &&TodoItem| item.status == TodoStatus::InProgress;
        let done = self.items.len() - self.items.iter().filter(left).count();
        let mut next = self.items.iter().filter(|it| left(it) && !current(it));
        let mut named: Vec<String> = self
            .items
            .iter()
            .filter(current)
            .map(|it| format!("▸ {}", it.content))
            .collect();
        named.extend(next.by_ref().take(2).map(|it| it.content.clone()));
        (done < self.items.len()).then(|| {
            let text = format!("┄ todo {done}/{}: {}", self.items.len(), named.join(" · "));
            Line::plain(&text, Style::Note)
        })
    }

    /// The number of items that are done, and of all.
    pub(crate) fn progress(&self) -> String {
        let done = self
            .items
            .iter()
            .filter(|item| item.status == TodoStatus::Completed);
        format!("{}/{}", done.count(), self.items.len())
    }

    /// The list after a record; `None` if the record does not change it.
    pub(crate) fn of_body(body: &PersistentBody) -> Option<Self> {
        match body {
            PersistentBody::Message(body) => match &body.message {
                Message::ToolResult(message) => Self::of_result(message),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn of_result(message: &ToolResultMessage) -> Option<Self> {
        let result = message.result();
        if message.tool_name != TOOL || result.is_error {
            return None;
        }
        Self::deserialize(result.details.as_ref()?).ok()
    }

    /// The list as text; `None` if it is empty.
    pub fn text(&self) -> Option<String> {
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

    use scorel_proto::Event;

    use super::*;

    fn result(tool: &str, is_error: bool, details: &Value) -> PersistentBody {
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
        match Event::decode(&event.to_string()).expect("an event") {
            Event::Persistent(event) => event.body,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_list_is_read_from_the_result_of_a_call() {
        let details = json!({"ok": true, "items": [
            {"content": "read", "status": "completed"},
            {"content": "change", "status": "in_progress"},
            {"content": "test", "status": "pending"},
            {"content": "wait", "status": "blocked", "since": 1},
        ]});
        let list = TodoList::of_body(&result("Todo", false, &details)).expect("a list");
        assert_eq!(
            list.text().as_deref(),
            Some("to do:\n[x] read\n[>] change\n[ ] test\n[?] wait")
        );
        let empty = json!({"ok": true, "items": []});
        let list = TodoList::of_body(&result("Todo", false, &empty)).expect("a list");
        assert_eq!(list.text(), None);
    }

    #[test]
    fn other_results_leave_the_list() {
        let details = json!({"items": [{"content": "x", "status": "pending"}]});
        assert_eq!(TodoList::of_body(&result("Read", false, &details)), None);
        assert_eq!(TodoList::of_body(&result("Todo", true, &details)), None);
        assert_eq!(TodoList::of_body(&result("Todo", false, &json!({}))), None);
    }
}
