//! `GET models` as most servers have it, each with facts of its own in it.

use serde_json::Value;

use super::number::{first, per_token};
use super::{ListedModel, Listing, Page};
use crate::{ModelFacts, Price};

pub(super) const LISTING: Listing = Listing {
    version: None,
    key_header: None,
    headers: &[],
    query: &[],
    cursor: None,
    read,
};

/// Parts of the ids of models that do not converse, at hosts that list all they have.
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

fn read(page: &Value) -> Option<Page> {
    let lists = [page, &page["data"], &page["models"]];
    let list = lists.into_iter().find_map(Value::as_array)?;
    let models = list.iter().filter_map(model).collect();
    Some(Page { models, next: None })
}

fn model(entry: &Value) -> Option<ListedModel> {
    let id = entry["id"].as_str().filter(|id| !id.is_empty())?;
    if OTHER_KINDS.iter().any(|part| id.contains(part)) {
        return None;
    }
    Some(ListedModel {
        id: id.to_owned(),
        name: entry["name"].as_str().map(str::to_owned),
        facts: ModelFacts {
            context_window: context_window(entry),
            max_output_tokens: first(&[
                &entry["top_provider"]["max_completion_tokens"],
                &entry["max_completion_tokens"],
                &entry["max_output_tokens"],
            ]),
            reasoning: reasoning(entry),
            images: images(entry),
            price: price(&entry["pricing"]),
        },
    })
}

fn context_window(entry: &Value) -> Option<u64> {
    first(&[
        &entry["top_provider"]["context_length"],
        &entry["context_length"],
        &entry["context_window"],
        &entry["max_context_length"],
        &entry["max_model_len"],
        // A server that was started with less says so nowhere in its list.
        &entry["meta"]["n_ctx_train"],
    ])
}

fn reasoning(entry: &Value) -> Option<bool> {
    let flags = [
        &entry["supports_reasoning"],
        &entry["capabilities"]["reasoning"],
    ];
    let flag = flags.into_iter().find_map(Value::as_bool);
    flag.or_else(|| names(&entry["supported_parameters"], "reasoning"))
}

fn images(entry: &Value) -> Option<bool> {
    let flags = [
        &entry["supports_image_in"],
        &entry["capabilities"]["vision"],
    ];
    let flag = flags.into_iter().find_map(Value::as_bool);
    flag.or_else(|| names(&entry["architecture"]["input_modalities"], "image"))
}

/// Whether a list has that name in it; `None` if it is no list.
fn names(list: &Value, name: &str) -> Option<bool> {
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
