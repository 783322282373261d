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

#[test]
fn each_call_of_the_script_leads_to_its_document_and_phase() {
    let script: Script = serde_json::from_str(SCRIPT).unwrap();
    let package = package("create-story");
    let workflow = package.workflow(None).unwrap();
    let head = "currentNodeId: \"\"";
    let text = TEMPLATE.replace(head, &format!("autopilot: true\n{head}"));
    let mut document = RunDocument::parse(text).unwrap();
    let (mut written, mut ids, mut changed) = (Written(BTreeSet::new()), Vec::new(), false);
    for call in &script.calls {
        let state = document.state().clone();
        let current = CurrentRun {
            name: "create-story",
            workflow,
            agents: &package.agents,
            state: &state,
        };
        for name in &call.told {
            let text = told(&current, name, &script.input);
            assert!(text.starts_with(name.split_once(' ').unwrap().0), "{text}");
        }
        for tool in &call.calls {
            ids.push(tool.id.as_str());
            let path = tool.input["path"].as_str().unwrap();
            match tool.name.as_str() {
                "fs_write" => drop(written.0.insert(path.to_owned())),
                "fs_apply_patch" => {
                    let update: StateUpdate =
                        serde_json::from_value(tool.input["update"].clone()).unwrap();
                    let guard = Guard {
                        workflow,
                        outputs: &written,
                    };
                    let guarded = guard.update(&document, &update, NOW).unwrap();
                    document = guarded.document;
                    changed = true;
                }
                _ => {}
            }
        }
        let after = CurrentRun {
            state: document.state(),
            ..current
        };
        assert_eq!(
            phase(call, &after, changed),
            call.after.phase,
            "{}",
            call.id
        );
        assert_eq!(
            document.state().current_node_id,
            call.after.current_node_id,
            "{}",
            call.id
        );
        assert_eq!(
            document.state().steps_completed,
            call.after.steps_completed,
            "{}",
            call.id
        );
    }
    let expected: Vec<String> = (1..=38).map(|it| format!("tc{it:02}")).collect();
    assert_eq!(ids, expected);
    let story = &document.state().variables["storyFile"];
    assert_eq!(
        story,
        "@project/artifacts/stories/1-2-user-authentication.md"
    );
    assert_eq!(document.state().artifacts.len(), 6);
}
