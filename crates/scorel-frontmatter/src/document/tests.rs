use proptest::prelude::*;
use serde_json::json;

use super::*;

const DOCUMENT: &str = "---\n# state of a run\nschemaVersion: \"1.1\"   # quoted\ncurrentNodeId: ''\n\
    stepsCompleted: []  # grows\nvariables: {a: 1,\n  b: [x]}\nlog:\n  # first\n  - from: a\n    to: b # why\n  -\n\n\
    # an own key\nnote: |\n  # not a comment\n  two\n\nempty:\nplain: some words # said\n---\n# Body\n---\n";

fn set(text: &str, key: &str, value: &Value) -> String {
    let edited = Document::parse(text).unwrap().set(key, value).unwrap();
    assert_eq!(edited.values()[key], *value);
    edited.text().to_owned()
}

#[test]
fn values_are_read_with_their_places() {
    let document = Document::parse(DOCUMENT).unwrap();
    assert_eq!(
        Value::Object(document.values().clone()),
        json!({
            "schemaVersion": "1.1", "currentNodeId": "", "stepsCompleted": [], "variables": {"a": 1, "b": ["x"]},
            "log": [{"from": "a", "to": "b"}, null], "note": "# not a comment\ntwo\n", "empty": null,
            "plain": "some words",
        })
    );
    assert_eq!(document.body(), "# Body\n---\n");
    let place = |pointer| document.place(pointer).map(|it| (it.line, it.column));
    assert_eq!(place("/schemaVersion"), Some((3, 16)));
    assert_eq!(place("/variables/b/0"), Some((7, 7)));
    assert_eq!(place("/log/0/to"), Some((11, 9)));
    assert_eq!(place("/nothing"), None);
}

#[test]
fn a_change_touches_the_lines_of_its_value_only() {
    for (key, value, old, new) in [
        (
            "schemaVersion",
            json!("1.1.1"),
            "\"1.1\"   #",
            "\"1.1.1\"   #",
        ),
        ("currentNodeId", json!("a\nb"), "''", "\"a\\nb\""),
        (
            "stepsCompleted",
            json!(["a", {"b": 1}]),
            "stepsCompleted: []  # grows\n",
            "stepsCompleted:  # grows\n  - \"a\"\n  - {\"b\":1}\n",
        ),
        ("variables", json!({}), "{a: 1,\n  b: [x]}", "{}"),
        (
            "variables",
            json!([1]),
            "variables: {a: 1,\n  b: [x]}\n",
            "variables:\n  - 1\n",
        ),
        (
            "log",
            json!([{"from": "a", "to": "b"}, null, 3]),
            "b # why\n  -\n",
            "b # why\n  -\n  - 3\n",
        ),
        (
            "log",
            json!([1]),
            "  - from: a\n    to: b # why\n  -\n",
            "  - 1\n",
        ),
        (
            "log",
            json!([]),
            "log:\n  # first\n  - from: a\n    to: b # why\n  -\n",
            "log: []\n  # first\n",
        ),
        (
            "note",
            json!("x"),
            "|\n  # not a comment\n  two\n",
            "\"x\"\n",
        ),
        (
            "note",
            json!([1]),
            "note: |\n  # not a comment\n  two\n",
            "note:\n  - 1\n",
        ),
        ("empty", json!(true), "empty:\n", "empty: true\n"),
        ("empty", json!([true]), "empty:\n", "empty:\n  - true\n"),
        ("plain", json!(null), "some words #", "null #"),
        ("new", json!(1), "---\n# Body", "new: 1\n---\n# Body"),
        (
            "new key",
            json!(["x"]),
            "---\n# Body",
            "\"new key\":\n  - \"x\"\n---\n# Body",
        ),
    ] {
        assert_eq!(DOCUMENT.matches(old).count(), 1, "{old:?}");
        assert_eq!(
            set(DOCUMENT, key, &value),
            DOCUMENT.replace(old, new),
            "{key}: {value}"
        );
        let (crlf, expected) = (DOCUMENT.replace('\n', "\r\n"), DOCUMENT.replace(old, new));
        assert_eq!(
            set(&crlf, key, &value),
            expected.replace('\n', "\r\n"),
            "{key}: {value}"
        );
    }
}

#[test]
fn other_shapes_of_heads_are_edited_as_well() {
    let list = json!(["a", "c"]);
    assert_eq!(
        set("---\nl:\n- a\n# end\nm: 1\n---\n", "l", &list),
        "---\nl:\n- a\n- \"c\"\n# end\nm: 1\n---\n"
    );
    assert_eq!(
        set("\u{feff}---\r\n---\r\nx", "a", &json!(1)),
        "\u{feff}---\r\na: 1\r\n---\r\nx"
    );
    assert_eq!(
        set("---\n  a: 1\n---\n", "b", &json!(2)),
        "---\n  a: 1\n  b: 2\n---\n"
    );
    assert_eq!(
        set("---\n'a' : 1\n---", "a", &json!(2)),
        "---\n'a' : 2\n---"
    );
    assert_eq!(
        set("---\na:\n  1\n---\n", "a", &json!(2)),
        "---\na:\n  2\n---\n"
    );
    assert_eq!(
        set("---\nä: ö # ü\n---\n", "ä", &json!("\u{2028}")),
        "---\nä: \"\\u2028\" # ü\n---\n"
    );
    assert_eq!(
        set(
            "---\na: 1\n---\n",
            "a",
            &json!([1e100, -2.5e-9, {"b": 1e21}])
        ),
        "---\na:\n  - 1.0e+100\n  - -2.5e-9\n  - {\"b\":1.0e+21}\n---\n"
    );
    let braces = Document::parse("---\n{a: 1}\n---\n").unwrap();
    assert_eq!(braces.set("a", &json!(2)).unwrap_err(), EditError::Braces);
    let large = json!("x".repeat(MAX_HEAD_BYTES));
    let refused = Document::parse(DOCUMENT)
        .unwrap()
        .set("a", &large)
        .unwrap_err();
    assert!(
        refused.to_string().contains("more than 65536 bytes"),
        "{refused}"
    );
}

#[test]
fn what_is_not_a_document_is_named_with_its_place() {
    let deep = format!("---\na: {}1{}\n---\n", "[".repeat(16), "]".repeat(16));
    let large = format!("---\na: {}\n---\n", "x".repeat(MAX_HEAD_BYTES));
    for (text, expected) in [
        ("a: 1\n", "line 1, column 1: the file does not begin"),
        ("---\na: 1\n", "line 1, column 1: no line `---` ends"),
        (
            &large,
            "line 1, column 1: the head has more than 65536 bytes",
        ),
        (&deep, "line 2, column 19: lists and mappings are nested"),
        (
            "---\na: &x 1\n---\n",
            "line 2, column 4: anchors are not read",
        ),
        ("---\na: 1\nb: *x\n---\n", "line 3, column "),
        (
            "---\na: !!str 1\n---\n",
            "line 2, column 4: tags are not read",
        ),
        (
            "---\na: {b: 1, b: 2}\n---\n",
            "line 2, column 11: `b` is there twice",
        ),
        ("---\na: 1\n...\nb: 1\n---\n", "a second document begins"),
        (
            "---\n- a\n---\n",
            "line 2, column 1: the head is not fields",
        ),
        (
            "---\ntext\n---\n",
            "line 2, column 1: the head is not fields",
        ),
        (
            "---\n[a]: 1\n---\n",
            "line 2, column 1: a key is not a text",
        ),
        (
            "---\na: .inf\n---\n",
            "line 2, column 4: `.inf` is a number",
        ),
        (
            "---\na: \"\u{0}\"\n---\n",
            "line 2, column 5: the head has a control character",
        ),
        (
            "---\na: 1\rb: 2\n---\n",
            "line 2, column 5: the head has a control character",
        ),
        ("---\na: 'x\n---\n", "line 2, column "),
        ("---\na: b: c\n---\n", "line 2, column "),
    ] {
        let error = Document::parse(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}

/// A value of JSON, not deeper than a document may be.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("JSON has it", |it| it.is_finite().then(|| json!(it))),
        "\\PC{0,12}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[-#:&*!|>'\"%@`{}\\[\\],? ~\n]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z:# ]{1,6}", inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A field as a person may write it, with its key.
fn fields() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("KEY: plain words # said\n".to_owned()),
        Just("KEY:\n".to_owned()),
        Just("KEY: # nothing\n\n".to_owned()),
        Just("KEY: 'it''s\n  two lines'\n".to_owned()),
        Just("KEY: [a, {b: c}, # in it\n  d] # after\n".to_owned()),
        Just("KEY:\n  - a # one\n  # between\n  - b: 1\n    c: 2\n# below\n".to_owned()),
        Just("KEY:\n- a\n-\n- - b\n\n".to_owned()),
        Just("KEY: # c\n   a: 1\n   b: {}\n\n# below\n".to_owned()),
        Just("KEY: |+\n   # text\n  more\n\n# below\n".replace("   # text", "  # text")),
        Just("KEY: >-\n   folded\n   text\n".to_owned()),
        values().prop_map(
            |it| format!("KEY: {it}\n").replace(|it: char| it.is_control() && it != '\n', "")
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn an_edit_changes_nothing_but_its_field(
        fields in prop::collection::vec(fields(), 1..6),
        at in any::<prop::sample::Index>(),
        value in values(),
        crlf in any::<bool>(),
    ) {
        let at = at.index(fields.len());
        let mut written: Vec<String> = (0..).zip(&fields).map(|(n, it)| it.replace("KEY", &format!("k{n}"))).collect();
        written.insert(0, "---\n".to_owned());
        written.push("---\nbody: x\n".to_owned());
        if crlf {
            written = written.iter().map(|it| it.replace('\n', "\r\n")).collect();
        }
        let text = written.concat();
        let Ok(document) = Document::parse(text) else {
            // A scalar of the strategy that YAML does not take bare.
            return Ok(());
        };
        let edited = document.set(&format!("k{at}"), &value).unwrap();
        let (before, after) = (written[..=at].concat(), written[at + 2..].concat());
        prop_assert!(edited.text().starts_with(&before));
        prop_assert!(edited.text().ends_with(&after));
        let kept = ["# said", "# below", "# after", "# nothing"];
        for comment in kept.into_iter().filter(|it| fields[at].contains(it)) {
            let count = |text: &str| text.matches(comment).count();
            prop_assert_eq!(count(document.text()), count(edited.text()), "{}", comment);
        }
        prop_assert_eq!(edited.text().contains("\r\n"), crlf);
    }

    #[test]
    fn no_text_makes_it_panic(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), "[-#:&*!|>'\"%@`{}\\[\\],? ~\n\r\ta\u{0}é]{0,4}", 0..8_usize), 1..6),
        key in "[a-z~ ]{1,4}",
        value in values(),
    ) {
        let mut text: Vec<char> = DOCUMENT.chars().collect();
        for (at, inserted, removed) in cuts {
            let at = at.index(text.len());
            let end = (at + removed).min(text.len());
            text.splice(at..end, inserted.chars());
            text.push('\n');
        }
        if let Ok(document) = Document::parse(text.into_iter().collect::<String>()) {
            for key in [key.as_str(), "log", "note", "stepsCompleted", "plain"] {
                if let Ok(edited) = document.set(key, &value) {
                    prop_assert_eq!(edited.body(), document.body());
                    prop_assert_eq!(&edited.values()[key], &value);
                }
            }
        }
    }
}
