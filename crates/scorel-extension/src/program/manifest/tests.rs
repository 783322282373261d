use super::*;

const WHOLE: &str = r#"manifest = 1
id = "notes"
name = "Notes"
version = "1.0"
command = ["python3", "notes.py"]
secretEnv = { NOTES_KEY = "NOTES_KEY" }
events = ["turn_outcome"]

[hooks.beforeToolCall]
matcher = "Bash"

[[tools]]
name = "add"
description = "Adds a note."
parameters = { type = "object", properties = { text = { type = "string" } }, required = ["text"] }
"#;

/// The text of the file's problem after one change, as people read it.
fn said(from: &str, to: &str) -> Vec<String> {
    let text = WHOLE.replacen(from, to, 1);
    assert_ne!(text, WHOLE, "{from}");
    let problems = Manifest::read(&text, Some("notes")).unwrap_err();
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_manifest_says_all_that_is_seen_of_an_extension() {
    let manifest = Manifest::read(WHOLE, Some("notes")).unwrap();
    assert_eq!(manifest.id.as_str(), "notes");
    assert_eq!(manifest.command, ["python3", "notes.py"]);
    assert_eq!(manifest.tools[0].name, "add");
    assert_eq!(manifest.hooks[0].event, HookEvent::BeforeToolCall);
    assert_eq!(manifest.secret_env["NOTES_KEY"], "NOTES_KEY");
}

#[test]
fn each_kind_of_mistake_is_said_with_its_place_and_what_was_meant() {
    let cases = [
        (
            "manifest = 1",
            "manifest = 2",
            "1:12: `manifest`: this daemon",
        ),
        ("manifest = 1\n", "", "1:1: `manifest`: it is missing"),
        (
            "manifest = 1",
            "manifest = \"1\"",
            "1:12: `manifest`: it is a whole number",
        ),
        (
            "id = \"notes\"",
            "id = \"Notes\"",
            "2:6: `id`: the id of an extension",
        ),
        (
            "id = \"notes\"",
            "id = \"hook\"",
            "2:6: `id`: `hook` is not an id",
        ),
        (
            "id = \"notes\"",
            "id = \"other\"",
            "2:6: `id`: it is the name of its directory",
        ),
        (
            "name = \"Notes\"",
            "nmae = \"Notes\"",
            "3:1: `nmae`: there is no such key here; did you mean `name`?",
        ),
        (
            "version = \"1.0\"",
            "version = 1.0",
            "4:11: `version`: it is a text",
        ),
        ("version = \"1.0\"\n", "", "1:1: `version`: it is missing"),
        (
            "[\"python3\", \"notes.py\"]",
            "\"python3 notes.py\"",
            "5:11: `command`: it is a list",
        ),
        (
            "[\"python3\", \"notes.py\"]",
            "[]",
            "5:11: `command`: it is a list",
        ),
        (
            "[\"python3\", \"notes.py\"]",
            "[\" \"]",
            "5:11: `command`: its first word",
        ),
        ("[\"python3\", \"notes.py\"]", "[\"python3\"", "5:"),
        (
            "NOTES_KEY = \"NOTES_KEY\"",
            "\"NOTES-KEY\" = \"X\"",
            "6:15: `secretEnv.NOTES-KEY`: a variable",
        ),
        (
            "events = [\"turn_outcome\"]",
            "events = [1]",
            "7:10: `events`: it is a list",
        ),
        (
            "events = [\"turn_outcome\"]",
            "events = [\"turn_outcom\"]",
            "7:10: `events`: there is no event `turn_outcom`; did you mean `turn_outcome`?",
        ),
        (
            "[hooks.beforeToolCall]",
            "[hooks.beforeTolCall]",
            "did you mean `beforeToolCall`?",
        ),
        (
            "matcher = \"Bash\"",
            "matcher = \"a(?!b)\"",
            "10:11: `matcher`: ",
        ),
        (
            "matcher = \"Bash\"",
            "onFailure = \"ignroe\"",
            "did you mean `ignore`?",
        ),
        (
            "matcher = \"Bash\"",
            "points = [\"start\"]",
            "10:1: `points`: there is no such key here",
        ),
        (
            "matcher = \"Bash\"",
            "timeoutSeconds = 0",
            "10:18: `timeoutSeconds`: it is a whole number",
        ),
        (
            "name = \"add\"",
            "name = \"a b\"",
            "13:8: `name`: it has letters",
        ),
        (
            "description = \"Adds a note.\"\n",
            "",
            "12:1: `description`: it is missing",
        ),
        (
            "type = \"string\"",
            "type = \"strnig\"",
            "15:14: `parameters`: ",
        ),
        (
            "parameters = {",
            "paramters = {",
            "did you mean `parameters`?",
        ),
    ];
    assert_eq!(cases.len(), 25);
    for (from, to, expected) in cases {
        let said = said(from, to);
        let is_said = said.iter().any(|it| it.contains(expected));
        assert!(is_said, "{to}: {said:?}");
    }
}

#[test]
fn all_mistakes_are_said_at_once() {
    let text = WHOLE
        .replace("id =", "ident =")
        .replace("name = \"add\"", "name = 3");
    let problems = Manifest::read(&text, Some("notes")).unwrap_err();
    let keys: Vec<_> = problems.iter().filter_map(|it| it.key.as_deref()).collect();
    assert_eq!(keys, ["id", "ident", "name"]);
}
