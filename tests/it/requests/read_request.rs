use scorel_testkit::RecordedRequest;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The fields of a request beside its messages that an endpoint's cache depends on.
const FIXED: [&str; 12] = [
    "model",
    "system",
    "instructions",
    "systemInstruction",
    "tools",
    "tool_choice",
    "toolConfig",
    "thinking",
    "output_config",
    "reasoning",
    "reasoning_effort",
    "generationConfig",
];

/// A request as an endpoint's cache sees it.
#[derive(Debug)]
pub(crate) struct ReadRequest {
    fixed: String,
    /// The parts of all messages, in order, each with its role: a message that takes up another one
    /// keeps the parts before.
    parts: Vec<String>,
}

impl ReadRequest {
    pub(crate) fn of(request: &RecordedRequest) -> Self {
        let mut body = request.json();
        unmark(&mut body);
        let fixed = FIXED.map(|name| json!([name, body[name]]).to_string());
        let lists = ["messages", "input", "contents"];
        let list = lists.iter().find_map(|name| body[name].as_array()).unwrap();
        Self {
            fixed: fixed.concat(),
            parts: list.iter().flat_map(parts).collect(),
        }
    }

    /// Whether it begins with all of another one.
    pub(crate) fn continues(&self, before: &Self) -> bool {
        let count = before.parts.len();
        count <= self.parts.len() && self.digest(count) == before.digest(count)
    }

    pub(super) fn asks_for_summary(&self) -> bool {
        let last = self.parts.last();
        last.is_some_and(|last| last.contains("## Next step"))
    }

    /// The number of the parts of its messages.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The parts from a number on, as JSON.
    pub(crate) fn parts_from(&self, number: usize) -> &[String] {
        &self.parts[number..]
    }

    /// SHA-256 of system, tools and the first parts.
    fn digest(&self, count: usize) -> [u8; 32] {
        let mut digest = Sha256::new_with_prefix(&self.fixed);
        for part in &self.parts[..count] {
            digest.update(part);
        }
        digest.finalize().into()
    }
}

/// The parts of a message, as text.
fn parts(message: &Value) -> Vec<String> {
    let lists = ["content", "parts"];
    let found = lists.iter().find(|name| message[**name].is_array());
    let Some(name) = found else {
        return vec![message.to_string()];
    };
    let mut beside = message.clone();
    let parts = beside[*name].take();
    let part = |part: &Value| json!([beside, part]).to_string();
    parts.as_array().unwrap().iter().map(part).collect()
}

/// Takes out the marks that tell an endpoint what to cache: they move, and are no part of it.
fn unmark(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.shift_remove("cache_control");
            fields.values_mut().for_each(unmark);
        }
        Value::Array(elements) => elements.iter_mut().for_each(unmark),
        _ => {}
    }
}

#[test]
fn a_changed_tool_system_or_message_is_no_continuation() {
    let request = |body: &Value| {
        ReadRequest::of(&RecordedRequest {
            connection: 0,
            method: "POST".to_owned(),
            path: "/v1/messages".to_owned(),
            headers: Vec::new(),
            body: body.to_string().into_bytes(),
        })
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    let body = json!({
        "system": "s", "tools": [{"name": "Read"}], "max_tokens": 1,
        "messages": [{"role": "user", "content": [text("a"), text("b")]}],
    });
    let mut longer = body.clone();
    longer["max_tokens"] = json!(2);
    let marked = json!({"type": "text", "text": "b", "cache_control": {"type": "ephemeral"}});
    longer["messages"][0]["content"] = json!([text("a"), marked, text("c")]);
    assert!(request(&longer).continues(&request(&body)));
    assert!(!request(&body).continues(&request(&longer)));
    let cases = [
        ("/system", json!("t")),
        ("/tools/0/name", json!("Write")),
        ("/messages/0/content/0/text", json!("A")),
        ("/messages/0/role", json!("assistant")),
    ];
    for (place, other) in cases {
        let mut changed = longer.clone();
        *changed.pointer_mut(place).unwrap() = other;
        assert!(!request(&changed).continues(&request(&body)), "{place}");
    }
}
