//! `scorelctl workflow import`: skills with steps as packages.

use std::fs;
use std::path::{Path, PathBuf};

use scorel_testkit::DaemonUnderTest;
use serde_json::{Value, json};

use super::workflow;
use crate::under_test::{SCORELD, scorelctl};

/// A skill of BMAD-METHOD, which `.ci/run` fetches.
const PUBLISHED: &str =
    "workflows/node_modules/bmad-method/src/bmm-skills/plan/bmad-create-epics-and-stories";

/// The directory of that skill, if it is there.
pub(crate) fn published() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PUBLISHED);
    if path.exists() {
        return Some(path);
    }
    assert_ne!(
        std::env::var("CI").as_deref(),
        Ok("true"),
        "{PUBLISHED} is missing: `.ci/run` installs it"
    );
    println!("skipped: bmad-method is not installed");
    None
}

fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[tokio::test]
async fn a_published_skill_becomes_four_nodes_that_wait_at_their_menus() {
    let Some(skill) = published() else { return };
    let daemon = DaemonUnderTest::new(SCORELD);
    let (good, text) = workflow(&daemon, &["import", skill.to_str().unwrap()]).await;
    assert!(
        good && text.contains("imported bmad-create-epics-and-stories: 4 steps, 4 with a menu"),
        "{text}"
    );
    let copy = daemon
        .home()
        .join("workflows/bmad-create-epics-and-stories");
    let (good, text) = workflow(&daemon, &["check", copy.to_str().unwrap()]).await;
    let stops = "waits for a person at step-01-validate-prerequisites, step-02-design-epics, step-03-create-stories, step-04-final-validation";
    assert!(good && text.lines().any(|line| line == stops), "{text}");
    for name in ["SKILL.md", "customize.toml", "templates/epics-template.md"] {
        assert_eq!(
            fs::read(copy.join(name)).unwrap(),
            fs::read(skill.join(name)).unwrap(),
            "{name}"
        );
    }
    for entry in fs::read_dir(skill.join("steps")).unwrap() {
        let path = entry.unwrap().path();
        let step = fs::read_to_string(copy.join("steps").join(path.file_name().unwrap())).unwrap();
        assert!(
            step.ends_with(&format!("---\n{}", fs::read_to_string(&path).unwrap())),
            "{step}"
        );
    }
}

#[tokio::test]
async fn the_same_skill_is_a_skill_as_it_is() {
    let Some(skill) = published() else { return };
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let copy = daemon.home().join("skills/bmad-create-epics-and-stories");
    for name in ["SKILL.md", "steps/step-02-design-epics.md"] {
        let text = fs::read_to_string(skill.join(name)).unwrap();
        write(&copy, &[(name, &text)]);
    }
    let done = scorelctl(&daemon, &["--json", "skills"], &[]).await;
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    let listed = told["skills"].as_array().unwrap();
    assert!(
        listed.len() == 1 && listed[0]["name"] == "bmad-create-epics-and-stories",
        "{told}"
    );
}

#[tokio::test]
async fn steps_come_by_their_numbers_and_what_is_not_a_step_is_named() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let skill = daemon.project().join("brew");
    write(
        &skill,
        &[
            (
                "SKILL.md",
                "---\nname: brew\ndescription: Makes tea: green or black\n---\nFollow the steps.\n",
            ),
            ("steps/step-10-drink.md", "# Drink\n"),
            (
                "steps/step-9-pour.md",
                "---\nname: pour\n---\n# Pour: slowly\n\n[C] Continue\n",
            ),
            ("steps/step-9b-again.md", "# Again\n"),
        ],
    );
    let source = skill.to_str().unwrap();
    let done = scorelctl(
        &daemon,
        &["--json", "workflow", "import", source, "--id", "tea"],
        &[],
    )
    .await;
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    let steps = json!(["step-9-pour", "step-10-drink"]);
    assert_eq!(
        (&told["id"], &told["steps"], &told["waits"]),
        (&json!("tea"), &steps, &json!(["step-9-pour"]))
    );
    assert_eq!(told["others"], json!(["steps/step-9b-again.md"]));
    let copy = daemon.home().join("workflows/tea");
    let (good, text) = workflow(&daemon, &["check", copy.to_str().unwrap()]).await;
    let plan = "tea 1.0.0: Makes tea: green or black\nbegins with step-9-pour\n  step-9-pour    step      skill  Pour: slowly\n      \
        -> step-10-drink (next)\n      waits for a person\n  step-10-drink  step      skill  Drink\n      -> end-99 (next)\n  \
        end-99         end       skill  End\nagent skill (tea, Skill): files; no servers\n";
    assert!(good && text.starts_with(plan), "{text}");
}

#[tokio::test]
async fn what_is_not_a_skill_with_steps_is_refused_and_leaves_nothing() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let head = "---\nname: brew\ndescription: Makes tea\n---\n";
    let step = ("steps/step-1-pour.md", "# Pour\n");
    for (index, (files, expected)) in [
        (vec![step], "it has no SKILL.md"),
        (
            vec![("SKILL.md", "# Brew\n"), step],
            "SKILL.md: it does not begin with a line `---`",
        ),
        (
            vec![("SKILL.md", head)],
            "it has no `steps/step-NN-NAME.md`",
        ),
        (
            vec![("SKILL.md", head), step, ("bmad.json", "{}")],
            "it has a file `bmad.json` already",
        ),
        (
            vec![("SKILL.md", "---\nname: Brew tea\n---\n"), step],
            "`Brew tea` is not an id",
        ),
        (
            vec![("SKILL.md", head), ("steps/step-1-a b.md", "# A\n")],
            "it is not an id",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let skill = daemon.project().join(format!("skill-{index}"));
        write(&skill, &files);
        let (good, text) = workflow(&daemon, &["import", skill.to_str().unwrap()]).await;
        assert!(!good && text.contains(expected), "{expected}: {text}");
    }
    let left = fs::read_dir(daemon.home().join("workflows"));
    assert!(left.into_iter().flatten().next().is_none());
}
