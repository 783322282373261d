//! The list of `Todo`.

use serde_json::{Value, json};

use super::project::{Project, ToolAnswer};

fn todo(items: Value) -> ToolAnswer {
    let mut input = json!({});
    input["items"] = items;
    Project::new().call("Todo", input)
}

#[test]
fn the_result_has_the_whole_list() {
    let items = json!([
        { "content": "Read the code", "status": "completed" },
        { "content": "Change it", "status": "in_progress" },
        { "content": "Run the tests", "status": "pending" },
        { "content": "Report", "status": "pending" },
    ]);
    let answer = todo(items.clone());
    assert_eq!(
        answer.ok(),
        "The list is kept: 1 completed, 1 in progress, 2 pending.\n"
    );
    assert_eq!(answer.details, json!({ "ok": true, "items": items }));
    let answer = todo(json!([]));
    assert_eq!(answer.ok(), "The list is empty now.\n");
    assert_eq!(answer.details, json!({ "ok": true, "items": [] }));
}

#[test]
fn lists_that_make_no_sense_are_refused() {
    let item = |content: &str, status| json!({ "content": content, "status": status });
    for (items, reason) in [
        (json!([item(" ", "pending")]), "item 1 is empty"),
        (
            json!([item("a\nb", "pending")]),
            "item 1 is more than one line",
        ),
        (
            json!([item(&"x".repeat(1_001), "pending")]),
            "has 1001 bytes",
        ),
        (
            json!([item("a", "pending"), item("a", "completed")]),
            "item 2 is in the list before",
        ),
        (
            json!([item("a", "in_progress"), item("b", "in_progress")]),
            "2 items are in_progress; at most one can be",
        ),
        (json!([item("a", "done")]), "items[0].status"),
        (json!([{ "content": "a" }]), "items[0]"),
        (json!("a"), "items"),
        (
            (0..201).map(|n| item(&n.to_string(), "pending")).collect(),
            "201 entries",
        ),
    ] {
        let answer = todo(items);
        assert_eq!(answer.code(), "E_INVALID_ARGUMENTS");
        assert!(answer.text.contains(reason), "{answer:?}");
    }
}
