use scorel_proto::ThinkingLevel;
use scorel_runtime::{ModelRequest, ToolSpec};
use serde_json::{Map, Value, json};

use super::Endpoint;
use super::family::{Family, Thinking};
use super::history;
use crate::wire::nearest;

/// How many texts to stop at the wire takes.
const MOST_STOPS: usize = 5;

/// The body of a call; see [`Wire::render`](crate::wire::Wire::render).
pub(super) fn render(endpoint: &Endpoint, request: &ModelRequest) -> Vec<u8> {
    let family = Family::of(&endpoint.model.id);
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| {
        body.insert(name.to_owned(), value);
    };
    if !request.system.is_empty() {
        let parts = json!([{"text": request.system}]);
        set("systemInstruction", json!({"parts": parts}));
    }
    if !request.tools.is_empty() {
        let functions: Vec<Value> = request.tools.iter().map(function).collect();
        set("tools", json!([{"functionDeclarations": functions}]));
    }
    set(
        "contents",
        json!(history::render(endpoint, family, request)),
    );
    let generation = generation(endpoint, family, request.thinking);
    if !generation.is_empty() {
        set("generationConfig", Value::Object(generation));
    }
    // Values of strings, numbers and lists always have a text.
    Value::Object(body).to_string().into_bytes()
}

fn function(spec: &ToolSpec) -> Value {
    json!({
        "name": spec.name,
        "description": spec.description,
        // `parameters` takes a part of JSON Schema only.
        "parametersJsonSchema": spec.parameters,
    })
}

fn generation(endpoint: &Endpoint, family: Family, level: ThinkingLevel) -> Map<String, Value> {
    let mut generation = Map::new();
    if let Some(limit) = endpoint.output_limit {
        generation.insert("maxOutputTokens".to_owned(), json!(limit));
    }
    let stops = &endpoint.stop_sequences;
    if !stops.is_empty() {
        let taken = json!(stops[..MOST_STOPS.min(stops.len())]);
        generation.insert("stopSequences".to_owned(), taken);
    }
    let thinking = thinking(family.thinking, level);
    if let Some(thinking) = thinking.filter(|_| endpoint.reasoning) {
        generation.insert("thinkingConfig".to_owned(), thinking);
    }
    generation
}

/// How much to think, and to show what is thought: the endpoint shows nothing unless asked.
fn thinking(switch: Thinking, level: ThinkingLevel) -> Option<Value> {
    let said = match switch {
        Thinking::Absent => return None,
        _ if level == ThinkingLevel::Default => None,
        Thinking::Budget(budgets) => budgets
            .of(level)
            .map(|budget| ("thinkingBudget", json!(budget))),
        Thinking::Level(levels) => Some(("thinkingLevel", json!(name(nearest(levels, level))))),
    };
    let mut config = Map::new();
    if said.as_ref().is_none_or(|(_, value)| *value != json!(0)) {
        config.insert("includeThoughts".to_owned(), json!(true));
    }
    config.extend(said.map(|(name, value)| (name.to_owned(), value)));
    Some(Value::Object(config))
}

const fn name(level: ThinkingLevel) -> &'static str {
    match level {
        ThinkingLevel::Default | ThinkingLevel::None | ThinkingLevel::Minimal => "MINIMAL",
        ThinkingLevel::Low => "LOW",
        ThinkingLevel::Medium => "MEDIUM",
        ThinkingLevel::High => "HIGH",
    }
}

#[cfg(test)]
mod tests {
    use scorel_proto::ThinkingLevel;
    use serde_json::{Value, json};

    use super::thinking;
    use crate::google_generative_ai::family::Family;

    fn of(model: &str, level: ThinkingLevel) -> Option<Value> {
        thinking(Family::of(model).thinking, level)
    }

    #[test]
    fn thoughts_are_shown_even_if_nothing_is_said_of_how_much() {
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
