use super::{Builtin, Colons, Key, models};
use crate::anthropic_messages;
use crate::dialect::Dialect;
use crate::openai_responses;
use crate::wire_dialect::WireDialect;

/// A server of one's own that speaks chat completions.
const fn server(name: &'static str, base_url: &'static str, dialect: Dialect) -> Builtin {
    Builtin {
        name,
        base_url,
        key: Key::Optional,
        wire: WireDialect::OpenAiCompletions(dialect),
        colons: Colons::Anywhere,
        models: &[],
    }
}

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin {
        name: "openai",
        base_url: "https://api.openai.com/v1",
        key: Key::Required(&["OPENAI_API_KEY"]),
        // Over its older wire, reasoning between tool calls is lost.
        wire: WireDialect::OpenAiResponses(openai_responses::Dialect::OPENAI),
        colons: Colons::After("ft"),
        models: models::OPENAI,
    },
    Builtin {
        name: "anthropic",
        base_url: "https://api.anthropic.com",
        key: Key::Required(&["ANTHROPIC_API_KEY"]),
        wire: WireDialect::AnthropicMessages(anthropic_messages::Dialect::ANTHROPIC),
        colons: Colons::Nowhere,
        models: models::ANTHROPIC,
    },
    Builtin {
        name: "google",
        base_url: "https://generativelanguage.googleapis.com",
        // The second may be a key for other services of the same maker.
        key: Key::Required(&["GEMINI_API_KEY", "GOOGLE_API_KEY"]),
        wire: WireDialect::GoogleGenerativeAi,
        colons: Colons::Nowhere,
        models: models::GOOGLE,
    },
    Builtin {
        name: "deepseek",
        base_url: "https://api.deepseek.com/v1",
        key: Key::Required(&["DEEPSEEK_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(Dialect::DEEPSEEK),
        colons: Colons::Nowhere,
        models: models::DEEPSEEK,
    },
    Builtin {
        name: "openrouter",
        base_url: "https://openrouter.ai/api/v1",
        key: Key::Required(&["OPENROUTER_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(Dialect::OPENROUTER),
        colons: Colons::Anywhere,
        // None: a stated output limit is reserved from the account's credit there.
        models: &[],
    },
    Builtin {
        name: "groq",
        base_url: "https://api.groq.com/openai/v1",
        key: Key::Required(&["GROQ_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(Dialect::COMPATIBLE),
        colons: Colons::Nowhere,
        models: models::GROQ,
    },
    Builtin {
        name: "mistral",
        base_url: "https://api.mistral.ai/v1",
        key: Key::Required(&["MISTRAL_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(Dialect::MISTRAL),
        colons: Colons::After("ft"),
        models: models::MISTRAL,
    },
    Builtin {
        name: "xai",
        base_url: "https://api.x.ai/v1",
        key: Key::Required(&["XAI_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(Dialect::XAI),
        colons: Colons::Nowhere,
        models: models::XAI,
    },
    Builtin {
        name: "moonshot",
        base_url: "https://api.moonshot.ai/v1",
        key: Key::Required(&["MOONSHOT_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(Dialect::MOONSHOT),
        colons: Colons::Nowhere,
        models: models::MOONSHOT,
    },
    Builtin {
        name: "zhipu",
        base_url: "https://api.z.ai/api/paas/v4",
        key: Key::Required(&["ZHIPU_API_KEY", "ZAI_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(Dialect::ZHIPU),
        colons: Colons::Nowhere,
        models: models::ZHIPU,
    },
    Builtin {
        name: "qwen",
        base_url: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        key: Key::Required(&["DASHSCOPE_API_KEY"]),
        wire: WireDialect::OpenAiCompletions(Dialect::QWEN),
        colons: Colons::Nowhere,
        models: models::QWEN,
    },
    server("ollama", "http://127.0.0.1:11434/v1", Dialect::OLLAMA),
    server("llama.cpp", "http://127.0.0.1:8080/v1", Dialect::TEMPLATE),
    server("vllm", "http://127.0.0.1:8000/v1", Dialect::TEMPLATE),
    server("lmstudio", "http://127.0.0.1:1234/v1", Dialect::COMPATIBLE),
];
