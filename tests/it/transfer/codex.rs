//! Rollouts of Codex.
#![expect(
    clippy::needless_pass_by_value,
    reason = "lines are written with values in place"
)]

use serde_json::{Value, json};

use super::transcripts::TranscriptCase;

fn line(kind: &str, payload: Value) -> Value {
    json!({"timestamp": "2026-03-08T14:30:02.345Z", "type": kind, "payload": payload})
}

fn item(payload: Value) -> Value {
    line("response_item", payload)
}

fn event(kind: &str, more: Value) -> Value {
    let mut payload = json!({"type": kind});
    for (name, value) in more.as_object().unwrap() {
        payload[name] = value.clone();
    }
    line("event_msg", payload)
}

fn message(role: &str, text: &str) -> Value {
    let kind = if role == "assistant" {
        "output_text"
    } else {
        "input_text"
    };
    json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
}

fn user(text: &str) -> Value {
    item(message("user", text))
}

fn answer(text: &str) -> Value {
    item(message("assistant", text))
}

fn call(id: &str, arguments: &str) -> Value {
    item(json!({"type": "function_call", "name": "shell", "arguments": arguments, "call_id": id}))
}

fn output(id: &str, output: Value) -> Value {
    item(json!({"type": "function_call_output", "call_id": id, "output": output}))
}

fn meta() -> Value {
    line(
        "session_meta",
        json!({"id": "01990000-0000-7000-8000-000000000001", "cwd": "/home/ada/src",
        "originator": "codex_cli_rs", "cli_version": "0.46.0", "timestamp": "2026-03-08T14:30:00Z"}),
    )
}

fn context() -> Value {
    line(
        "turn_context",
        json!({"cwd": "/home/ada/src", "model": "gpt-5.1-codex", "summary": "auto"}),
    )
}

pub(super) fn codex_cases() -> Vec<TranscriptCase> {
    let mut cases = plain();
    cases.extend(calls());
    cases.extend(histories());
    cases
}

fn plain() -> Vec<TranscriptCase> {
    let image = json!({"type": "message", "role": "user", "content": [
        {"type": "input_text", "text": "alpha?"},
        {"type": "input_image", "image_url": "data:image/jpeg;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="},
        {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="},
        {"type": "input_image", "image_url": "https://example.org/x.png"},
    ]});
    vec![
        TranscriptCase::new(
            "codex_text",
            &[meta(), context(), user("alpha?"), event("user_message", json!({"message": "alpha?"})),
                answer("beta."), event("agent_message", json!({"message": "beta."}))],
            json!({"lines": 6, "imported": 2, "skipped": 4, "messages": 2}),
        )
        .told(&["alpha?", "beta.", "and now?"]),
        // Before September 2025, without anything around the items.
        TranscriptCase::new(
            "codex_bare_items",
            &[
                json!({"id": "5973b6c0", "timestamp": "2025-05-07T17:24:21Z", "instructions": null, "git": {}}),
                json!({"record_type": "state"}),
                message("user", "alpha?"),
                json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}),
                message("assistant", "beta."),
            ],
            json!({"lines": 5, "imported": 2, "skipped": 3}),
        )
        .told(&["alpha?", "beta."]),
        TranscriptCase::new(
            "codex_context_of_the_program",
            &[
                meta(),
                item(message("developer", "<permissions instructions>delta")),
                user("# AGENTS.md instructions for /home/ada/src\n\ndelta"),
                user("<environment_context>delta</environment_context>"),
                user("alpha?"),
                answer("beta."),
            ],
            json!({"imported": 2, "skipped": 4}),
        )
        .told(&["alpha?", "beta."]),
        TranscriptCase::new(
            "codex_image",
            &[meta(), item(image), answer("beta.")],
            json!({"imported": 2, "images": 1, "droppedImages": 2}),
        )
        .told(&["alpha?", "[image/png]", "[image]", "beta."])
        .untold(&["image/jpeg"]),
        TranscriptCase::new(
            "codex_torn",
            &[meta(), user("alpha?"), answer("beta.")],
            json!({"lines": 4, "imported": 2, "torn": true}),
        )
        .torn("{\"timestamp\":\"2026")
        .told(&["alpha?", "beta."]),
        TranscriptCase::new(
            "codex_unknown",
            &[meta(), user("alpha?"), line("telepathy", json!({})), item(json!({"type": "dream"})),
                item(json!({"type": "web_search_call"})), answer("beta.")],
            json!({"imported": 2, "skipped": 2, "unknown": 2, "unknownTypes": ["telepathy", "dream"]}),
        )
        .told(&["alpha?", "beta."]),
    ]
}

fn calls() -> Vec<TranscriptCase> {
    let reasoning =
        json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "I look."}]});
    vec![
        TranscriptCase::new(
            "codex_call",
            &[meta(), user("alpha?"), item(reasoning), call("call_1", "{\"command\":[\"ls\"]}"),
                output("call_1", json!("gamma.txt")), answer("beta.")],
            json!({"imported": 5, "messages": 4}),
        )
        .told(&["alpha?", "call_1", "gamma.txt", "beta."]),
        TranscriptCase::new(
            "codex_parallel_calls",
            &[meta(), user("alpha?"), call("call_1", "{\"command\":[\"one\"]}"),
                call("call_2", "{\"command\":[\"two\"]}"),
                output("call_2", json!({"content": "gamma two", "success": false})),
                output("call_1", json!([{"type": "input_text", "text": "gamma one"}])), answer("beta.")],
            json!({"imported": 6, "messages": 5}),
        )
        .told(&["call_1", "call_2", "gamma one", "gamma two", "beta."]),
        // Outputs that come after a later call, and after a message of the user.
        TranscriptCase::new(
            "codex_late_outputs",
            &[meta(), user("alpha?"), call("call_1", "{\"command\":[\"one\"]}"),
                call("call_2", "{\"command\":[\"two\"]}"), output("call_1", json!("gamma one")),
                call("call_3", "{\"command\":[\"three\"]}"), user("delta?"),
                output("call_2", json!("gamma two")), output("call_3", json!("gamma three")), answer("beta.")],
            json!({"imported": 9, "messages": 8}),
        )
        .told(&["call_1", "call_2", "gamma one", "gamma two", "call_3", "gamma three", "delta?", "beta."])
        .untold(&["has no result"]),
        TranscriptCase::new(
            "codex_wrapped_output",
            &[meta(), user("alpha?"), call("call_1", "not json"),
                output("call_1", json!("{\"output\":\"gamma\",\"metadata\":{\"exit_code\":0}}")), answer("beta.")],
            json!({"imported": 4}),
        )
        .told(&["gamma", "beta."])
        .untold(&["exit_code"]),
        TranscriptCase::new(
            "codex_custom_tool",
            &[meta(), user("alpha?"),
                item(json!({"type": "custom_tool_call", "status": "completed", "call_id": "call_1",
                    "name": "apply_patch", "input": "*** Begin Patch"})),
                item(json!({"type": "custom_tool_call_output", "call_id": "call_1", "output": "Success"})),
                answer("beta.")],
            json!({"imported": 4}),
        )
        .told(&["*** Begin Patch", "Success", "beta."]),
        TranscriptCase::new(
            "codex_local_shell",
            &[meta(), user("alpha?"),
                item(json!({"type": "local_shell_call", "call_id": "call_1", "status": "completed",
                    "action": {"type": "exec", "command": ["cat", "x"]}})),
                output("call_1", json!("gamma")), answer("beta.")],
            json!({"imported": 4}),
        )
        .told(&["cat", "gamma", "beta."]),
        TranscriptCase::new(
            "codex_stray_output",
            &[meta(), user("alpha?"), output("call_9", json!("delta")), answer("beta.")],
            json!({"imported": 2, "skipped": 2}),
        )
        .told(&["alpha?", "beta."])
        .untold(&["delta"]),
    ]
}

fn histories() -> Vec<TranscriptCase> {
    let rolled_back = event("thread_rolled_back", json!({"num_turns": 1}));
    vec![
        TranscriptCase::new(
            "codex_compacted",
            &[
                meta(),
                user("alpha?"),
                answer("beta."),
                line("compacted", json!({"message": "The summary of it."})),
                user("gamma?"),
                answer("zeta."),
            ],
            json!({"imported": 5}),
        )
        .told(&["The summary of it.", "gamma?", "zeta."])
        .untold(&["alpha?", "beta."]),
        // Only the endpoint of Codex can read such a summary.
        TranscriptCase::new(
            "codex_compacted_remotely",
            &[
                meta(),
                user("alpha?"),
                answer("beta."),
                line(
                    "compacted",
                    json!({"message": "", "replacement_history": [{"type": "compaction"}]}),
                ),
                user("gamma?"),
            ],
            json!({"imported": 3, "skipped": 2}),
        )
        .told(&["alpha?", "beta.", "gamma?"]),
        TranscriptCase::new(
            "codex_rolled_back",
            &[
                meta(),
                user("alpha?"),
                answer("beta."),
                user("delta?"),
                answer("epsilon."),
                rolled_back,
                user("gamma?"),
                answer("zeta."),
            ],
            json!({"imported": 4, "branches": 2, "skipped": 2}),
        )
        .told(&["alpha?", "beta.", "gamma?", "zeta."])
        .untold(&["delta?", "epsilon."]),
        TranscriptCase::new(
            "codex_aborted",
            &[
                meta(),
                user("alpha?"),
                call("call_1", "{}"),
                event("turn_aborted", json!({"reason": "interrupted"})),
                user("gamma?"),
                answer("beta."),
            ],
            json!({"imported": 4, "skipped": 2}),
        )
        .told(&["alpha?", "has no result of this call", "gamma?", "beta."]),
    ]
}
