//! The scripted run of `docs/workflows/create-story`, through the guard and to the texts, without a daemon.

use std::collections::BTreeSet;

use scorel_workflow::{
    CurrentRun, Guard, PhaseAfter, RunDocument, RunIntent, RunTurnOutcome, RunWait, StateUpdate,
    TurnEnd, brief, directive, persona, phase_after, user_input,
};
use serde::Deserialize;
use serde_json::Value;

use crate::guarded::{NOW, Written};
use crate::own_packages::package;

const SCRIPT: &str = include_str!("../../../../tests/workflows/create-story.json");
const TEMPLATE: &str = include_str!("../../../../docs/workflows/create-story/workflow.md");

#[derive(Deserialize)]
struct Script {
    input: String,
    calls: Vec<ModelCall>,
}

#[derive(Deserialize)]
struct ModelCall {
    id: String,
    told: Vec<String>,
    calls: Vec<ToolCall>,
    after: After,
}

#[derive(Deserialize)]
struct ToolCall {
    id: String,
    name: String,
    input: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct After {
    phase: String,
    current_node_id: String,
    steps_completed: Vec<String>,
}

/// The parts that a message has, by their names in the script.
fn told(run: &CurrentRun<'_>, name: &str, input: &str) -> String {
    let (part, of) = name.split_once(' ').unwrap();
    let (node, _) = run.node().unwrap();
    match part {
        "RUN_DIRECTIVE" => {
            let intent = match of {
                "start" => RunIntent::Start,
                _ => RunIntent::Continue,
            };
            directive(run, intent).unwrap()
        }
        "NODE_BRIEF" => {
            assert_eq!(node.id, of);
            brief(run, &[]).unwrap()
        }
        "AGENT_PERSONA" => {
            let agent = run.agent(node).unwrap();
            assert_eq!(agent.id, of);
            persona(agent)
        }
        "USER_INPUT" => {
            assert_eq!(node.id, of);
            user_input(input, Some(of))
        }
        other => panic!("{other}"),
    }
}

/// The phase that a call leaves: of the turn that it ends, if it calls no tools.
fn phase(call: &ModelCall, run: &CurrentRun<'_>, changed_document: bool) -> &'static str {
    if !call.calls.is_empty() {
        return "Running";
    }
    let (_, step) = run.node().unwrap();
    match phase_after(TurnEnd {
        outcome: RunTurnOutcome::Completed,
        has_ended: run.has_ended(),
        autopilot: run.state.autopilot,
        node_waits: step.waits_for_person(),
        changed_document,
        turns_at_node: 1,
    }) {
        PhaseAfter::WaitingUser(RunWait::Question) => "WaitingUser",
        PhaseAfter::Completed => "Completed",
        other => panic!("{other:?}"),
    }
}

fn script() -> Script {
    serde_json::from_str(SCRIPT).unwrap()
}

/// The document that a run begins with, and the one after each call of the script, by the guard.
pub(crate) fn documents() -> Vec<RunDocument> {
    let package = package("create-story");
    let head = "currentNodeId: \"\"";
    let text = TEMPLATE.replace(head, &format!("autopilot: true\n{head}"));
    let mut documents = vec![RunDocument::parse(text).unwrap()];
    let mut written = Written(BTreeSet::new());
    for call in &script().calls {
        let mut document = documents.last().unwrap().clone();
        for ToolCall { name, input, .. } in &call.calls {
            if name == "fs_write" {
                let path = input["path"].as_str().unwrap();
                written.0.insert(path.to_owned());
            }
            if name == "fs_apply_patch" {
                let update: StateUpdate = serde_json::from_value(input["update"].clone()).unwrap();
                let guard = Guard {
                    workflow: package.workflow(None).unwrap(),
                    outputs: &written,
                };
                document = guard.update(&document, &update, NOW).unwrap().document;
            }
        }
        documents.push(document);
    }
    documents
}

#[test]
fn each_call_of_the_script_leads_to_its_document_and_phase() {
    let (script, package) = (script(), package("create-story"));
    let documents = documents();
    let at = |document| CurrentRun {
        name: "create-story",
        workflow: package.workflow(None).unwrap(),
        agents: &package.agents,
        state: RunDocument::state(document),
    };
    for (call, pair) in script.calls.iter().zip(documents.windows(2)) {
        for name in &call.told {
            let text = told(&at(&pair[0]), name, &script.input);
            assert!(text.starts_with(name.split_once(' ').unwrap().0), "{text}");
        }
        let after = at(&pair[1]);
        let changed = pair[1].text() != documents[0].text();
        let found = (
            phase(call, &after, changed),
            &after.state.current_node_id,
            &after.state.steps_completed,
        );
        let After {
            phase,
            current_node_id,
            steps_completed,
        } = &call.after;
        let expected = (phase.as_str(), current_node_id, steps_completed);
        assert_eq!(found, expected, "{}", call.id);
    }
    let ids = script.calls.iter().flat_map(|it| &it.calls);
    let ids: Vec<&str> = ids.map(|it| it.id.as_str()).collect();
    let expected: Vec<String> = (1..=38).map(|it| format!("tc{it:02}")).collect();
    assert_eq!(ids, expected);
    let last = documents.last().unwrap().state();
    let story = "@project/artifacts/stories/1-2-user-authentication.md";
    assert_eq!(last.variables["storyFile"], story);
    assert_eq!(last.artifacts.len(), 6);
}
