use super::entry::Builtin;
use super::entry::ColonRule::{After, Anywhere, Never};
use super::entry::ModelSupply::{Gateway, Local, Own};
use crate::anthropic_messages::AnthropicDialect;
use crate::openai_completions::ChatDialect;
use crate::openai_responses::ResponsesDialect;
use crate::wire_dialect::WireDialect::{
    AnthropicMessages, GoogleGenerativeAi, OpenAiCompletions, OpenAiResponses,
};

pub(crate) fn find_builtin(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name)
}

/// The provider at a host, so that a custom endpoint there gets its dialect and models. Local
/// servers are left out: many kinds share `127.0.0.1`.
pub(crate) fn find_builtin_at(host: &str) -> Option<&'static Builtin> {
    let mut public = BUILTINS
        .iter()
        .filter(|builtin| !builtin.key_variables.is_empty());
    public.find(|builtin| builtin.host() == Some(host))
}

/// The first provider that has the model.
pub(crate) fn find_builtin_with_model(id: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.model(id).is_some())
}

/// A table: name, base URL, key, wire with its dialect, colons in names of models, whose models.
macro_rules! builtins {
    ($($name:literal, $url:literal, $key:expr, $wire:expr, $colons:expr, $models:expr;)*) => {
        &[$(Builtin {
            name: $name, base_url: $url, key_variables: $key, wire: $wire,
            colons: $colons, models: $models,
        }),*]
    };
}

pub(super) const BUILTINS: &[Builtin] = builtins! {
    // Chat completions would do, but lose the reasoning between tool calls there: only the
    // Responses API returns it in a form that can be sent back.
    "openai", "https://api.openai.com/v1", &["OPENAI_API_KEY"],
        OpenAiResponses(ResponsesDialect::OPENAI), After("ft"), Own;
    "anthropic", "https://api.anthropic.com", &["ANTHROPIC_API_KEY"],
        AnthropicMessages(AnthropicDialect::ANTHROPIC), Never, Own;
    // The second may be a key for other Google services, so it comes last.
    "google", "https://generativelanguage.googleapis.com", &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        GoogleGenerativeAi, Never, Own;
    "deepseek", "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"],
        OpenAiCompletions(ChatDialect::DEEPSEEK), Never, Own;
    "openrouter", "https://openrouter.ai/api/v1", &["OPENROUTER_API_KEY"],
        OpenAiCompletions(ChatDialect::OPENROUTER), Anywhere, Gateway;
    "groq", "https://api.groq.com/openai/v1", &["GROQ_API_KEY"],
        OpenAiCompletions(ChatDialect::COMPATIBLE), Never, Own;
    "mistral", "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"],
        OpenAiCompletions(ChatDialect::MISTRAL), After("ft"), Own;
    "xai", "https://api.x.ai/v1", &["XAI_API_KEY"],
        OpenAiCompletions(ChatDialect::XAI), Never, Own;
    "moonshot", "https://api.moonshot.ai/v1", &["MOONSHOT_API_KEY"],
        OpenAiCompletions(ChatDialect::MOONSHOT), Never, Own;
    "zhipu", "https://api.z.ai/api/paas/v4", &["ZHIPU_API_KEY", "ZAI_API_KEY"],
        OpenAiCompletions(ChatDialect::ZHIPU), Never, Own;
    "qwen", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", &["DASHSCOPE_API_KEY"],
        OpenAiCompletions(ChatDialect::QWEN), Never, Own;
    // Local servers.
    "ollama", "http://127.0.0.1:11434/v1", &[],
        OpenAiCompletions(ChatDialect::OLLAMA), Anywhere, Local;
    "llama.cpp", "http://127.0.0.1:8080/v1", &[],
        OpenAiCompletions(ChatDialect::TEMPLATE), Anywhere, Local;
    "vllm", "http://127.0.0.1:8000/v1", &[],
        OpenAiCompletions(ChatDialect::TEMPLATE), Anywhere, Local;
    "lmstudio", "http://127.0.0.1:1234/v1", &[],
        OpenAiCompletions(ChatDialect::COMPATIBLE), Anywhere, Local;
};
