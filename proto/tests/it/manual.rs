//! The manual is true: its example is a session that the schemas allow, and every name in it exists.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use scorel_proto::{AttachmentProblem, ErrorCode, Event, METHODS, SyncMarker};
use serde_json::{Value, json};

const MANUAL: &str = include_str!("../../../docs/protocol.md");

/// The texts of the example, each with whether the client sends it.
fn example() -> Vec<(bool, Value)> {
    let (_, example) = MANUAL.split_once("## An example").unwrap();
    let lines = example.lines();
    lines
        .filter_map(|line| match line.split_at_checked(2) {
            Some(("> ", text)) => Some((true, serde_json::from_str(text).unwrap())),
            Some(("< ", text)) => Some((false, serde_json::from_str(text).unwrap())),
            _ => None,
        })
        .collect()
}

fn fits(schema: &Value, value: &Value) {
    if let Err(error) = jsonschema::draft7::new(schema).unwrap().validate(value) {
        panic!("{value}: {error}");
    }
}

#[test]
fn the_example_is_a_session_that_the_schemas_allow() {
    let document = scorel_proto::openrpc_document("1");
    let mut called = HashMap::new();
    let mut events = Vec::new();
    for (from_client, text) in example() {
        assert_eq!(text["jsonrpc"], "2.0");
        if from_client {
            let method = text["method"].as_str().unwrap().to_owned();
            let info = METHODS.iter().find(|info| info.name == method).unwrap();
            let names = (info.param_names)();
            let params = text["params"].as_object().unwrap();
            assert!(
                params.keys().all(|name| names.contains(&name.as_str())),
                "{method}: {params:?}"
            );
            called.insert(text["id"].clone(), method);
        } else if text.get("id").is_some() {
            let method = called.remove(&text["id"]).unwrap();
            let methods = document["methods"].as_array().unwrap();
            let found = methods
                .iter()
                .find(|found| found["name"] == method)
                .unwrap();
            if let Some(error) = text.get("error") {
                fits(&component(&document, "ErrorData"), &error["data"]);
            } else {
                let mut schema = found["result"]["schema"].clone();
                schema["components"] = document["components"].clone();
                fits(&schema, &text["result"]);
            }
        } else {
            events.push(text["params"]["result"].clone());
        }
    }
    assert!(called.is_empty(), "calls without a reply: {called:?}");
    check_events(&events);
}

fn component(document: &Value, name: &str) -> Value {
    let reference = format!("#/components/schemas/{name}");
    json!({ "allOf": [{ "$ref": reference }], "components": document["components"] })
}

fn check_events(notified: &[Value]) {
    let mut view = scorel_proto::SessionView::default();
    let mut markers = 0;
    for value in notified {
        let text = value.to_string();
        if serde_json::from_str::<SyncMarker>(&text).is_ok() {
            markers += 1;
            continue;
        }
        let event = Event::decode(&text).unwrap();
        if let Event::Unknown(unknown) = &event {
            panic!("{text}: {:?}", unknown.problem);
        }
        if let Event::Persistent(event) = &event {
            assert_eq!(event.prev, Some(view.state.last_persistent_seq), "{text}");
        }
        assert!(event.seq() > view.state.last_seq, "{text}");
        view.apply(&event);
    }
    assert_eq!(markers, 3);
    assert!(view.open.is_empty());
    assert_eq!(view.state.turn, None);
    assert_eq!(view.tree.len(), 2);
}

/// Inline code in the manual that names something outside the protocol, or is part of JSON-RPC.
const OTHER_NAMES: &[&str] = &[
    "cat",
    "daemon",
    "jq",
    "null",
    "params",
    "scoreld",
    "scorelctl",
    "socat",
    "details",
];

/// Other pages say the rest, each in a section of this title.
const FOR_PROGRAMS: &str = "\n## For programs\n";

/// The manual, and what other pages tell the authors of programs.
fn texts() -> Vec<(String, String)> {
    let mut texts = vec![("protocol.md".to_owned(), MANUAL.to_owned())];
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    for entry in std::fs::read_dir(docs).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_file() {
            continue;
        }
        let page = std::fs::read_to_string(&path).unwrap();
        if let Some((_, section)) = page.split_once(FOR_PROGRAMS) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            texts.push((name, section.split("\n## ").next().unwrap().to_owned()));
        }
    }
    texts
}

#[test]
fn every_name_in_the_manual_is_one_of_the_protocol() {
    let mut known: HashSet<String> = HashSet::new();
    collect_names(&scorel_proto::openrpc_document("1"), &mut known);
    known.extend(METHODS.iter().map(|info| info.name.to_owned()));
    known.extend(ErrorCode::ALL.iter().map(|code| code.name().to_owned()));
    let problems = AttachmentProblem::ALL.map(|problem| problem.name().to_owned());
    known.extend(problems);
    known.extend(OTHER_NAMES.iter().map(|&name| name.to_owned()));
    let texts = texts();
    assert!(texts.len() > 7, "{}", texts.len());
    let mut count = 0;
    for (page, text) in &texts {
        for name in names_in(text) {
            assert!(
                known.contains(name),
                "{page} names `{name}`, which does not exist"
            );
            count += 1;
        }
    }
    assert!(count > 250, "{count}");
}

#[test]
fn the_manual_is_short_enough_to_be_read() {
    let lines = MANUAL.lines().count();
    assert!(lines <= 350, "{lines}");
}

/// The identifiers in inline code, outside code blocks.
fn names_in(page: &str) -> impl Iterator<Item = &str> {
    let outside = page.split("```").step_by(2);
    let spans = outside.flat_map(|text| text.split('`').skip(1).step_by(2));
    spans.filter(|span| {
        let identifier = |char: char| char.is_ascii_alphabetic() || char == '_';
        span.len() > 1
            && span.starts_with(|char: char| char.is_ascii_lowercase())
            && span.chars().all(identifier)
    })
}

/// Every name on the wire: methods, fields, and the values of enumerations.
fn collect_names(document: &Value, names: &mut HashSet<String>) {
    match document {
        Value::Object(map) => {
            let fields = map.get("properties").and_then(Value::as_object);
            names.extend(fields.into_iter().flatten().map(|(name, _)| name.clone()));
            for key in ["const", "name"] {
                names.extend(map.get(key).and_then(Value::as_str).map(str::to_owned));
            }
            map.values().for_each(|value| collect_names(value, names));
        }
        Value::Array(values) => values.iter().for_each(|value| collect_names(value, names)),
        _ => {}
    }
}
