//! The schemas, and what becomes of arguments that do not fit them.

use scorel_engine::ToolList;
use serde_json::{Value, json};

use super::project::Project;

#[test]
fn schemas_are_plain_and_describe_every_argument() {
    let tools = ToolList::new(Project::new().tools().list()).unwrap();
    for spec in tools.specs() {
        assert_is_plain(&spec.parameters, &spec.name);
    }
}

fn assert_is_plain(schema: &Value, name: &str) {
    let fields = schema.as_object().unwrap();
    let keys: Vec<_> = fields.keys().map(String::as_str).collect();
    let expected = [
        "type",
        "description",
        "properties",
        "required",
        "additionalProperties",
    ];
    assert!(keys.iter().all(|key| expected.contains(key)), "{keys:?}");
    assert_eq!(fields["type"], json!("object"));
    assert_eq!(fields["additionalProperties"], json!(false));
    for (property_name, property) in fields["properties"].as_object().unwrap() {
        let case = format!("{name}.{property_name}: {property}");
        let description = property["description"].as_str();
        assert!(description.is_some_and(|text| text.len() > 10), "{case}");
        assert!(property["type"].is_string(), "{case}");
        let plain = ["description", "type", "enum", "minimum", "maximum", "items"];
        let mut keys = property.as_object().unwrap().keys();
        assert!(keys.all(|key| plain.contains(&key.as_str())), "{case}");
        match &property["items"] {
            Value::Object(items) if items["type"] == "object" => {
                assert_is_plain(&property["items"], &case);
            }
            items => assert_eq!(items.is_null(), property["type"] != "array", "{case}"),
        }
    }
}

#[test]
fn every_tool_has_its_expected_schema() {
    let tools = ToolList::new(Project::new().tools().list()).unwrap();
    let properties = |spec: &scorel_engine::ToolSpec| -> Vec<String> {
        let properties = spec.parameters["properties"].as_object().unwrap();
        let describe = |(name, value): (&String, &Value)| {
            let value = value.clone();
            format!("{name}: {}", value["type"].as_str().unwrap())
        };
        properties.iter().map(describe).collect()
    };
    let specs: Vec<_> = tools.specs().collect();
    let [read, glob, grep, write, edit, todo] = specs[..] else {
        panic!("six tools expected");
    };
    assert!(read.read_only && glob.read_only && grep.read_only);
    assert!(!write.read_only && !edit.read_only && todo.read_only);
    let names = tools.specs().map(|spec| spec.name.as_str());
    assert!(names.eq(["Read", "Glob", "Grep", "Write", "Edit", "Todo"]));
    assert_eq!(
        properties(read),
        [
            "path: string",
            "offset: integer",
            "limit: integer",
            "column: integer",
            "raw: boolean"
        ]
    );
    assert_eq!(properties(write), ["path: string", "content: string"]);
    assert_eq!(properties(edit), ["path: string", "edits: array"]);
    let replacement = &edit.parameters["properties"]["edits"]["items"];
    let fields = replacement["properties"].as_object().unwrap();
    let types = fields
        .iter()
        .map(|(name, field)| (name.as_str(), field["type"].clone()));
    assert!(types.eq([
        ("oldString", json!("string")),
        ("newString", json!("string")),
        ("replaceAll", json!("boolean")),
    ]));
    assert_eq!(replacement["required"], json!(["oldString", "newString"]));
    assert_eq!(
        properties(glob),
        [
            "pattern: string",
            "path: string",
            "limit: integer",
            "offset: integer"
        ]
    );
    assert_eq!(
        properties(grep),
        [
            "pattern: string",
            "path: string",
            "glob: string",
            "type: string",
            "mode: string",
            "before: integer",
            "after: integer",
            "context: integer",
            "ignoreCase: boolean",
            "multiline: boolean",
            "limit: integer",
            "offset: integer",
        ]
    );
    assert_eq!(properties(todo), ["items: array"]);
    let status = &todo.parameters["properties"]["items"]["items"]["properties"]["status"];
    let names = json!(["pending", "in_progress", "completed"]);
    assert_eq!(status["enum"], names);
    let mode = &grep.parameters["properties"]["mode"];
    assert_eq!(mode["enum"], json!(["content", "files", "count"]));
    assert_eq!(read.parameters["required"], json!(["path"]));
    assert_eq!(read.parameters["properties"]["offset"]["minimum"], json!(1));
}

#[test]
fn arguments_that_do_not_fit_are_refused_with_the_field_named() {
    let project = Project::new();
    project.write("file", "x\n");
    for (tool, input, named) in [
        ("Read", json!({}), "path"),
        ("Read", json!({ "path": 1 }), "path"),
        ("Read", json!({ "path": null }), "path"),
        ("Read", json!({ "path": ["file"] }), "path"),
        ("Read", json!({ "path": "file", "offset": -1 }), "offset"),
        ("Read", json!({ "path": "file", "offset": 1.5 }), "offset"),
        ("Read", json!({ "path": "file", "offset": "one" }), "offset"),
        ("Read", json!({ "path": "file", "offset": 1e30 }), "offset"),
        ("Read", json!({ "path": "file", "limit": 0 }), "limit"),
        (
            "Read",
            json!({ "path": "file", "file_path": "x" }),
            "file_path",
        ),
        (
            "Read",
            json!({ "path": "file", "dangerouslyDisableSandbox": true }),
            "dangerously",
        ),
        ("Glob", json!({ "path": "." }), "pattern"),
        ("Glob", json!({ "pattern": "*", "limit": 0 }), "limit"),
        ("Glob", json!({ "pattern": "*", "offset": -1 }), "offset"),
        (
            "Glob",
            json!({ "pattern": "*", "approved": true }),
            "approved",
        ),
        ("Grep", json!({ "pattern": "x", "mode": "lines" }), "mode"),
        ("Grep", json!({ "pattern": "x", "before": -1 }), "before"),
        (
            "Grep",
            json!({ "pattern": "x", "ignoreCase": "yes" }),
            "ignoreCase",
        ),
        (
            "Grep",
            json!({ "pattern": "x", "ignoreCase": true, "ignore_case": true }),
            "ignore_case",
        ),
    ] {
        let answer = project.call(tool, input.clone());
        assert_eq!(answer.code(), "E_INVALID_ARGUMENTS", "{tool} {input}");
        assert!(answer.text.contains(named), "{tool} {input}: {answer:?}");
    }
    for input in [json!(null), json!([]), json!("file"), json!(7)] {
        let answer = project.call("Read", input);
        assert!(answer.text.contains("must be a JSON object"), "{answer:?}");
    }
}
