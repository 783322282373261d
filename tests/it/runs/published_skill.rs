//! A skill of BMAD-METHOD with four steps and their menus, followed by a model: as a skill, and imported as a workflow.

use std::fs;
use std::path::Path;

use scorel_proto::{CheckWorkflow, CheckWorkflowParams};
use serde_json::{Value, json};

use super::answers::{calls, ends, leaves, reads_document, results, said_by_user};
use super::scene::{RunScene, said};
use crate::under_test::{Watch, create_session, scorelctl, send};
use crate::workflows::published;

const ID: &str = "bmad-create-epics-and-stories";

/// The steps, each with the menu that it shows.
const STEPS: [(&str, &str); 4] = [
    ("step-01-validate-prerequisites", "[C] continue"),
    (
        "step-02-design-epics",
        "[A] Advanced Elicitation [P] Party Mode [C] Continue",
    ),
    (
        "step-03-create-stories",
        "[A] Advanced Elicitation [P] Party Mode [C] Continue",
    ),
    ("step-04-final-validation", "[C] Complete Workflow"),
];

/// The document that the skill makes.
const EPICS: &str = "artifacts/epics.md";

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).unwrap()),
        }
    }
}

/// The last request of the model.
fn last_request(scene: &RunScene) -> Value {
    scene.model.requests().last().unwrap().json()
}

/// The text of a step as it was published.
fn published_step(skill: &Path, step: &str) -> String {
    fs::read_to_string(skill.join(format!("steps/{step}.md"))).unwrap()
}

/// The first line of a text that only this step has.
fn goal(text: &str) -> &str {
    let goal = text.lines().skip_while(|line| *line != "## STEP GOAL:");
    goal.skip(1).find(|line| !line.is_empty()).unwrap()
}

#[tokio::test]
async fn as_a_skill_it_is_followed_step_by_step() {
    let Some(skill) = published() else { return };
    let scene = RunScene::without_package().await;
    copy(&skill, &scene.daemon.home().join("skills").join(ID));
    let session = create_session(&scene.client, &scene.daemon).await;
    let mut watch = Watch::from_start(&scene.client, session).await;
    scene.model.answer(calls("Skill", &json!({"name": ID})));
    for (step, menu) in STEPS {
        let text = published_step(&skill, step);
        assert!(text.contains(menu), "{step}");
        let path = format!("@skill/{ID}/steps/{step}.md");
        scene.model.answer(calls("Read", &json!({"path": path})));
        scene.model.answer(said(menu));
        let word = if step == STEPS[0].0 {
            "Make epics."
        } else {
            "C"
        };
        send(&scene.client, session, word).await;
        watch.until("turn_outcome").await;
        let found = results(&last_request(&scene));
        let read = found.last().unwrap();
        assert!(read.contains(goal(&text)), "{step}: {read}");
    }
    let whole = json!({"path": EPICS, "content": "# Epics\n"});
    scene.model.answer(calls("Write", &whole));
    send(&scene.client, session, "C").await;
    watch.until("turn_outcome").await;
    assert!(scene.daemon.project().join(EPICS).exists());
    let found = results(&last_request(&scene));
    assert!(
        found[0].contains("Create Epics and Stories"),
        "{}",
        found[0]
    );
    assert_eq!(found.len(), 1 + STEPS.len() + 1);
}

#[tokio::test]
async fn imported_it_waits_at_each_menu_and_comes_to_its_end() {
    let Some(skill) = published() else { return };
    let scene = RunScene::without_package().await;
    let source = skill.to_str().unwrap();
    let imported = scorelctl(&scene.daemon, &["workflow", "import", source], &[]).await;
    assert!(imported.status.success(), "{imported:?}");
    let check = CheckWorkflowParams {
        workflow: Some(ID.to_owned()),
        ..CheckWorkflowParams::default()
    };
    let digest = scene.call::<CheckWorkflow>(&check).await.digest.unwrap();
    let mut params = scene.plan_of(ID, digest);
    // A node with a menu waits for a person all the same.
    params.autopilot = Some(true);
    reads(&scene, STEPS[0].0);
    scene.model.answer(said(STEPS[0].1));
    let mut started = scene.start_with(&params).await;
    started.until("WaitingUser", "question").await;
    for (now, next) in STEPS.iter().zip(&STEPS[1..]) {
        let found = results(&last_request(&scene));
        let text = published_step(&skill, now.0);
        assert!(
            found.last().unwrap().contains(goal(&text)),
            "{now:?}: {found:?}"
        );
        assert_eq!(scene.get(started.run_id).await.run.node_id, now.0);
        scene.model.answer(reads_document());
        scene.model.answer(leaves(now.0, next.0));
        reads(&scene, next.0);
        scene.model.answer(said(next.1));
        started.send("C").await;
        started.until("WaitingUser", "question").await;
        let users = said_by_user(&last_request(&scene));
        let brief = format!(
            "NODE_BRIEF\n- currentNodeId: {}\n- stepFile: @pkg/steps/{}.md\n",
            next.0, next.0
        );
        assert!(users.last().unwrap().contains(&brief), "{users:?}");
    }
    let whole = json!({"path": format!("@project/{EPICS}"), "content": "# Epics\n"});
    scene.model.answer(calls("fs_write", &whole));
    scene.model.answer(reads_document());
    scene.model.answer(leaves(STEPS[3].0, "end-99"));
    scene.model.answer(ends("end-99"));
    scene
        .model
        .answer(said("The epics are in artifacts/epics.md."));
    started.send("C").await;
    started.until("Completed", "end_reached").await;
    let completed = scene.get(started.run_id).await.steps_completed;
    assert_eq!(
        completed,
        [
            "step-01-validate-prerequisites",
            "step-02-design-epics",
            "step-03-create-stories",
            "step-04-final-validation",
            "end-99"
        ]
    );
    assert!(scene.daemon.project().join(EPICS).exists());
    let phases = scene.records(started.session_id, "workflow.phase");
    let waits = phases.iter().filter(|it| it["to"] == "WaitingUser");
    assert_eq!(waits.count(), STEPS.len());
    let goes_on = phases.iter().any(|it| it["reason"] == "autopilot");
    assert!(!goes_on, "it was a person each time: {phases:?}");
}

/// The model reads the file of a step.
fn reads(scene: &RunScene, step: &str) {
    let path = format!("@pkg/steps/{step}.md");
    scene.model.answer(calls("fs_read", &json!({"path": path})));
}
