//! The providers that need no description.

use scorel_runtime::ModelInfo;

use crate::dialect::Dialect;
use crate::wire_dialect::WireDialect;

/// One provider of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) base_url: &'static str,
    pub(crate) key: Key,
    pub(crate) wire: WireDialect,
    pub(crate) models: &'static [KnownModel],
}

/// Whether a provider wants a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    /// It does; the variable of the environment in which people keep it.
    Required(&'static str),
    /// A server of one's own: a key is sent if there is one.
    Optional,
}

/// What the table knows about a model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownModel {
    pub(crate) id: &'static str,
    pub(crate) context_window: u64,
    pub(crate) max_output_tokens: u64,
    /// Whether it can be told how much to think.
    pub(crate) reasoning: bool,
    /// Whether it takes pictures.
    pub(crate) images: bool,
}

impl Builtin {
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        BUILTINS.iter().find(|builtin| builtin.name == name)
    }

    /// The provider whose endpoint has that host, so that a custom entry for it gets its dialect.
    pub(crate) fn with_host(host: &str) -> Option<&'static Self> {
        let mut public = BUILTINS
            .iter()
            .filter(|builtin| matches!(builtin.key, Key::Required(_)));
        public.find(|builtin| builtin.host() == Some(host))
    }

    pub(crate) fn model(&self, id: &str) -> Option<&'static KnownModel> {
        self.models.iter().find(|model| model.id == id)
    }

    fn host(&self) -> Option<&'static str> {
        let (_, rest) = self.base_url.split_once("://")?;
        rest.split(['/', ':']).next()
    }
}

/// The variable of the environment in which people keep the key of a built-in provider; `None` if
/// the provider is unknown or needs no key.
#[must_use]
pub fn key_variable(provider: &str) -> Option<&'static str> {
    match Builtin::find(provider)?.key {
        Key::Required(variable) => Some(variable),
        Key::Optional => None,
    }
}

/// The names of all built-in providers, `demo` first.
#[must_use]
pub fn builtin_providers() -> Vec<&'static str> {
    let named = BUILTINS.iter().map(|builtin| builtin.name);
    std::iter::once("demo").chain(named).collect()
}

/// The models that the built-in table knows.
#[must_use]
pub fn builtin_models() -> Vec<ModelInfo> {
    let of = |builtin: &'static Builtin| {
        builtin.models.iter().map(|model| ModelInfo {
            provider: builtin.name.to_owned(),
            id: model.id.to_owned(),
            context_window: model.context_window,
            max_output_tokens: model.max_output_tokens,
        })
    };
    BUILTINS.iter().flat_map(of).collect()
}

const fn model(id: &'static str, context_window: u64, max_output_tokens: u64) -> KnownModel {
    KnownModel {
        id,
        context_window,
        max_output_tokens,
        reasoning: true,
        images: true,
    }
}

const fn plain(id: &'static str, context_window: u64, max_output_tokens: u64) -> KnownModel {
    KnownModel {
        id,
        context_window,
        max_output_tokens,
        reasoning: false,
        images: true,
    }
}

const fn server(name: &'static str, base_url: &'static str, dialect: Dialect) -> Builtin {
    Builtin {
        name,
        base_url,
        key: Key::Optional,
        wire: WireDialect::OpenAiCompletions(dialect),
        models: &[],
    }
}

const BUILTINS: &[Builtin] = &[
    Builtin {
        name: "openai",
        base_url: "https://api.openai.com/v1",
        key: Key::Required("OPENAI_API_KEY"),
        wire: WireDialect::OpenAiCompletions(Dialect::OPENAI),
        models: &[
            model("gpt-5", 400_000, 128_000),
            model("gpt-5-mini", 400_000, 128_000),
            model("gpt-5-nano", 400_000, 128_000),
            model("o3", 200_000, 100_000),
            model("o4-mini", 200_000, 100_000),
            plain("gpt-4.1", 1_047_576, 32_768),
            plain("gpt-4.1-mini", 1_047_576, 32_768),
            plain("gpt-4o", 128_000, 16_384),
            plain("gpt-4o-mini", 128_000, 16_384),
        ],
    },
    Builtin {
        name: "deepseek",
        base_url: "https://api.deepseek.com/v1",
        key: Key::Required("DEEPSEEK_API_KEY"),
        wire: WireDialect::OpenAiCompletions(Dialect::DEEPSEEK),
        models: &[
            plain("deepseek-chat", 128_000, 8_192),
            model("deepseek-reasoner", 128_000, 65_536),
        ],
    },
    Builtin {
        name: "openrouter",
        base_url: "https://openrouter.ai/api/v1",
        key: Key::Required("OPENROUTER_API_KEY"),
        wire: WireDialect::OpenAiCompletions(Dialect::OPENROUTER),
        // None: a stated output limit is reserved from the account's credit there.
        models: &[],
    },
    Builtin {
        name: "groq",
        base_url: "https://api.groq.com/openai/v1",
        key: Key::Required("GROQ_API_KEY"),
        wire: WireDialect::OpenAiCompletions(Dialect::COMPATIBLE),
        models: &[
            model("openai/gpt-oss-120b", 131_072, 65_536),
            model("openai/gpt-oss-20b", 131_072, 65_536),
            plain("llama-3.3-70b-versatile", 131_072, 32_768),
        ],
    },
    Builtin {
        name: "mistral",
        base_url: "https://api.mistral.ai/v1",
        key: Key::Required("MISTRAL_API_KEY"),
        wire: WireDialect::OpenAiCompletions(Dialect::MISTRAL),
        models: &[
            plain("mistral-large-latest", 128_000, 32_768),
            plain("magistral-medium-latest", 128_000, 40_960),
        ],
    },
    Builtin {
        name: "xai",
        base_url: "https://api.x.ai/v1",
        key: Key::Required("XAI_API_KEY"),
        wire: WireDialect::OpenAiCompletions(Dialect::XAI),
        models: &[
            plain("grok-4", 256_000, 64_000),
            plain("grok-code-fast-1", 256_000, 10_000),
            model("grok-3-mini", 131_072, 8_192),
        ],
    },
    Builtin {
        name: "moonshot",
        base_url: "https://api.moonshot.ai/v1",
        key: Key::Required("MOONSHOT_API_KEY"),
        wire: WireDialect::OpenAiCompletions(Dialect::MOONSHOT),
        models: &[
            plain("kimi-k2-0905-preview", 262_144, 32_768),
            plain("kimi-k2.5", 262_144, 32_768),
        ],
    },
    server("ollama", "http://127.0.0.1:11434/v1", Dialect::OLLAMA),
    server("llama.cpp", "http://127.0.0.1:8080/v1", Dialect::TEMPLATE),
    server("vllm", "http://127.0.0.1:8000/v1", Dialect::TEMPLATE),
    server("lmstudio", "http://127.0.0.1:1234/v1", Dialect::COMPATIBLE),
];
