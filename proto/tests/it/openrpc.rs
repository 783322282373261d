//! The OpenRPC document is complete, sound and true.

use scorel_proto::{ErrorCode, METHODS, openrpc_document};
use serde_json::{Value, json};

use crate::samples;

/// The document's method called `name`.
fn method<'a>(document: &'a Value, name: &str) -> &'a Value {
    let methods = document["methods"].as_array().unwrap();
    methods
        .iter()
        .find(|method| method["name"] == name)
        .unwrap()
}

#[test]
fn every_method_is_described() {
    let document = openrpc_document("1.2.3");
    assert_eq!(document["info"]["version"], "1.2.3");
    assert_eq!(document["methods"].as_array().unwrap().len(), METHODS.len());
    for info in METHODS {
        let method = method(&document, info.name);
        assert!(!method["summary"].as_str().unwrap().is_empty());
        assert_eq!(method["x-access"], json!(info.access));
        assert_eq!(method["x-group"], json!(info.group));
        let params = method["params"].as_array().unwrap();
        let names: Vec<_> = params
            .iter()
            .map(|param| param["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, (info.param_names)(), "{}", info.name);
        assert_eq!(
            method["errors"].as_array().unwrap().len(),
            info.errors.len()
        );
        for param in params {
            assert_ne!(param["description"], "", "{} {}", info.name, param["name"]);
        }
    }
}

#[test]
fn every_error_has_its_number() {
    let document = openrpc_document("1");
    for code in ErrorCode::ALL {
        let error = &document["components"]["errors"][code.name()];
        assert_eq!(error["code"], code.number());
        assert_eq!(error["data"]["code"], code.name());
        assert!(error["message"].as_str().unwrap().ends_with('.'));
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let document = openrpc_document("1");
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 100);
    for reference in references {
        let target = document.pointer(reference.strip_prefix('#').unwrap());
        assert!(target.is_some(), "{reference} leads nowhere");
    }
}

#[test]
fn every_type_is_valid_in_the_drafts_that_tools_know() {
    let document = openrpc_document("1");
    let mut references = Vec::new();
    collect(&document, &mut references);
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        assert!(jsonschema::draft7::meta::is_valid(schema), "{name}");
        assert!(jsonschema::draft202012::meta::is_valid(schema), "{name}");
        let reference = format!("#/components/schemas/{name}");
        // A type for clients only, which no method returns yet.
        let is_used = references.contains(&reference.as_str()) || name == "TurnSummary";
        assert!(is_used, "{name}");
    }
}

fn collect<'a>(value: &'a Value, references: &mut Vec<&'a str>) {
    match value {
        Value::Object(map) => {
            references.extend(map.get("$ref").and_then(Value::as_str));
            map.values().for_each(|value| collect(value, references));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, references)),
        _ => {}
    }
}

#[test]
fn the_document_is_the_same_every_time() {
    assert_eq!(
        openrpc_document("1").to_string(),
        openrpc_document("1").to_string()
    );
}

/// A schema that can see the document's definitions.
fn schema(document: &Value, mut schema: Value) -> Value {
    if schema == json!(true) {
        return schema;
    }
    schema["components"] = document["components"].clone();
    schema
}

/// The parameters of a method as one object.
fn params_schema(method: &Value) -> Value {
    let params = method["params"].as_array().unwrap();
    let properties: serde_json::Map<_, _> = params
        .iter()
        .map(|param| {
            (
                param["name"].as_str().unwrap().to_owned(),
                param["schema"].clone(),
            )
        })
        .collect();
    let required: Vec<_> = params
        .iter()
        .filter(|param| param["required"] == true)
        .map(|param| &param["name"])
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// What the document says about the type of a golden, by the golden's directory.
fn documented(document: &Value, name: &str) -> Option<Value> {
    let (kind, rest) = name.split_once('/')?;
    let method = |rest: &str| {
        let name = METHODS.iter().map(|info| info.name).filter(|name| {
            rest == *name
                || rest
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with('.'))
        });
        method(document, name.max().unwrap())
    };
    let notification = |index: usize| &document["x-notifications"][index]["params"][1]["schema"];
    let component = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let found = match kind {
        "params" => params_schema(method(rest)),
        "result" => method(rest)["result"]["schema"].clone(),
        "event" | "marker" => notification(0).clone(),
        "host" => notification(1).clone(),
        "error" => component("ErrorData"),
        "block" => component("Block"),
        "message" => component("Message"),
        "runner" => match rest.split_once('.').map_or(rest, |(name, _)| name) {
            "context" => component("RunnerContext"),
            "log_tail" => component("RunnerLogTail"),
            "turn_summary" => component("TurnSummary"),
            "error_kinds" => json!({"type": "array", "items": component("RunnerErrorKind")}),
            other => panic!("no schema for runner/{other}"),
        },
        "agent" => match rest {
            "statuses" => json!({"type": "array", "items": component("AgentTaskStatus")}),
            // They are in the details of an error, which the document leaves open.
            "refusals" => return None,
            other => panic!("no schema for agent/{other}"),
        },
        // The kinds of a refusal are in the details of an error, too.
        "attachment" => return None,
        other => panic!("no schema for goldens of {other}"),
    };
    Some(schema(document, found))
}

#[test]
fn every_golden_fits_what_the_document_says() {
    let document = openrpc_document("1");
    for golden in samples::all() {
        let Some(schema) = documented(&document, &golden.name) else {
            continue;
        };
        let validator = jsonschema::draft7::new(&schema).unwrap();
        if let Err(error) = validator.validate(&golden.encoded) {
            panic!("{}: {error} at {}", golden.name, error.instance_path());
        }
    }
}

#[test]
fn the_schemas_reject_wrong_values() {
    let document = openrpc_document("1");
    for (name, pointer, wrong) in [
        (
            "params/sendMessage",
            "/sessionId",
            json!("ses_../../etc/passwd"),
        ),
        ("params/sendMessage", "/content", json!(5)),
        ("params/listSessions", "/limit", json!(0)),
        ("params/rewind", "/targetEventId", json!("here")),
        ("result/sendMessage", "/status", json!("perhaps")),
        ("event/message.user", "/message/role", json!("king")),
        ("event/text_delta", "/blockIndex", json!(-1)),
        ("event/turn_outcome.completed", "/reason", json!("bored")),
        (
            "event/seq_reserve",
            "/seq",
            json!(9_007_199_254_740_992_u64),
        ),
        ("marker/sync_end", "/throughSeq", json!(null)),
        ("host/session_changed", "/session/phase", json!("asleep")),
        ("error/conflict", "/code", json!("oops")),
    ] {
        let golden = samples::all()
            .into_iter()
            .find(|golden| golden.name == name)
            .unwrap();
        let validator = jsonschema::draft7::new(&documented(&document, name).unwrap()).unwrap();
        let mut value = golden.encoded;
        assert!(
            validator.is_valid(&value),
            "{name} does not fit to begin with"
        );
        *value.pointer_mut(pointer).unwrap() = wrong;
        assert!(
            !validator.is_valid(&value),
            "{name} fits with a wrong {pointer}"
        );
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let object = value.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        let required = object.remove(key).is_some() && !key.starts_with("limit");
        assert_eq!(
            validator.is_valid(&value),
            !required,
            "{name} without {pointer}"
        );
    }
}
