use scorel_engine::{ModelRequest, ToolSpec};
use scorel_proto::ThinkingLevel;
use serde_json::{Map, Value, json};

use super::dialect::GeminiEndpoint;
use super::family::{GeminiFamily, GeminiThinking};
use crate::ThinkingLevels;
use crate::wire::JsonBody;

/// The number of stop sequences that the API takes.
const MOST_STOPS: usize = 5;

/// The fields before the conversation.
pub(super) fn head(request: &ModelRequest, body: &mut JsonBody) {
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

/// The fields after the conversation.
pub(super) fn tail(endpoint: &GeminiEndpoint, request: &ModelRequest, body: &mut JsonBody) {
    let family = GeminiFamily::of(&endpoint.model.id);
    let generation = generation(endpoint, family, request.thinking);
    if !generation.is_empty() {
        body.set("generationConfig", generation);
    }
}

fn function(spec: &ToolSpec) -> Value {
    json!({
        "name": spec.name,
        "description": spec.description,
        // Takes full JSON Schema; `parameters` takes only an OpenAPI subset.
        "parametersJsonSchema": *spec.parameters,
    })
}

fn generation(
    endpoint: &GeminiEndpoint,
    family: GeminiFamily,
    level: ThinkingLevel,
) -> Map<String, Value> {
    let mut generation = Map::new();
    if let Some(limit) = endpoint.output_limit {
        generation.insert("maxOutputTokens".to_owned(), json!(limit));
    }
    let stops = &endpoint.stop_sequences;
    if !stops.is_empty() {
        let taken = json!(stops[..MOST_STOPS.min(stops.len())]);
        generation.insert("stopSequences".to_owned(), taken);
    }
    let thinking = thinking(family.thinking, endpoint.levels, level);
    if let Some(thinking) = thinking.filter(|_| endpoint.reasoning) {
        generation.insert("thinkingConfig".to_owned(), thinking);
    }
    generation
}

/// The reasoning level, and the request for summaries: the API sends none unless asked.
fn thinking(switch: GeminiThinking, levels: ThinkingLevels, level: ThinkingLevel) -> Option<Value> {
    let amount = match switch {
        GeminiThinking::Absent => return None,
        _ if level == ThinkingLevel::Default => None,
        GeminiThinking::Budget(budgets) => budgets
            .of(level)
            .map(|budget| ("thinkingBudget", json!(budget))),
        GeminiThinking::Level => Some(("thinkingLevel", json!(level_name(levels.nearest(level))))),
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
        thinking(family.thinking, levels, level)
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
