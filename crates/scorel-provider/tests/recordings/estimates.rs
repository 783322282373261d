//! Estimates of requests against what real endpoints counted.

use scorel_engine::{ModelRequest, ToolSpec};
use scorel_proto::{Message, TokenEstimate};
use serde_json::Value;

use crate::fixture::{self, Recording};
use crate::rebuilt::Rebuilt;
use crate::requests::{
    anthropic_messages, google_generative_ai, openai_completions, openai_responses,
};

/// Recordings whose endpoints count the content of the request, and no more. Not those of Gemini that
/// give signatures back: it counts the thoughts that they stand for, as the answer before has told.
const WHOLE: [(&str, &[&str]); 3] = [
    (
        "openai-completions",
        &[
            "groq-reasoning-tool",
            "kimi-reasoning-tool",
            "openrouter-gemini-tool",
            "text-cjk-emoji-llamacpp",
            "tool-parallel",
            "tool-parallel-many-chunks",
            "tool-result-turn",
            "tool-single",
            "tool-truncated-length",
        ],
    ),
    (
        "openai-responses",
        &[
            "bedrock-mantle-tool",
            "incomplete-mid-tool-call",
            "phase-commentary-tool",
            "phase-final",
            "reasoning-encrypted-only",
            "reasoning-summary-encrypted-tool",
            "reasoning-summary-next-turn",
            "tool-parallel",
            "tool-parallel-reasoning",
            "tool-result-turn",
            "tool-single",
        ],
    ),
    (
        "google-generative-ai",
        &[
            "tool-cjk-args",
            "tool-parallel",
            "tool-parallel-gemini3",
            "tool-single",
            "tool-single-gemini3",
        ],
    ),
];

/// Recordings whose endpoints add instructions of their own to a request with tools.
const ADDED: [(&str, &[&str]); 3] = [
    (
        "anthropic-messages",
        &[
            "text-cjk-tool-args",
            "text-emoji-after-tool",
            "thinking-tool",
            "thinking-tool-next-turn",
            "tool-parallel",
            "tool-result-turn",
            "tool-single",
        ],
    ),
    (
        "openai-completions",
        &[
            "tool-no-args",
            "xai-parallel-one-chunk",
            "zai-glm-reasoning-tool",
        ],
    ),
    ("openai-responses", &["deepseek-tool", "xai-reasoning-tool"]),
];

/// The most that an endpoint adds, in tokens.
const MOST_ADDED: f64 = 600.0;

/// A call, and a later one whose request begins with that of the first and its answer.
const FOLLOWED: [(&str, &str, &str); 6] = [
    ("anthropic-messages", "tool-single", "tool-result-turn"),
    (
        "anthropic-messages",
        "thinking-tool",
        "thinking-tool-next-turn",
    ),
    (
        "anthropic-messages",
        "tool-parallel-notext",
        "text-emoji-after-tool",
    ),
    ("openai-completions", "tool-parallel", "tool-result-turn"),
    ("openai-responses", "tool-parallel", "tool-result-turn"),
    ("openai-responses", "phase-commentary-tool", "phase-final"),
];

fn request(api: &str, recording: &Recording) -> ModelRequest {
    let body = &recording.sidecar("request")["body"];
    let rebuilt: Rebuilt = match api {
        "openai-completions" => openai_completions::rebuilt(body),
        "openai-responses" => openai_responses::rebuilt(body),
        "anthropic-messages" => anthropic_messages::rebuilt(body),
        _ => google_generative_ai::rebuild("gemini", body),
    };
    rebuilt.request
}

/// The recordings with their requests.
fn recorded(list: &[(&'static str, &[&str])]) -> Vec<(&'static str, Recording)> {
    let mut found = Vec::new();
    for (api, names) in list {
        let mut recordings = fixture::load(api, "sse");
        recordings.retain(|recording| names.contains(&recording.name.as_str()));
        assert_eq!(recordings.len(), names.len(), "{api}");
        found.extend(recordings.into_iter().map(|recording| (*api, recording)));
    }
    found
}

fn counted(recording: &Recording, field: &str) -> f64 {
    let usage: &Value = &recording.sidecar("expected")["usage"];
    usage[field].as_f64().unwrap()
}

fn estimated<'a>(request: &ModelRequest, messages: impl Iterator<Item = &'a Message>) -> f64 {
    let fixed =
        TokenEstimate::of_text(&request.system) + request.tools.iter().map(ToolSpec::tokens).sum();
    let messages = messages.map(TokenEstimate::of_message);
    (fixed + messages.sum()).tokens() as f64
}

pub(crate) async fn a_recorded_request_is_at_most_a_tenth_larger_than_its_estimate() {
    for (api, recording) in recorded(&WHOLE) {
        let request = request(api, &recording);
        let ratio =
            estimated(&request, request.messages.iter()) / counted(&recording, "input_total");
        println!("{api} {}: {ratio:.2}", recording.name);
        assert!(ratio >= 0.9, "{api} {}: {ratio:.2}", recording.name);
    }
}

pub(crate) async fn what_endpoints_add_to_a_request_is_little() {
    for (api, recording) in recorded(&ADDED) {
        let request = request(api, &recording);
        let estimate = estimated(&request, request.messages.iter());
        let added = counted(&recording, "input_total") - estimate / 0.9;
        println!("{api} {}: {added:.0}", recording.name);
        assert!(added <= MOST_ADDED, "{api} {}: {added:.0}", recording.name);
    }
}

/// As the size of a request is computed in a session.
pub(crate) async fn after_one_recorded_call_the_next_is_within_15_percent() {
    for (api, first, next) in FOLLOWED {
        let [first, next] = [first, next].map(|name| {
            let mut found = fixture::load(api, "sse");
            found.retain(|recording| recording.name == name);
            found.remove(0)
        });
        let (sent, all) = (request(api, &first), request(api, &next));
        let count = sent.messages.len();
        let begins = sent.messages.iter().eq(all.messages.iter().take(count));
        assert!(begins, "{api} {}", next.name);
        assert!(matches!(
            all.messages.iter().nth(count),
            Some(Message::Assistant(_))
        ));
        let reported = counted(&first, "input_total");
        let before = estimated(&all, all.messages.iter().take(count));
        let through = estimated(&all, all.messages.iter().take(count + 1));
        let factor = (reported / before).clamp(0.5, 2.0);
        let new = (estimated(&all, all.messages.iter()) - through) * factor;
        let size = reported + counted(&first, "output_total") + new;
        let ratio = size / counted(&next, "input_total");
        println!("{api} {}: {ratio:.2}", next.name);
        assert!(
            (ratio - 1.0).abs() <= 0.15,
            "{api} {}: {ratio:.2}",
            next.name
        );
    }
}
