//! Transcripts of Claude Code.
#![expect(
    clippy::needless_pass_by_value,
    reason = "lines are written with values in place"
)]

use serde_json::{Value, json};

use super::transcripts::TranscriptCase;

pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// A line with its id and that of the line before it.
fn line(kind: &str, id: &str, parent: &str, message: Value, more: Value) -> Value {
    let parent = if parent.is_empty() {
        json!(null)
    } else {
        json!(parent)
    };
    let mut line = json!({
        "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/home/ada/src",
        "sessionId": "5a0ddcd0-5487-4794-99ac-143f6bb9e248", "version": "2.1.37", "type": kind,
        "message": message, "uuid": id, "timestamp": "2026-02-13T02:56:00.123Z",
    });
    for (name, value) in more.as_object().unwrap() {
        line[name] = value.clone();
    }
    line
}

fn user(id: &str, parent: &str, content: Value) -> Value {
    line(
        "user",
        id,
        parent,
        json!({"role": "user", "content": content}),
        json!({}),
    )
}

fn answer(id: &str, parent: &str, message: &str, content: Value) -> Value {
    let message = json!({
        "id": message, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929",
        "content": content, "stop_reason": null, "usage": {"input_tokens": 10, "output_tokens": 2},
    });
    line(
        "assistant",
        id,
        parent,
        message,
        json!({"requestId": "req_1"}),
    )
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

fn call(id: &str, command: &str) -> Value {
    let input = json!({"command": command, "description": "Runs it"});
    json!([{"type": "tool_use", "id": id, "name": "Bash", "input": input}])
}

fn result(id: &str, content: Value) -> Value {
    json!([{"tool_use_id": id, "type": "tool_result", "content": content, "is_error": false}])
}

fn other(kind: &str) -> Value {
    json!({"type": kind, "sessionId": "5a0ddcd0-5487-4794-99ac-143f6bb9e248"})
}

pub(super) fn claude_cases() -> Vec<TranscriptCase> {
    let mut cases = plain();
    cases.extend(calls());
    cases.extend(trees());
    cases.extend(beside());
    cases
}

fn plain() -> Vec<TranscriptCase> {
    let question = user("u1", "", json!("alpha?"));
    vec![
        TranscriptCase::new(
            "claude_text",
            &[question.clone(), answer("a1", "u1", "m1", text("beta."))],
            json!({"lines": 2, "imported": 2, "messages": 2}),
        )
        .told(&["alpha?", "beta.", "and now?"]),
        TranscriptCase::new(
            "claude_summary_first",
            &[
                json!({"type": "summary", "summary": "About alpha", "leafUuid": "a1"}),
                user("u1", "", text("alpha?")),
                answer("a1", "u1", "m1", text("beta.")),
            ],
            json!({"imported": 2, "skipped": 1}),
        )
        .told(&["alpha?", "beta."]),
        TranscriptCase::new(
            "claude_thinking",
            &[
                question.clone(),
                answer("a1", "u1", "m1", json!([
                    {"type": "thinking", "thinking": "hidden gamma", "signature": "c2ln"},
                ])),
                answer("a2", "a1", "m1", text("beta.")),
            ],
            json!({"imported": 3, "messages": 2}),
        )
        .told(&["alpha?", "beta."]),
        TranscriptCase::new(
            "claude_image",
            &[
                user("u1", "", json!([
                    {"type": "text", "text": "alpha?"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": PNG}},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": &PNG[..40]}},
                    {"type": "document", "source": {"type": "base64", "data": ""}},
                ])),
                answer("a1", "u1", "m1", text("beta.")),
            ],
            json!({"imported": 2, "images": 1, "droppedImages": 1}),
        )
        .told(&["alpha?", "[image/png]", "[document]", "beta."])
        .untold(&["image/gif"]),
        TranscriptCase::new(
            "claude_unanswered",
            &[question.clone(), user("u2", "u1", json!("really?"))],
            json!({"imported": 2, "messages": 2}),
        )
        .told(&["alpha?", "really?", "and now?"]),
        TranscriptCase::new(
            "claude_torn",
            &[question.clone(), answer("a1", "u1", "m1", text("beta."))],
            json!({"lines": 3, "imported": 2, "torn": true}),
        )
        .torn("{\"parentUuid\":\"a1\",\"type\":\"user\",\"mess")
        .told(&["alpha?", "beta."]),
        TranscriptCase::new(
            "claude_api_error",
            &[
                question,
                line("assistant", "a1", "u1",
                    json!({"id": "x", "role": "assistant", "model": "<synthetic>",
                        "content": text("API Error: 529")}),
                    json!({"isApiErrorMessage": true})),
                answer("a2", "a1", "m1", text("beta.")),
            ],
            json!({"imported": 2, "skipped": 1}),
        )
        .told(&["alpha?", "beta."])
        .untold(&["API Error"]),
    ]
}

fn calls() -> Vec<TranscriptCase> {
    let question = user("u1", "", json!("alpha?"));
    vec![
        TranscriptCase::new(
            "claude_call",
            &[
                question.clone(),
                answer("a1", "u1", "m1", text("I look.")),
                answer("a2", "a1", "m1", call("toolu_1", "ls")),
                user("r1", "a2", result("toolu_1", json!("gamma.txt"))),
                answer("a3", "r1", "m2", text("beta.")),
            ],
            json!({"imported": 5, "messages": 4}),
        )
        .told(&["alpha?", "I look.", "gamma.txt", "beta."]),
        // Each result hangs on its own call, so only one is on the way from the last line to the first.
        TranscriptCase::new(
            "claude_parallel_calls",
            &[
                question.clone(),
                answer("a1", "u1", "m1", call("toolu_1", "ls one")),
                answer("a2", "a1", "m1", call("toolu_2", "ls two")),
                user("r1", "a1", result("toolu_1", text("gamma one"))),
                user("r2", "a2", result("toolu_2", text("gamma two"))),
                answer("a3", "r1", "m2", text("beta.")),
            ],
            json!({"imported": 6, "messages": 5}),
        )
        .told(&["alpha?", "ls one", "ls two", "gamma one", "gamma two", "beta."]),
        TranscriptCase::new(
            "claude_interleaved_calls",
            &[
                question.clone(),
                answer("a1", "u1", "m1", call("toolu_1", "ls one")),
                user("r1", "a1", result("toolu_1", json!("gamma one"))),
                answer("a2", "r1", "m1", call("toolu_2", "ls two")),
                user("r2", "a2", result("toolu_2", json!("gamma two"))),
                answer("a3", "r2", "m2", text("beta.")),
            ],
            json!({"imported": 6, "messages": 5}),
        )
        .told(&["ls one", "ls two", "gamma one", "gamma two", "beta."]),
        TranscriptCase::new(
            "claude_call_without_result",
            &[question.clone(), answer("a1", "u1", "m1", call("toolu_1", "sleep 9"))],
            json!({"imported": 2, "messages": 3}),
        )
        .told(&["sleep 9", "has no result of this call", "and now?"]),
        TranscriptCase::new(
            "claude_interrupted",
            &[
                question.clone(),
                answer("a1", "u1", "m1", call("toolu_1", "sleep 9")),
                user("r1", "a1", json!([
                    {"tool_use_id": "toolu_1", "type": "tool_result", "content": "rejected", "is_error": true},
                ])),
                user("u2", "r1", text("[Request interrupted by user for tool use]")),
                user("u3", "u2", json!("gamma?")),
                answer("a2", "u3", "m2", text("beta.")),
            ],
            json!({"imported": 6}),
        )
        .told(&["alpha?", "rejected", "gamma?", "beta."])
        .untold(&["interrupted by user"]),
        TranscriptCase::new(
            "claude_result_with_image",
            &[
                question,
                answer("a1", "u1", "m1", call("toolu_1", "show")),
                user("r1", "a1", result("toolu_1", json!([
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
                ]))),
                answer("a2", "r1", "m2", text("beta.")),
            ],
            json!({"imported": 4, "images": 1}),
        )
        .told(&["alpha?", "beta."]),
    ]
}

fn trees() -> Vec<TranscriptCase> {
    let question = user("u1", "", json!("alpha?"));
    let summary = json!({"isCompactSummary": true, "isVisibleInTranscriptOnly": true});
    vec![
        TranscriptCase::new(
            "claude_rewound",
            &[
                question.clone(),
                answer("a1", "u1", "m1", text("beta.")),
                user("u2", "a1", json!("delta?")),
                answer("a2", "u2", "m2", text("epsilon.")),
                user("u3", "a1", json!("gamma?")),
                answer("a3", "u3", "m3", text("zeta.")),
            ],
            json!({"imported": 4, "branches": 2}),
        )
        .told(&["alpha?", "beta.", "gamma?", "zeta."])
        .untold(&["delta?", "epsilon."]),
        TranscriptCase::new(
            "claude_sidechain",
            &[
                question.clone(),
                answer("a1", "u1", "m1", call("toolu_1", "delegate")),
                line("user", "s1", "", json!({"role": "user", "content": "delta?"}),
                    json!({"isSidechain": true})),
                line("assistant", "s2", "s1", json!({"role": "assistant", "content": text("epsilon.")}),
                    json!({"isSidechain": true, "agentId": "a1b2"})),
                user("r1", "a1", result("toolu_1", json!("gamma"))),
                answer("a2", "r1", "m2", text("beta.")),
            ],
            json!({"imported": 4, "sidechains": 2}),
        )
        .told(&["delegate", "gamma", "beta."])
        .untold(&["delta?", "epsilon."]),
        TranscriptCase::new(
            "claude_compacted",
            &[
                question.clone(),
                answer("a1", "u1", "m1", text("beta.")),
                json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted",
                    "parentUuid": null, "logicalParentUuid": "a1", "uuid": "b1", "isSidechain": false,
                    "timestamp": "2026-02-13T03:00:00Z", "compactMetadata": {"trigger": "auto"}}),
                line("user", "c1", "b1", json!({"role": "user", "content": "The summary of it."}), summary.clone()),
                user("u2", "c1", json!("gamma?")),
                answer("a2", "u2", "m2", text("zeta.")),
            ],
            json!({"imported": 5, "skipped": 1}),
        )
        .told(&["The summary of it.", "gamma?", "zeta."])
        .untold(&["alpha?", "beta."]),
        TranscriptCase::new(
            "claude_continued",
            &[
                line("user", "c1", "", json!({"role": "user", "content": "The summary of it."}), summary),
                answer("a1", "c1", "m1", text("beta.")),
            ],
            json!({"imported": 2}),
        )
        .told(&["The summary of it.", "beta."]),
        TranscriptCase::new(
            "claude_parent_missing",
            &[user("u1", "gone", json!("alpha?")), answer("a1", "u1", "m1", text("beta."))],
            json!({"imported": 2, "gaps": 1}),
        )
        .told(&["alpha?", "beta."]),
        TranscriptCase::new(
            "claude_line_missing",
            &[
                question.clone(),
                answer("a1", "u1", "m1", text("beta.")),
                answer("a2", "gone", "m2", text("zeta.")),
            ],
            json!({"imported": 3, "gaps": 1}),
        )
        .told(&["alpha?", "beta.", "zeta."]),
        TranscriptCase::new(
            "claude_circle",
            &[user("u1", "a1", json!("alpha?")), answer("a1", "u1", "m1", text("beta."))],
            json!({"imported": 2, "gaps": 1}),
        )
        .told(&["alpha?", "beta."]),
        TranscriptCase::new(
            "claude_copied_lines",
            &[
                question.clone(),
                answer("a1", "u1", "m1", text("beta.")),
                question,
                answer("a1", "u1", "m1", text("beta.")),
                user("u2", "a1", json!("gamma?")),
            ],
            json!({"imported": 3, "branches": 2}),
        )
        .told(&["alpha?", "beta.", "gamma?"]),
    ]
}

fn beside() -> Vec<TranscriptCase> {
    let (question, end) = (
        user("u1", "", json!("alpha?")),
        answer("a1", "u1", "m1", text("beta.")),
    );
    let mut meta = user(
        "x1",
        "u1",
        json!("<local-command-caveat>x</local-command-caveat>"),
    );
    meta["isMeta"] = json!(true);
    vec![
        TranscriptCase::new(
            "claude_other_lines",
            &[
                other("file-history-snapshot"), other("queue-operation"), other("progress"),
                other("custom-title"), other("last-prompt"), question.clone(), end.clone(),
            ],
            json!({"lines": 7, "imported": 2, "skipped": 5, "unknown": 0}),
        )
        .told(&["alpha?", "beta."]),
        TranscriptCase::new(
            "claude_unknown_lines",
            &[question.clone(), other("telepathy"), json!([1]), json!({"no": "type"}), end],
            json!({"imported": 2, "unknown": 3, "unknownTypes": ["telepathy", "?"]}),
        )
        .told(&["alpha?", "beta."]),
        TranscriptCase::new(
            "claude_attachments_in_the_chain",
            &[
                question.clone(),
                json!({"type": "attachment", "uuid": "t1", "parentUuid": "u1", "isSidechain": false}),
                answer("a1", "t1", "m1", text("beta.")),
            ],
            json!({"imported": 2, "skipped": 1}),
        )
        .told(&["alpha?", "beta."]),
        TranscriptCase::new(
            "claude_local_commands",
            &[
                question,
                meta,
                user("x2", "x1", json!("<local-command-stdout>delta</local-command-stdout>")),
                answer("a1", "x2", "m1", text("beta.")),
            ],
            json!({"imported": 2, "skipped": 2}),
        )
        .told(&["alpha?", "beta."])
        .untold(&["delta"]),
    ]
}
