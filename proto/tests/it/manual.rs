//! The manual is true: its example is made of real calls, replies and events, and its links lead
//! somewhere. The page in `docs` is the one that this crate writes.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use scorel_proto::{Event, METHODS, SyncMarker};
use serde_json::{Value, json};

const MANUAL: &str = include_str!("../../src/manual.md");

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
            assert!(info.available, "the example calls {method}");
            let names = (info.param_names)();
            let params = text["params"].as_object().unwrap();
            assert!(
                params.keys().all(|name| names.contains(name)),
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

/// Set this variable to write the page anew.
const REWRITE: &str = "SCOREL_REWRITE_DOCS";

#[test]
fn the_page_in_docs_is_up_to_date() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/protocol.md");
    let page = scorel_proto::protocol_markdown();
    if std::env::var_os(REWRITE).is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == page,
        "docs/protocol.md is out of date; set {REWRITE}=1 and run this again"
    );
}

#[test]
fn every_link_within_the_page_leads_to_a_heading() {
    let page = scorel_proto::protocol_markdown();
    let headings = page.lines().filter_map(|line| line.strip_prefix('#'));
    let anchors: HashSet<String> = headings.map(anchor).collect();
    let links = page
        .split("](#")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap());
    let mut count = 0;
    for link in links {
        assert!(anchors.contains(link), "no heading for #{link}");
        count += 1;
    }
    assert!(count > 200);
}

/// A heading's anchor, as the usual renderers make it.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars()
        .filter(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_'))
        .map(|char| if char == ' ' { '-' } else { char })
        .collect()
}

#[test]
fn the_page_names_every_method_event_type_and_error() {
    let page = scorel_proto::protocol_markdown();
    let names = METHODS.iter().map(|info| info.name);
    let types = scorel_proto::PersistentBody::TYPES
        .iter()
        .chain(scorel_proto::TransientBody::TYPES);
    for name in names.chain(types.copied()) {
        assert!(
            page.contains(&format!("\n#### `{name}`\n")),
            "{name} has no section"
        );
    }
    for code in scorel_proto::ErrorCode::ALL {
        assert!(
            page.contains(&format!("| {} | `{code}` |", code.number())),
            "{code}"
        );
    }
}
