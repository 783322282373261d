use reqwest::Url;
use scorel_engine::{ModelRequest, ToolSpec};
use scorel_proto::ThinkingLevel;
use serde_json::{Map, Value, json};

use super::decoder::GeminiDecoder;
use super::dialect::GeminiEndpoint;
use super::family::GeminiFamily;
use super::history::GeminiHistory;
use crate::ThinkingLevels;
use crate::wire::{JsonBody, Wire, has_version, with_segments};

/// The number of stop sequences that the API takes.
const MOST_STOPS: usize = 5;

/// Used where the base URL names no version.
const VERSION: &str = "v1beta";

#[derive(Debug)]
pub(crate) struct GoogleGenerativeAi;

impl Wire for GoogleGenerativeAi {
    const API: &'static str = "google-generative-ai";
    const KEY_HEADER: Option<&'static str> = Some("x-goog-api-key");

    /// Hosts do not differ; models do, see [`GeminiFamily`].
    type Dialect = ();
    type History = GeminiHistory;
    type Decoder = GeminiDecoder;

    fn url(base: Url, model: &str) -> Url {
        let model = model.strip_prefix("models/").unwrap_or(model);
        let version = (!has_version(&base) && !has_publisher(&base)).then_some(VERSION);
        let method = format!("{model}:streamGenerateContent");
        let segments = version.into_iter().chain(["models"]);
        let mut url = with_segments(base, segments.chain(method.split('/')));
        // Without it the response is one JSON array instead of an event stream.
        url.query_pairs_mut().append_pair("alt", "sse");
        url
    }

    fn head(_endpoint: &GeminiEndpoint, request: &ModelRequest, body: &mut JsonBody) {
        if !request.system.is_empty() {
            let parts = json!([{"text": request.system}]);
            body.set("systemInstruction", json!({"parts": parts}));
        }
        if !request.tools.is_empty() {
            let functions: Vec<Value> = request.tools.iter().map(function).collect();
            body.set("tools", json!([{"functionDeclarations": functions}]));
        }
        body.begin_list("contents");
    }

    fn tail(
        endpoint: &GeminiEndpoint,
        request: &ModelRequest,
        _: &GeminiHistory,
        body: &mut JsonBody,
    ) {
        let generation = generation(endpoint, request.thinking);
        if !generation.is_empty() {
            body.set("generationConfig", generation);
        }
    }
}

/// Returns whether the path ends with a Vertex publisher; the version is further to the front then.
fn has_publisher(base: &Url) -> bool {
    let path = base.path().trim_end_matches('/');
    path.rsplit('/').nth(1) == Some("publishers")
}

fn function(spec: &ToolSpec) -> Value {
    json!({
        "name": spec.name,
        "description": spec.description,
        // Takes full JSON Schema; `parameters` takes only an OpenAPI subset.
        "parametersJsonSchema": *spec.parameters,
    })
}

fn generation(endpoint: &GeminiEndpoint, level: ThinkingLevel) -> Map<String, Value> {
    let mut generation = Map::new();
    if let Some(limit) = endpoint.output_limit {
        generation.insert("maxOutputTokens".to_owned(), json!(limit));
    }
    let stops = &endpoint.stop_sequences;
    if !stops.is_empty() {
        let taken = json!(stops[..MOST_STOPS.min(stops.len())]);
        generation.insert("stopSequences".to_owned(), taken);
    }
    let family = GeminiFamily::of(&endpoint.model.id);
    let thinking = thinking(family, endpoint.levels, level);
    if let Some(thinking) = thinking.filter(|_| endpoint.reasoning) {
        generation.insert("thinkingConfig".to_owned(), thinking);
    }
    generation
}

/// The reasoning level, and the request for summaries: the API sends none unless asked.
fn thinking(family: GeminiFamily, levels: ThinkingLevels, level: ThinkingLevel) -> Option<Value> {
    let amount = match family {
        GeminiFamily::Old => return None,
        _ if level == ThinkingLevel::Default => None,
        GeminiFamily::Budget(budgets) => budgets
            .of(level)
            .map(|budget| ("thinkingBudget", json!(budget))),
        GeminiFamily::Level => Some(("thinkingLevel", json!(level_name(levels.nearest(level))))),
    };
    let mut config = Map::new();
    // With reasoning switched off there is nothing to summarise.
    if amount.as_ref().is_none_or(|(_, value)| *value != json!(0)) {
        config.insert("includeThoughts".to_owned(), json!(true));
    }
    config.extend(amount.map(|(name, value)| (name.to_owned(), value)));
    Some(Value::Object(config))
}

fn level_name(level: ThinkingLevel) -> String {
    match level {
        ThinkingLevel::Default | ThinkingLevel::None => "MINIMAL".to_owned(),
        level => level.name().to_ascii_uppercase(),
    }
}

#[cfg(test)]
mod tests {
    use scorel_proto::ThinkingLevel;
    use serde_json::{Value, json};

    use super::thinking;
    use crate::builtin::find_builtin;
    use crate::google_generative_ai::family::GeminiFamily;

    fn of(model: &str, level: ThinkingLevel) -> Option<Value> {
        let levels = find_builtin("google").unwrap().facts(model).levels;
        let family = GeminiFamily::of(model);
        let levels = levels.unwrap_or(family.least_levels());
        thinking(family, levels, level)
    }

    #[test]
    fn thoughts_are_requested_at_the_default_level() {
        let shown = Some(json!({"includeThoughts": true}));
        assert_eq!(of("gemini-2.5-pro", ThinkingLevel::Default), shown);
        assert_eq!(of("gemini-3-pro-preview", ThinkingLevel::Default), shown);
        assert_eq!(of("gemini-2.0-flash", ThinkingLevel::High), None);
    }

    #[test]
    fn budgets_and_levels_depend_on_the_model() {
        let budget = |budget: u32| Some(json!({"includeThoughts": true, "thinkingBudget": budget}));
        assert_eq!(of("gemini-2.5-flash", ThinkingLevel::Medium), budget(8_192));
        assert_eq!(of("gemini-2.5-pro", ThinkingLevel::None), budget(128));
        let off = Some(json!({"thinkingBudget": 0}));
        assert_eq!(of("gemini-2.5-flash", ThinkingLevel::None), off);
        let level = |level: &str| Some(json!({"includeThoughts": true, "thinkingLevel": level}));
        assert_eq!(
            of("gemini-3-flash-preview", ThinkingLevel::None),
            level("MINIMAL")
        );
        assert_eq!(
            of("gemini-3-pro-preview", ThinkingLevel::None),
            level("LOW")
        );
        assert_eq!(
            of("gemini-3-pro-preview", ThinkingLevel::Medium),
            level("HIGH")
        );
    }
}
