//! The models of the built-in providers. Prices are in dollars per million tokens.

use ThinkingLevel::{High, Low, Medium, Minimal, None as Off};
use scorel_proto::ThinkingLevel;

use super::KnownModel;
use crate::wire::ThinkingLevels;

/// OpenAI's first reasoning models and its Codex models: always reason.
const EFFORT: ThinkingLevels = &[Low, Medium, High];
/// GPT-5: cannot switch reasoning off either, but has a level below low.
const MINIMAL: ThinkingLevels = &[Minimal, Low, Medium, High];
/// Since GPT-5.2 reasoning can be switched off.
const OFF: ThinkingLevels = &[Off, Low, Medium, High];
const OFF_OR_HIGH: ThinkingLevels = &[Off, High];

const fn model(id: &'static str, context_window: u64, max_output_tokens: u64) -> KnownModel {
    KnownModel::new(id, context_window, max_output_tokens)
}

pub(super) const OPENAI: &[KnownModel] = &[
    model("gpt-5.6", 1_050_000, 128_000)
        .levels(OFF)
        .price(2.0, 10.0)
        .cached(0.2),
    model("gpt-5.6-luna", 1_050_000, 128_000)
        .levels(OFF)
        .price(1.0, 6.0)
        .cached(0.1),
    model("gpt-5.5", 1_050_000, 128_000)
        .levels(OFF)
        .price(5.0, 30.0)
        .cached(0.5),
    model("gpt-5.4", 1_050_000, 128_000)
        .levels(OFF)
        .price(2.5, 15.0)
        .cached(0.25),
    model("gpt-5.3-codex", 400_000, 128_000)
        .levels(EFFORT)
        .price(1.75, 14.0)
        .cached(0.175),
    model("gpt-5.2", 400_000, 128_000)
        .levels(OFF)
        .price(1.75, 14.0)
        .cached(0.175),
    model("gpt-5", 400_000, 128_000)
        .levels(MINIMAL)
        .price(1.25, 10.0)
        .cached(0.125),
    model("gpt-5-mini", 400_000, 128_000)
        .levels(MINIMAL)
        .price(0.25, 2.0)
        .cached(0.025),
    model("gpt-5-nano", 400_000, 128_000)
        .levels(MINIMAL)
        .price(0.05, 0.4)
        .cached(0.005),
    model("o3", 200_000, 100_000)
        .levels(EFFORT)
        .price(2.0, 8.0)
        .cached(0.5),
    model("o4-mini", 200_000, 100_000)
        .levels(EFFORT)
        .price(1.1, 4.4)
        .cached(0.275),
    model("gpt-4.1", 1_047_576, 32_768)
        .plain()
        .price(2.0, 8.0)
        .cached(0.5),
    model("gpt-4.1-mini", 1_047_576, 32_768)
        .plain()
        .price(0.4, 1.6)
        .cached(0.1),
    model("gpt-4o", 128_000, 16_384)
        .plain()
        .price(2.5, 10.0)
        .cached(1.25),
    model("gpt-4o-mini", 128_000, 16_384)
        .plain()
        .price(0.15, 0.6)
        .cached(0.075),
];

pub(super) const ANTHROPIC: &[KnownModel] = &[
    model("claude-sonnet-5-5", 1_000_000, 128_000)
        .price(2.0, 10.0)
        .cached(0.2)
        .cache_writes(2.5),
    model("claude-opus-5-5", 1_000_000, 128_000)
        .price(4.0, 20.0)
        .cached(0.4)
        .cache_writes(5.0),
    model("claude-haiku-5-5", 1_000_000, 128_000)
        .price(0.1, 0.5)
        .cached(0.01)
        .cache_writes(0.125),
    model("claude-fable-5-1", 1_000_000, 128_000)
        .price(10.0, 50.0)
        .cached(1.0)
        .cache_writes(12.5),
    model("claude-sonnet-5", 1_000_000, 128_000)
        .price(2.0, 10.0)
        .cached(0.2)
        .cache_writes(2.5),
    model("claude-opus-5", 1_000_000, 128_000)
        .price(5.0, 25.0)
        .cached(0.5)
        .cache_writes(6.25),
    model("claude-opus-4-8", 1_000_000, 128_000)
        .price(5.0, 25.0)
        .cached(0.5)
        .cache_writes(6.25),
    model("claude-sonnet-4-6", 1_000_000, 128_000)
        .price(3.0, 15.0)
        .cached(0.3)
        .cache_writes(3.75),
    model("claude-sonnet-4-5", 200_000, 64_000)
        .price(3.0, 15.0)
        .cached(0.3)
        .cache_writes(3.75),
    model("claude-opus-4-5", 200_000, 64_000)
        .price(5.0, 25.0)
        .cached(0.5)
        .cache_writes(6.25),
    model("claude-haiku-4-5", 200_000, 64_000)
        .price(1.0, 5.0)
        .cached(0.1)
        .cache_writes(1.25),
];

pub(super) const GOOGLE: &[KnownModel] = &[
    model("gemini-3.5-flash", 1_048_576, 65_536)
        .price(1.5, 9.0)
        .cached(0.15),
    model("gemini-3.1-pro-preview", 1_048_576, 65_536)
        .price(2.0, 12.0)
        .cached(0.2),
    model("gemini-3.1-flash-lite", 1_048_576, 65_536)
        .price(0.25, 1.5)
        .cached(0.025),
    model("gemini-3-flash-preview", 1_048_576, 65_536)
        .price(0.5, 3.0)
        .cached(0.05),
    model("gemini-2.5-pro", 1_048_576, 65_536)
        .price(1.25, 10.0)
        .cached(0.125),
    model("gemini-2.5-flash", 1_048_576, 65_536)
        .price(0.3, 2.5)
        .cached(0.03),
];

pub(super) const DEEPSEEK: &[KnownModel] = &[
    model("deepseek-v4-flash", 1_000_000, 384_000)
        .text_only()
        .price(0.22, 0.66)
        .cached(0.007),
    model("deepseek-v4-pro", 1_000_000, 384_000)
        .text_only()
        .price(0.66, 1.98)
        .cached(0.022),
    model("deepseek-chat", 128_000, 8_192).plain().text_only(),
    model("deepseek-reasoner", 128_000, 65_536).text_only(),
];

pub(super) const GROQ: &[KnownModel] = &[
    model("openai/gpt-oss-120b", 131_072, 65_536)
        .text_only()
        .price(0.15, 0.6)
        .cached(0.075),
    model("openai/gpt-oss-20b", 131_072, 65_536)
        .text_only()
        .price(0.075, 0.3)
        .cached(0.0375),
    model("llama-3.3-70b-versatile", 131_072, 32_768)
        .plain()
        .text_only()
        .price(0.59, 0.79),
];

pub(super) const MISTRAL: &[KnownModel] = &[
    model("mistral-medium-latest", 262_144, 131_072).price(1.5, 7.5),
    model("mistral-large-latest", 262_144, 131_072)
        .plain()
        .price(0.5, 1.5),
    model("mistral-small-latest", 128_000, 16_384).price(0.1, 0.3),
    model("magistral-medium-latest", 128_000, 16_384)
        .levels(OFF_OR_HIGH)
        .text_only()
        .price(2.0, 5.0),
];

pub(super) const XAI: &[KnownModel] = &[
    model("grok-4.3", 1_000_000, 30_000)
        .plain()
        .price(1.25, 2.5)
        .cached(0.2),
    model("grok-4", 256_000, 64_000)
        .plain()
        .price(3.0, 15.0)
        .cached(0.75),
    model("grok-code-fast-1", 256_000, 10_000)
        .plain()
        .text_only()
        .price(0.2, 1.5)
        .cached(0.02),
    model("grok-3-mini", 131_072, 8_192)
        .text_only()
        .price(0.3, 0.5)
        .cached(0.075),
];

pub(super) const MOONSHOT: &[KnownModel] = &[
    model("kimi-k2.6", 262_144, 131_072)
        .price(0.95, 4.0)
        .cached(0.16),
    model("kimi-k2.5", 262_144, 131_072)
        .price(0.6, 3.0)
        .cached(0.1),
    model("kimi-k2-0905-preview", 262_144, 32_768)
        .plain()
        .text_only(),
];

pub(super) const ZHIPU: &[KnownModel] = &[
    model("glm-5.1", 204_800, 131_072).text_only(),
    model("glm-4.7", 204_800, 131_072)
        .text_only()
        .price(0.6, 2.2)
        .cached(0.11),
    model("glm-4.5-air", 131_072, 98_304)
        .text_only()
        .price(0.2, 1.1)
        .cached(0.03),
];

pub(super) const QWEN: &[KnownModel] = &[
    model("qwen3-max", 262_144, 65_536)
        .plain()
        .text_only()
        .price(1.2, 6.0)
        .cached(0.24),
    model("qwen3-coder-plus", 1_048_576, 65_536)
        .plain()
        .text_only()
        .price(1.0, 5.0)
        .cached(0.2),
    model("qwen-plus", 1_000_000, 32_768)
        .text_only()
        .price(0.4, 1.2)
        .cached(0.08),
];
