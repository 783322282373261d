use std::sync::Arc;

use scorel_engine::{Tool, ToolCall, ToolClass, ToolList, ToolPlan, ToolSpec};
use scorel_proto::RunMode;
use scorel_run_tools::{ToolLimits, tool_specs};
use serde_json::{Value, json};

use crate::run::{TestRun, Turn};

#[derive(Debug)]
struct ServerTool(ToolSpec);

impl Tool for ServerTool {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn plan(self: Arc<Self>, _: ToolCall) -> futures_util::future::BoxFuture<'static, ToolPlan> {
        unreachable!("it is not called")
    }
}

fn outside(name: &str) -> Arc<dyn Tool> {
    Arc::new(ServerTool(ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({"type": "object"}).into(),
        read_only: false,
        class: ToolClass::Outside,
    }))
}

/// The turn's tools with those of two servers and an extension.
fn with_outside(run: &TestRun, turn: &Turn) -> ToolList {
    let mut tools = run.session.list();
    tools.extend(turn.run.list());
    tools.extend(["mcp__search__find", "mcp__mail__send", "ext__notes__add"].map(outside));
    ToolList::new(tools)
        .unwrap()
        .screened_by(&turn.run.screen())
}

/// The answer for each tool: may it be called now?
fn allowed(list: &ToolList, names: &[&str]) -> Vec<bool> {
    let call = |name: &str| ToolCall {
        id: "1".to_owned(),
        name: name.to_owned(),
        input: Value::Null,
        invalid_input: None,
    };
    let may = |name: &&str| list.get(name).is_some() && list.refusal(&call(name)).is_none();
    names.iter().map(may).collect()
}

const TOOLS: [&str; 6] = [
    "Read",
    "fs_list",
    "fs_write",
    "fs_apply_patch",
    "mcp__search__find",
    "ext__notes__add",
];

#[test]
fn the_tools_of_a_node_are_those_that_all_allow_and_the_list_is_the_union() {
    let run = TestRun::new();
    let turn = run.turn();
    let list = with_outside(&run, &turn);
    let offered: Vec<_> = list.specs().map(|it| it.name.clone()).collect();
    assert!(offered.contains(&"fs_list".to_owned()) && offered.contains(&"fs_write".to_owned()));
    assert!(
        !offered.contains(&"mcp__mail__send".to_owned()),
        "no agent names that server"
    );
    assert_eq!(allowed(&list, &TOOLS), [true; 6], "ask");
    turn.go("ask", "write").ok();
    assert_eq!(
        allowed(&list, &TOOLS),
        [true, false, true, true, true, true],
        "write"
    );
    std::fs::create_dir(run.project().join("artifacts")).unwrap();
    std::fs::write(run.project().join("artifacts/notes.md"), "x").unwrap();
    turn.go("write", "review").ok();
    assert_eq!(
        allowed(&list, &TOOLS),
        [false, true, false, true, false, false],
        "review: its agent has no servers"
    );
    let again: Vec<_> = list.specs().map(|it| it.name.clone()).collect();
    assert_eq!(again, offered, "the beginning of requests stays");
    let shown = turn.run.policy().shown(list.specs());
    assert_eq!(
        (shown.max_read_bytes, shown.max_write_bytes),
        (100_000, 1_048_576)
    );
    assert_eq!(
        (shown.tools, shown.servers),
        (again, vec!["search".to_owned()])
    );
}

#[test]
fn a_refusal_names_the_node_and_what_it_allows() {
    let run = TestRun::new();
    let turn = run.turn();
    turn.go("ask", "write").ok();
    let refused = turn.call("fs_list", json!({"path": "."}));
    assert_eq!(refused.code(), "E_TOOL_NOT_ALLOWED");
    assert_eq!(refused.details()["node"], json!("write"));
    let allowed = refused.details()["allowed"].as_array().unwrap();
    assert!(allowed.contains(&json!("fs_apply_patch")) && !allowed.contains(&json!("fs_list")));
    assert_eq!(
        refused.json["error"]["code"],
        json!("E_TOOL_NOT_ALLOWED"),
        "its text is JSON as well"
    );
    let own = tool_specs();
    assert_eq!(
        turn.run.policy().allowed("review", &own),
        ["fs_read", "fs_search", "fs_list", "fs_apply_patch"]
    );
    let specs: Vec<_> = turn.list.specs().cloned().collect();
    assert_eq!(
        turn.run.policy().allowed("write", &specs).len(),
        allowed.len()
    );
}

#[test]
fn the_configuration_restricts_every_node() {
    let mut run = TestRun::new();
    run.bound.limits = ToolLimits {
        allow: vec!["fs_*".to_owned(), "Read".to_owned(), "mcp__*".to_owned()],
        deny: vec!["fs_write".to_owned()],
        max_read_bytes: 10,
        servers: false,
        ..ToolLimits::default()
    };
    let turn = run.turn();
    let list = with_outside(&run, &turn);
    assert_eq!(
        allowed(&list, &TOOLS),
        [true, true, false, true, false, false]
    );
    let read = turn.call("fs_read", json!({"path": "@pkg/bmad.json"}));
    assert_eq!(read.details()["maxReadBytes"], json!(10));
}

#[test]
fn conversations_beside_the_run_have_no_policy_of_a_node_and_do_not_change_it() {
    let mut run = TestRun::new();
    run.bound.mode = RunMode::Chat;
    let turn = run.turn();
    let list = with_outside(&run, &turn);
    assert_eq!(allowed(&list, &TOOLS), [true; 6]);
    assert_eq!(
        allowed(&list, &["mcp__mail__send"]),
        [true],
        "no agent, no servers of agents"
    );
    turn.call("fs_read", json!({"path": "@state/workflow.md"}))
        .ok();
    let refused = turn.patch(json!({"variables": {"set": {"a": 1}}}));
    assert_eq!(refused.code(), "EACCES");
    run.bound.mode = RunMode::Agent;
    let agent = run.turn();
    let list = with_outside(&run, &agent);
    assert_eq!(
        allowed(&list, &["mcp__mail__send", "fs_list"]),
        [false, true]
    );
}
