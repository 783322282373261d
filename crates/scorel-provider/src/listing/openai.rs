//! `GET models`, which OpenAI-compatible servers share. OpenAI's own entries have only an id; each
//! other server adds facts under names of its own.

use scorel_proto::ThinkingLevel;
use serde_json::Value;

use super::listed_model::ListedModel;
use super::listing_api::ListingApi;
use super::number::{first, per_token};
use crate::thinking_levels::level_named;
use crate::wire::non_empty;
use crate::{ModelFacts, Price, Retirement, ThinkingLevels};

pub(super) const LISTING: ListingApi = ListingApi {
    version: None,
    key_header: None,
    headers: &[],
    query: &[],
    cursor: None,
    read: model,
};

/// Parts of the ids of models that do not chat. OpenAI and others list all they have without saying
/// which is which.
const OTHER_KINDS: &[&str] = &[
    "embed",
    "whisper",
    "tts",
    "dall-e",
    "moderation",
    "image",
    "realtime",
    "transcribe",
    "audio",
    "sora",
    "rerank",
    "ocr",
];

fn model(entry: &Value) -> Option<ListedModel> {
    let id = non_empty(&entry["id"])?;
    if OTHER_KINDS.iter().any(|part| id.contains(part)) {
        return None;
    }
    let facts = ModelFacts {
        context_window: context_window(entry),
        max_output_tokens: max_output_tokens(entry),
        reasoning: reasoning(entry),
        levels: efforts(entry),
        images: images(entry),
        price: price(&entry["pricing"]),
    };
    let name = entry["name"].as_str().map(str::to_owned);
    Some(ListedModel {
        listed_retirement: shutdown(&entry["shutdown_date"]),
        ..ListedModel::new(id, name, facts)
    })
}

/// OpenAI: a day, or null while none is announced.
fn shutdown(day: &Value) -> Option<Retirement> {
    let on = day.as_str()?.parse().ok()?;
    Some(Retirement {
        on,
        successor: None,
    })
}

fn max_output_tokens(entry: &Value) -> Option<u64> {
    first(&[
        &entry["top_provider"]["max_completion_tokens"],
        &entry["max_completion_tokens"],
        &entry["max_output_tokens"],
        &entry["max_tokens"],
        &entry["limits"]["max_output_tokens"],
        // GitHub Copilot
        &entry["capabilities"]["limits"]["max_output_tokens"],
    ])
}

fn context_window(entry: &Value) -> Option<u64> {
    first(&[
        &entry["top_provider"]["context_length"],
        &entry["context_length"],
        &entry["context_window"],
        &entry["max_context_length"],
        &entry["limits"]["max_context_window_tokens"],
        &entry["capabilities"]["limits"]["max_context_window_tokens"],
        // vLLM
        &entry["max_model_len"],
        // llama.cpp: what the server was started with. Older ones list only what the model was
        // trained with.
        &entry["meta"]["n_ctx"],
        &entry["meta"]["n_ctx_train"],
    ])
}

fn reasoning(entry: &Value) -> Option<bool> {
    let flags = [
        &entry["supports_reasoning"],
        &entry["capabilities"]["reasoning"],
    ];
    let flag = flags.into_iter().find_map(Value::as_bool);
    flag.or_else(|| contains(&entry["supported_parameters"], "reasoning"))
        .or_else(|| efforts(entry).map(|_| true))
}

/// A list of names, or of objects that have one. OpenRouter also says whether reasoning is mandatory.
fn efforts(entry: &Value) -> Option<ThinkingLevels> {
    let lists = [
        &entry["reasoning"]["supported_efforts"],
        &entry["supported_reasoning_efforts"],
        &entry["supported_reasoning_levels"],
        &entry["reasoning_efforts"],
        &entry["reasoning_effort"],
        &entry["capabilities"]["reasoning_effort"],
        // GitHub Copilot
        &entry["capabilities"]["supports"]["reasoning_effort"],
    ];
    let list = lists.into_iter().find_map(Value::as_array)?.iter();
    let name = |level: &Value| {
        let name = level.as_str().or_else(|| level["effort"].as_str())?;
        level_named(name)
    };
    let named: Vec<_> = list.filter_map(name).collect();
    let levels = ThinkingLevels::of(&named);
    let levels = match entry["reasoning"]["mandatory"].as_bool() {
        Some(true) => levels.without(ThinkingLevel::None),
        Some(false) => levels.with(ThinkingLevel::None),
        None => levels,
    };
    (!named.is_empty()).then_some(levels)
}

fn images(entry: &Value) -> Option<bool> {
    let flags = [
        &entry["supports_image_in"],
        &entry["capabilities"]["vision"],
        &entry["capabilities"]["supports"]["vision"],
    ];
    let flag = flags.into_iter().find_map(Value::as_bool);
    flag.or_else(|| contains(&entry["architecture"]["input_modalities"], "image"))
        .or_else(|| contains(&entry["input_modalities"], "image"))
        .or_else(|| contains(&entry["modalities"]["input"], "image"))
}

/// `None` if the value is not a list.
fn contains(list: &Value, name: &str) -> Option<bool> {
    let list = list.as_array()?;
    Some(list.iter().any(|entry| entry == name))
}

fn price(pricing: &Value) -> Option<Price> {
    Some(Price {
        input: per_token(&pricing["prompt"])?,
        output: per_token(&pricing["completion"])?,
        cache_read: per_token(&pricing["input_cache_read"]),
        cache_write: per_token(&pricing["input_cache_write"]),
        noted_on: None,
    })
}
