//! How requests differ by host.

use scorel_engine::ModelRequest;
use scorel_proto::{Message, ThinkingLevel};
use serde_json::{Value, json};

use crate::rebuilt::{Rebuilt, sent_like};

fn request(model: &str, messages: Vec<Message>) -> Rebuilt {
    Rebuilt {
        model: model.to_owned(),
        max_output_tokens: Some(16_000),
        stop_sequences: (0..20).map(|number| format!("STOP{number}")).collect(),
        request: ModelRequest {
            system: "Be brief.".to_owned(),
            messages: messages.into(),
            tools: Vec::new(),
            thinking: ThinkingLevel::Default,
        },
    }
}

async fn body(provider: &str, api: &str, rebuilt: Rebuilt) -> Value {
    sent_like(Some(provider), api, "", rebuilt).await.json()
}

#[tokio::test]
async fn only_claude_behind_a_router_gets_cache_marks() {
    let chat = "openai-completions";
    let asked = |model: &str| request(model, vec![Message::user("hi")]);
    let marked = json!({"type": "ephemeral"});
    let body_of = async |model| body("openrouter", chat, asked(model)).await;
    let claude = body_of("anthropic/claude-sonnet-4.5").await;
    for message in 0..2 {
        let part = &claude["messages"][message]["content"][0];
        assert_eq!(part["cache_control"], marked, "{claude}");
    }
    let other = body_of("openai/gpt-5").await;
    assert!(!other.to_string().contains("cache_control"), "{other}");
}

#[tokio::test]
async fn a_conversation_names_its_cache_where_the_host_wants_a_name() {
    let first = || vec![Message::user("hi")];
    let longer = || vec![Message::user("hi"), Message::user("and?")];
    let other = || vec![Message::user("hello")];
    for (provider, api) in [
        ("openai", "openai-responses"),
        ("openai", "openai-completions"),
        ("mistral", "openai-completions"),
        ("moonshot", "openai-completions"),
    ] {
        let key = async |messages| {
            let body = body(provider, api, request("m", messages)).await;
            body["prompt_cache_key"].as_str().unwrap().to_owned()
        };
        let name = key(first()).await;
        assert!(name.len() <= 64, "{name}");
        assert_eq!(name, key(longer()).await, "{provider}");
        assert_ne!(name, key(other()).await, "{provider}");
    }
    let groq = body("groq", "openai-completions", request("m", first())).await;
    assert_eq!(groq["prompt_cache_key"], Value::Null);
}

#[tokio::test]
async fn no_host_gets_more_stop_sequences_than_it_accepts() {
    for (provider, api, model, field, taken) in [
        (
            "anthropic",
            "anthropic-messages",
            "m",
            "/stop_sequences",
            20,
        ),
        (
            "google",
            "google-generative-ai",
            "m",
            "/generationConfig/stopSequences",
            5,
        ),
        ("openai", "openai-responses", "m", "/stop", 0),
        ("openai", "openai-completions", "gpt-4o", "/stop", 4),
        ("openai", "openai-completions", "gpt-5", "/stop", 0),
        ("deepseek", "openai-completions", "m", "/stop", 16),
        ("xai", "openai-completions", "m", "/stop", 0),
        ("zhipu", "openai-completions", "m", "/stop", 1),
        ("groq", "openai-completions", "m", "/stop", 4),
    ] {
        let rebuilt = request(model, vec![Message::user("hi")]);
        let body = body(provider, api, rebuilt).await;
        let found = body.pointer(field).and_then(Value::as_array);
        assert_eq!(found.map_or(0, Vec::len), taken, "{provider} over {api}");
    }
}

/// Only the reasoning parameters.
fn about_thinking(body: &Value) -> String {
    let fields = [
        "reasoning",
        "reasoning_effort",
        "thinking",
        "output_config",
        "enable_thinking",
        "chat_template_kwargs",
    ];
    let all = body.as_object().unwrap().iter();
    let said = all.filter(|(name, _)| fields.contains(&name.as_str()));
    let google = &body["generationConfig"]["thinkingConfig"];
    let google = Some(("google", google)).filter(|(_, said)| !said.is_null());
    let said = said.map(|(name, value)| (name.as_str(), value));
    let said = said
        .chain(google)
        .map(|(name, value)| format!("{name}={value}"));
    said.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn every_thinking_level_is_rendered_for_every_provider() {
    use ThinkingLevel::{High, Low, Medium, Minimal, None as Off};
    for (provider, api, model, expected) in LEVELS {
        for (level, expected) in [Off, Minimal, Low, Medium, High].into_iter().zip(expected) {
            let mut rebuilt = request(model, vec![Message::user("hi")]);
            rebuilt.request.thinking = level;
            let body = body(provider, api, rebuilt).await;
            assert_eq!(
                about_thinking(&body),
                *expected,
                "{provider}/{model} {level:?}"
            );
        }
    }
}

#[tokio::test]
async fn the_highest_levels_are_sent_to_models_that_have_them() {
    use ThinkingLevel::{Max, Xhigh};
    let (responses, chat) = ("openai-responses", "openai-completions");
    for (provider, api, model, level, expected) in [
        (
            "openai",
            responses,
            "gpt-6.1-sol",
            Max,
            r#"reasoning={"effort":"max","summary":"auto"}"#,
        ),
        (
            "openai",
            responses,
            "gpt-5.5",
            Xhigh,
            r#"reasoning={"effort":"xhigh","summary":"auto"}"#,
        ),
        (
            "deepseek",
            chat,
            "deepseek-flash",
            Max,
            r#"thinking={"type":"enabled"} reasoning_effort="max""#,
        ),
        (
            "xai",
            chat,
            "grok-4.6",
            Xhigh,
            r#"reasoning_effort="xhigh""#,
        ),
        (
            "moonshot",
            chat,
            "kimi-k3",
            Max,
            r#"reasoning_effort="max""#,
        ),
        (
            "zhipu",
            chat,
            "glm-5.3",
            Max,
            r#"thinking={"type":"enabled","clear_thinking":false} reasoning_effort="max""#,
        ),
        (
            "openrouter",
            chat,
            "anthropic/claude-opus-4.8",
            Max,
            r#"reasoning={"effort":"max"}"#,
        ),
    ] {
        let mut rebuilt = request(model, vec![Message::user("hi")]);
        rebuilt.request.thinking = level;
        let body = body(provider, api, rebuilt).await;
        assert_eq!(about_thinking(&body), expected, "{provider}/{model}");
    }
    for (model, level, effort) in [
        ("claude-opus-4-6", Max, "max"),
        ("claude-fable-5-1", Xhigh, "xhigh"),
        ("claude-opus-6", Max, "max"),
    ] {
        let mut rebuilt = request(model, vec![Message::user("hi")]);
        rebuilt.request.thinking = level;
        let body = body("anthropic", "anthropic-messages", rebuilt).await;
        assert_eq!(body["output_config"]["effort"], effort, "{model}");
        assert_eq!(body["thinking"]["type"], "adaptive", "{model}");
    }
}

/// Models that always think, and those whose switch has no degrees, at their lowest.
#[tokio::test]
async fn a_model_outside_the_table_is_told_to_think_like_its_family() {
    let chat = "openai-completions";
    for (provider, api, model, expected) in [
        (
            "openai",
            "openai-responses",
            "gpt-6.4-sol",
            r#"reasoning={"effort":"low","summary":"auto"}"#,
        ),
        (
            "openai",
            "openai-responses",
            "gpt-5.9",
            r#"reasoning={"effort":"none"}"#,
        ),
        (
            "google",
            "google-generative-ai",
            "gemini-3.9-flash",
            r#"google={"includeThoughts":true,"thinkingLevel":"LOW"}"#,
        ),
        ("xai", chat, "grok-4.3-mini", r#"reasoning_effort="none""#),
        ("xai", chat, "grok-4.20-0309-reasoning", ""),
        ("moonshot", chat, "kimi-k3.9", r#"reasoning_effort="low""#),
        (
            "moonshot",
            chat,
            "kimi-k2.7-code",
            r#"thinking={"type":"enabled"}"#,
        ),
        (
            "zhipu",
            chat,
            "glm-5.9",
            r#"thinking={"type":"enabled","clear_thinking":false} reasoning_effort="low""#,
        ),
        (
            "openrouter",
            chat,
            "z-ai/glm-5.3",
            r#"reasoning={"effort":"low"}"#,
        ),
    ] {
        let mut rebuilt = request(model, vec![Message::user("hi")]);
        rebuilt.request.thinking = ThinkingLevel::None;
        let body = body(provider, api, rebuilt).await;
        assert_eq!(about_thinking(&body), expected, "{provider}/{model}");
    }
}

/// Provider, API, model, and the reasoning parameters for no reasoning and for each higher level.
type Levels = (&'static str, &'static str, &'static str, [&'static str; 5]);

const LEVELS: &[Levels] = &[
    (
        "openai",
        "openai-responses",
        "gpt-5.6",
        [
            r#"reasoning={"effort":"none"}"#,
            r#"reasoning={"effort":"low","summary":"auto"}"#,
            r#"reasoning={"effort":"low","summary":"auto"}"#,
            r#"reasoning={"effort":"medium","summary":"auto"}"#,
            r#"reasoning={"effort":"high","summary":"auto"}"#,
        ],
    ),
    (
        "openai",
        "openai-responses",
        "gpt-5-mini",
        [
            r#"reasoning={"effort":"minimal","summary":"auto"}"#,
            r#"reasoning={"effort":"minimal","summary":"auto"}"#,
            r#"reasoning={"effort":"low","summary":"auto"}"#,
            r#"reasoning={"effort":"medium","summary":"auto"}"#,
            r#"reasoning={"effort":"high","summary":"auto"}"#,
        ],
    ),
    ("openai", "openai-responses", "gpt-4o", ["", "", "", "", ""]),
    (
        "anthropic",
        "anthropic-messages",
        "claude-opus-4-8",
        [
            r#"thinking={"type":"disabled"}"#,
            r#"thinking={"type":"adaptive","display":"summarized"} output_config={"effort":"low"}"#,
            r#"thinking={"type":"adaptive","display":"summarized"} output_config={"effort":"low"}"#,
            r#"thinking={"type":"adaptive","display":"summarized"} output_config={"effort":"medium"}"#,
            r#"thinking={"type":"adaptive","display":"summarized"} output_config={"effort":"high"}"#,
        ],
    ),
    (
        "anthropic",
        "anthropic-messages",
        "claude-sonnet-4-5",
        [
            r#"thinking={"type":"disabled"}"#,
            r#"thinking={"type":"enabled","budget_tokens":1024}"#,
            r#"thinking={"type":"enabled","budget_tokens":4096}"#,
            r#"thinking={"type":"enabled","budget_tokens":8000}"#,
            r#"thinking={"type":"enabled","budget_tokens":8000}"#,
        ],
    ),
    (
        "google",
        "google-generative-ai",
        "gemini-3.1-pro-preview",
        [
            r#"google={"includeThoughts":true,"thinkingLevel":"LOW"}"#,
            r#"google={"includeThoughts":true,"thinkingLevel":"LOW"}"#,
            r#"google={"includeThoughts":true,"thinkingLevel":"LOW"}"#,
            r#"google={"includeThoughts":true,"thinkingLevel":"MEDIUM"}"#,
            r#"google={"includeThoughts":true,"thinkingLevel":"HIGH"}"#,
        ],
    ),
    (
        "google",
        "google-generative-ai",
        "gemini-2.5-flash",
        [
            r#"google={"thinkingBudget":0}"#,
            r#"google={"includeThoughts":true,"thinkingBudget":128}"#,
            r#"google={"includeThoughts":true,"thinkingBudget":2048}"#,
            r#"google={"includeThoughts":true,"thinkingBudget":8192}"#,
            r#"google={"includeThoughts":true,"thinkingBudget":24576}"#,
        ],
    ),
    (
        "deepseek",
        "openai-completions",
        "deepseek-v4-pro",
        [
            r#"thinking={"type":"disabled"}"#,
            r#"thinking={"type":"enabled"} reasoning_effort="low""#,
            r#"thinking={"type":"enabled"} reasoning_effort="low""#,
            r#"thinking={"type":"enabled"} reasoning_effort="high""#,
            r#"thinking={"type":"enabled"} reasoning_effort="high""#,
        ],
    ),
    (
        "openrouter",
        "openai-completions",
        "x",
        [
            r#"reasoning={"enabled":false}"#,
            r#"reasoning={"effort":"minimal"}"#,
            r#"reasoning={"effort":"low"}"#,
            r#"reasoning={"effort":"medium"}"#,
            r#"reasoning={"effort":"high"}"#,
        ],
    ),
    (
        "groq",
        "openai-completions",
        "openai/gpt-oss-20b",
        [
            r#"reasoning_effort="low""#,
            r#"reasoning_effort="low""#,
            r#"reasoning_effort="low""#,
            r#"reasoning_effort="medium""#,
            r#"reasoning_effort="high""#,
        ],
    ),
    (
        "mistral",
        "openai-completions",
        "magistral-medium-latest",
        [
            r#"reasoning_effort="none""#,
            r#"reasoning_effort="high""#,
            r#"reasoning_effort="high""#,
            r#"reasoning_effort="high""#,
            r#"reasoning_effort="high""#,
        ],
    ),
    (
        "xai",
        "openai-completions",
        "grok-3-mini",
        [
            r#"reasoning_effort="low""#,
            r#"reasoning_effort="low""#,
            r#"reasoning_effort="low""#,
            r#"reasoning_effort="high""#,
            r#"reasoning_effort="high""#,
        ],
    ),
    (
        "moonshot",
        "openai-completions",
        "kimi-k2.6",
        [
            r#"thinking={"type":"disabled"}"#,
            r#"thinking={"type":"enabled"}"#,
            r#"thinking={"type":"enabled"}"#,
            r#"thinking={"type":"enabled"}"#,
            r#"thinking={"type":"enabled"}"#,
        ],
    ),
    (
        "zhipu",
        "openai-completions",
        "glm-4.7",
        [
            r#"thinking={"type":"disabled","clear_thinking":false}"#,
            r#"thinking={"type":"enabled","clear_thinking":false}"#,
            r#"thinking={"type":"enabled","clear_thinking":false}"#,
            r#"thinking={"type":"enabled","clear_thinking":false}"#,
            r#"thinking={"type":"enabled","clear_thinking":false}"#,
        ],
    ),
    (
        "qwen",
        "openai-completions",
        "qwen-plus",
        [
            "enable_thinking=false",
            "enable_thinking=true",
            "enable_thinking=true",
            "enable_thinking=true",
            "enable_thinking=true",
        ],
    ),
    (
        "ollama",
        "openai-completions",
        "qwen3",
        [
            r#"reasoning_effort="none""#,
            r#"reasoning_effort="low""#,
            r#"reasoning_effort="low""#,
            r#"reasoning_effort="medium""#,
            r#"reasoning_effort="high""#,
        ],
    ),
    (
        "llama.cpp",
        "openai-completions",
        "qwen3",
        [
            r#"chat_template_kwargs={"enable_thinking":false}"#,
            r#"chat_template_kwargs={"enable_thinking":true}"#,
            r#"chat_template_kwargs={"enable_thinking":true}"#,
            r#"chat_template_kwargs={"enable_thinking":true}"#,
            r#"chat_template_kwargs={"enable_thinking":true}"#,
        ],
    ),
    (
        "vllm",
        "openai-completions",
        "qwen3",
        [
            r#"chat_template_kwargs={"enable_thinking":false}"#,
            r#"chat_template_kwargs={"enable_thinking":true}"#,
            r#"chat_template_kwargs={"enable_thinking":true}"#,
            r#"chat_template_kwargs={"enable_thinking":true}"#,
            r#"chat_template_kwargs={"enable_thinking":true}"#,
        ],
    ),
    (
        "lmstudio",
        "openai-completions",
        "gpt-oss",
        [
            r#"reasoning_effort="low""#,
            r#"reasoning_effort="low""#,
            r#"reasoning_effort="low""#,
            r#"reasoning_effort="medium""#,
            r#"reasoning_effort="high""#,
        ],
    ),
];
