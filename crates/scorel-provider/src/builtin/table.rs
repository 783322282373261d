use super::entry::{Builtin, ColonRule, KeyRule};
use super::models;
use crate::anthropic_messages::AnthropicDialect;
use crate::openai_completions::ChatDialect;
use crate::openai_responses::ResponsesDialect;
use crate::wire_dialect::WireDialect;

pub(crate) fn find_builtin(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name)
}

/// The provider at a host, so that a custom endpoint there gets its dialect and models. Local
/// servers are left out: many kinds share `127.0.0.1`.
pub(crate) fn find_builtin_at(host: &str) -> Option<&'static Builtin> {
    let mut public = BUILTINS
        .iter()
        .filter(|builtin| matches!(builtin.key, KeyRule::Required(_)));
    public.find(|builtin| builtin.host() == Some(host))
}

/// The first provider that has the model.
pub(crate) fn find_builtin_with_model(id: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.model(id).is_some())
}

/// A local server that speaks chat completions.
const fn server(name: &'static str, base_url: &'static str, dialect: ChatDialect) -> Builtin {
    Builtin {
        name,
        base_url,
        key: KeyRule::Optional,
        wire: WireDialect::OpenAiCompletions(dialect),
        colons: ColonRule::Anywhere,
        models: &[],
    }
}

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin {
        name: "openai",
        base_url: "https://api.openai.com/v1",
        key: KeyRule::Required(&["OPENAI_API_KEY"]),
        // Chat completions would do, but lose the reasoning between tool calls there: only the
        // Responses API returns it in a form that can be sent back.
        wire: WireDialect::OpenAiResponses(ResponsesDialect::OPENAI),
        colons: ColonRule::After("ft"),
        models: models::OPENAI,
    },
    Builtin {
        name: "anthropic",
        base_url: "https://api.anthropic.com",
        key: KeyRule::Required(&["ANTHROPIC_API_KEY"]),
        wire: WireDialect::AnthropicMessages(AnthropicDialect::ANTHROPIC),
        colons: ColonRule::Never,
        models: models::ANTHROPIC,
    },
    Builtin {
        name: "google",
        base_url: "https://generativelanguage.googleapis.com",
        // The second may be a key for other Google services, so it comes last.
        key: KeyRule::Required(&["GEMINI_API_KEY", "GOOGLE_API_KEY"]),
        wire: WireDialect::GoogleGenerativeAi,
        colons: ColonRule::Never,
        models: models::GOOGLE,
    },
    Builtin {
        name: "deepseek",
        base_url: "https://api.deepseek.com/v1",
        key: KeyRule::Required(&["DEEPSEEK_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(ChatDialect::DEEPSEEK),
        colons: ColonRule::Never,
        models: models::DEEPSEEK,
    },
    Builtin {
        name: "openrouter",
        base_url: "https://openrouter.ai/api/v1",
        key: KeyRule::Required(&["OPENROUTER_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(ChatDialect::OPENROUTER),
        colons: ColonRule::Anywhere,
        // None on purpose: a known model would state its output limit, and OpenRouter reserves
        // credit for the whole stated limit.
        models: &[],
    },
    Builtin {
        name: "groq",
        base_url: "https://api.groq.com/openai/v1",
        key: KeyRule::Required(&["GROQ_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(ChatDialect::COMPATIBLE),
        colons: ColonRule::Never,
        models: models::GROQ,
    },
    Builtin {
        name: "mistral",
        base_url: "https://api.mistral.ai/v1",
        key: KeyRule::Required(&["MISTRAL_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(ChatDialect::MISTRAL),
        colons: ColonRule::After("ft"),
        models: models::MISTRAL,
    },
    Builtin {
        name: "xai",
        base_url: "https://api.x.ai/v1",
        key: KeyRule::Required(&["XAI_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(ChatDialect::XAI),
        colons: ColonRule::Never,
        models: models::XAI,
    },
    Builtin {
        name: "moonshot",
        base_url: "https://api.moonshot.ai/v1",
        key: KeyRule::Required(&["MOONSHOT_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(ChatDialect::MOONSHOT),
        colons: ColonRule::Never,
        models: models::MOONSHOT,
    },
    Builtin {
        name: "zhipu",
        base_url: "https://api.z.ai/api/paas/v4",
        key: KeyRule::Required(&["ZHIPU_API_KEY", "ZAI_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(ChatDialect::ZHIPU),
        colons: ColonRule::Never,
        models: models::ZHIPU,
    },
    Builtin {
        name: "qwen",
        base_url: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        key: KeyRule::Required(&["DASHSCOPE_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(ChatDialect::QWEN),
        colons: ColonRule::Never,
        models: models::QWEN,
    },
    server("ollama", "http://127.0.0.1:11434/v1", ChatDialect::OLLAMA),
    server(
        "llama.cpp",
        "http://127.0.0.1:8080/v1",
        ChatDialect::TEMPLATE,
    ),
    server("vllm", "http://127.0.0.1:8000/v1", ChatDialect::TEMPLATE),
    server(
        "lmstudio",
        "http://127.0.0.1:1234/v1",
        ChatDialect::COMPATIBLE,
    ),
];
