//! Our packages and documents as other programs read them: `ajv` by the published schemas, `yaml`, `python-frontmatter`.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use scorel_frontmatter::Document;
use scorel_testkit::OtherReader;
use scorel_workflow::{ProblemCode, RunDocument, StateUpdate};
use serde_json::{Map, Number, Value, json};

use crate::reference_run::documents;
use crate::sample::Sample;

/// Documents that are written and read.
const DOCUMENTS: usize = 300;

/// Values of which one is changed.
const CHANGES: usize = 400;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn line(schema: &str, value: &Value) -> Value {
    json!({"schema": schema, "value": value})
}

/// The schema that a file of a package has to fit.
fn schema(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap();
    Some(match name {
        "bmad.json" => "bmad",
        "agents.json" => "agents",
        "workflow.md" => "workflow-frontmatter",
        _ if name.ends_with(".graph.json") => "workflow-graph",
        _ if path.starts_with("steps/") => "step-frontmatter",
        _ => return None,
    })
}

fn value(path: &str, text: &str) -> Value {
    match path.ends_with(".md") {
        true => Value::Object(Document::parse(text).unwrap().values().clone()),
        false => serde_json::from_str(text).unwrap(),
    }
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(dir).unwrap().map(|it| it.unwrap().path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => files_below(&path),
            false => vec![path],
        })
        .collect()
}

#[test]
fn ajv_accepts_all_files_of_our_packages() {
    let Some(ajv) = OtherReader::ajv() else {
        return;
    };
    let mut lines = Vec::new();
    for package in fs::read_dir(workspace().join("docs/workflows")).unwrap() {
        let root = package.unwrap().path();
        for file in files_below(&root) {
            let path = file.strip_prefix(&root).unwrap().to_str().unwrap();
            if let Some(schema) = schema(path) {
                lines.push(line(
                    schema,
                    &value(path, &fs::read_to_string(&file).unwrap()),
                ));
            }
        }
    }
    assert!(lines.len() > 20);
    for (answer, line) in ajv.answers(lines.clone()).iter().zip(&lines) {
        assert_eq!(answer["valid"], true, "{answer} {line}");
    }
}

#[test]
fn ajv_accepts_each_document_of_the_scripted_run() {
    let Some(ajv) = OtherReader::ajv() else {
        return;
    };
    let documents = documents().into_iter();
    let lines = documents.map(|it| line("workflow-frontmatter", &value("run.md", it.text())));
    for answer in ajv.answers(lines.collect()) {
        assert_eq!(answer["valid"], true, "{answer}");
    }
}

/// The pointers to all values below one.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    let mut below = |key: &str, value: &Value| pointers(value, &format!("{at}/{key}"), found);
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| below(key, value)),
        Value::Array(items) => (0..)
            .zip(items)
            .for_each(|(index, value): (usize, _)| below(&index.to_string(), value)),
        _ => {}
    }
}

/// A value in which one value is another, is gone, or has a field more.
fn changed(value: &Value) -> impl Strategy<Value = Value> + use<> {
    let mut places = Vec::new();
    pointers(value, "", &mut places);
    let others = prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        Just(json!(1)),
        Just(json!(1.5)),
        Just(json!(-1)),
        Just(json!("")),
        Just(json!("x")),
        Just(json!("1.1")),
        Just(json!("1.1.1")),
        Just(json!("1.0.0-a+b")),
        Just(json!("-a")),
        Just(json!("a b")),
        Just(json!([])),
        Just(json!([1])),
        Just(json!(["x"])),
        Just(json!({})),
        Just(json!({"__proto__": 1})),
    ];
    let value = value.clone();
    (
        prop::sample::select(places),
        prop::option::of(others),
        any::<bool>(),
    )
        .prop_map(move |(place, other, adds)| {
            let mut value = value.clone();
            match (value.pointer_mut(&place), other) {
                (Some(Value::Object(fields)), other) if adds => {
                    fields.insert("more".to_owned(), other.unwrap_or_default());
                }
                (Some(found), Some(other)) => *found = other,
                (Some(_), None) => remove(&mut value, &place),
                (None, _) => {}
            }
            value
        })
}

fn remove(value: &mut Value, place: &str) {
    let Some((parent, key)) = place.rsplit_once('/') else {
        return;
    };
    match value.pointer_mut(parent) {
        Some(Value::Object(fields)) => drop(fields.remove(key)),
        Some(Value::Array(items)) => drop(items.remove(key.parse().unwrap())),
        _ => {}
    }
}

#[test]
fn our_check_of_forms_agrees_with_ajv() {
    let Some(ajv) = OtherReader::ajv() else {
        return;
    };
    let (sample, mut runner) = (Sample::new(), TestRunner::default());
    let (mut lines, mut verdicts) = (Vec::new(), Vec::new());
    for _ in 0..CHANGES {
        for path in [
            "bmad.json",
            "agents.json",
            "workflow.graph.json",
            "workflow.md",
            "steps/review.md",
        ] {
            let text = String::from_utf8(sample.0[path].clone()).unwrap();
            let tree = changed(&value(path, &text)).new_tree(&mut runner).unwrap();
            let value = tree.current();
            let written = match path.ends_with(".md") {
                true => format!("---\n{value}\n---\n"),
                false => value.to_string(),
            };
            // Braces alone are not fields, and `maxVisits` is ours.
            if path.ends_with(".md") && (!value.is_object() || value == json!({}))
                || value["maxVisits"] != json!(3) && path.starts_with("steps/")
            {
                continue;
            }
            let mut sample = sample.clone();
            sample.text(path, &written);
            let ours = sample.problems();
            let ours: Vec<_> = ours
                .into_iter()
                .filter(|it| it.file == path && it.code == ProblemCode::Schema)
                .collect();
            lines.push(line(schema(path).unwrap(), &value));
            verdicts.push(ours);
        }
    }
    let mut accepted = 0;
    for ((answer, ours), line) in ajv.answers(lines.clone()).iter().zip(verdicts).zip(lines) {
        accepted += usize::from(ours.is_empty());
        assert_eq!(answer["valid"], ours.is_empty(), "{ours:?} {answer} {line}");
    }
    assert!(accepted > 100 && accepted < CHANGES * 4, "{accepted}");
}

/// Values that readers of YAML are known to read in other ways, unless they are written with care.
fn text() -> impl Strategy<Value = String> {
    let odd = [
        "",
        "yes",
        "no",
        "on",
        "~",
        "null",
        "1e5",
        "0o7",
        "1_000",
        "12:30:45",
        "2026-01-02",
        "2026-01-02T03:04:05Z",
        "<<",
        "=",
        "---",
        "...",
        "# x",
        "a: b",
        "- a",
        "? a",
        "&a",
        "*a",
        "!a",
        "%a",
        "@a",
        "`a",
        "'",
        "\"",
        "\\",
        "\\u0041",
        " a ",
        "\ta\t",
        "a\nb",
        "a\r\nb",
        "\u{85}",
        "\u{2028}",
        "\u{2029}",
        "\u{feff}",
        "\u{7f}",
        "\u{9f}",
        "\u{fffe}",
        "\u{ffff}",
        "😀",
        "\u{202e}abc",
        "__proto__",
        "constructor",
        "{a",
        "]",
        ",",
    ];
    prop_oneof![
        prop::sample::select(odd.to_vec()).prop_map(str::to_owned),
        "\\PC{0,12}",
        ".{0,8}"
    ]
}

fn number() -> impl Strategy<Value = Number> {
    const SAFE: i64 = 1 << 53;
    let floats = prop_oneof![
        prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL,
        prop::sample::select(vec![1e16, 1e21, -1e100, 1.5e300, 1e-7, 5e-324, -0.0, 0.1]),
    ];
    prop_oneof![
        (-SAFE..SAFE).prop_map(Number::from),
        floats.prop_map(|it| Number::from_f64(it).unwrap()),
    ]
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..4)
                .prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z][a-zA-Z_-]{0,6}",
        text().prop_filter("a key of YAML", |it| !it.is_empty())
    ]
}

/// A document after updates by a run, and changes of other fields.
fn document() -> impl Strategy<Value = (String, Map<String, Value>)> {
    let update = (
        prop::collection::vec(text(), 0..3),
        prop::collection::btree_map(text(), json_value(), 0..4),
        text(),
    );
    let fields = prop::collection::vec((key(), json_value()), 0..5);
    (prop::collection::vec(update, 0..3), fields, any::<bool>()).prop_map(|(updates, fields, crlf)| {
        let text = "---\n# state\nschemaVersion: \"1.1\" # version\nworkflowType: notes\ncurrentNodeId: ''\nstepsCompleted: [] # grows\n---\n# Body\n";
        let text = if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
        let mut run = RunDocument::parse(text).unwrap();
        for (steps, variables, node) in updates {
            let update = json!({
                "stepsCompleted": {"append": steps}, "variables": {"set": variables}, "artifacts": {"append": steps},
                "decisionLog": {"append": [{"from": node, "to": node, "label": node}]}, "currentNodeId": {"set": node},
            });
            let update: StateUpdate = serde_json::from_value(update).unwrap();
            run = run.updated(&update, "2026-01-02T03:04:05Z").unwrap();
        }
        let mut document = Document::parse(run.text()).unwrap();
        for (key, value) in fields {
            document = document.set(&key, &value).unwrap_or(document);
        }
        (document.text().to_owned(), document.values().clone())
    })
}

/// Equal, but for the way in which a number is written.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            one == other || (one - other).abs() <= one.abs() * 1e-15
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|it| is_same(value, it)))
        }
        _ => one == other,
    }
}

#[test]
fn other_readers_of_heads_read_what_we_wrote_as_we_do() {
    let mut runner = TestRunner::default();
    let generated = std::iter::repeat_with(|| document().new_tree(&mut runner).unwrap().current());
    let documents: Vec<_> = generated.take(DOCUMENTS).collect();
    let lines: Vec<Value> = documents.iter().map(|(text, _)| json!(text)).collect();
    for (name, reader) in [
        ("yaml", OtherReader::yaml()),
        ("python-frontmatter", OtherReader::python_frontmatter()),
    ] {
        let Some(reader) = reader else { continue };
        for (answer, (text, values)) in reader.answers(lines.clone()).iter().zip(&documents) {
            let expected = Value::Object(values.clone());
            assert!(
                is_same(&expected, &answer["values"]),
                "{name}\n{text}\n{text:?}\n{answer}\n{expected}"
            );
        }
    }
}
