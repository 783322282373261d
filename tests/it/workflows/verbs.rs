//! `scorelctl workflow`. Nothing of it needs a daemon.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use scorel_testkit::DaemonUnderTest;
use serde_json::{Value, json};

use super::workflow;
use crate::under_test::{SCORELD, scorelctl};

fn files() -> Vec<(&'static str, String)> {
    let step = |id: &str, kind: &str, more: &str| {
        format!("---\nschemaVersion: '1.1'\nnodeId: {id}\ntype: {kind}\n{more}---\nDo it.\n")
    };
    let manifest = json!({
        "schemaVersion": "1.1", "name": "notes", "version": "1.0.0",
        "entry": {"workflow": "workflow.md", "graph": "graph.json", "agents": "agents.json"},
    });
    let graph = json!({
        "schemaVersion": "1.1", "entryNodeId": "ask",
        "nodes": [{"id": "ask", "type": "step", "file": "ask.md"}, {"id": "end", "type": "end", "file": "end.md"}],
        "edges": [{"from": "ask", "to": "end", "label": "next"}],
    });
    let persona =
        json!({"role": "r", "identity": "i", "communication_style": "c", "principles": "p"});
    let metadata = json!({"name": "Ann", "title": "Writer", "icon": "*"});
    let agents = json!({"schemaVersion": "1.1", "agents": [{"id": "ann", "metadata": metadata, "persona": persona}]});
    let state = "---\nschemaVersion: '1.1'\nworkflowType: notes\ncurrentNodeId: ''\nstepsCompleted: []\n---\n";
    vec![
        ("bmad.json", manifest.to_string()),
        ("graph.json", graph.to_string()),
        ("agents.json", agents.to_string()),
        ("workflow.md", state.to_owned()),
        ("ask.md", step("ask", "step", "input: user\n")),
        ("end.md", step("end", "end", "")),
    ]
}

fn write(root: &Path) {
    fs::create_dir_all(root).unwrap();
    for (file, text) in files() {
        fs::write(root.join(file), text).unwrap();
    }
}

#[tokio::test]
async fn a_package_is_checked_added_and_listed() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let source = daemon.project().join("notes-source");
    write(&source);
    let path = source.to_str().unwrap();
    let (good, text) = workflow(&daemon, &["check", path]).await;
    let plan = "notes 1.0.0\nbegins with ask\n  ask  step      ann\n      -> end (next)\n      waits for a person\n  \
        end  end       ann\nagent ann (Ann, Writer): files; no servers\nwaits for a person at ask\nplan ";
    assert!(good && text.starts_with(plan), "{text}");
    let (good, text) = workflow(&daemon, &["list"]).await;
    assert!(good && text.contains("no workflows"), "{text}");
    let (good, text) = workflow(&daemon, &["add", path]).await;
    assert!(good && text.contains("added notes"), "{text}");
    let (good, text) = workflow(&daemon, &["add", path]).await;
    assert!(
        !good && text.contains("there is a workflow package `notes` already"),
        "{text}"
    );
    let (good, text) = workflow(&daemon, &["add", path, "--id", "other"]).await;
    assert!(good && text.contains("added other"), "{text}");
    let (good, text) = workflow(&daemon, &["add", path, "--id", "../other"]).await;
    assert!(!good && text.contains("small letters"), "{text}");
    fs::remove_file(daemon.home().join("workflows/other/ask.md")).unwrap();
    symlink(&source, daemon.home().join("workflows/linked")).unwrap();
    let (good, text) = workflow(&daemon, &["list"]).await;
    let listed = "notes                 1.0.0  notes\nother                 1 problem\n";
    assert!(good && text == listed, "{text}");
}

#[tokio::test]
async fn all_problems_of_an_archive_are_told_with_file_and_place() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let path = daemon.project().join("notes.bmad");
    let mut zip = zip::ZipWriter::new(File::create(&path).unwrap());
    for (file, text) in files() {
        let text = text
            .replace("'1.1'", "'2.0'")
            .replace("\"to\":\"end\"", "\"to\":\"ask\"");
        zip.start_file(
            format!("notes/{file}"),
            zip::write::SimpleFileOptions::default(),
        )
        .unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let path = path.to_str().unwrap();
    let done = scorelctl(&daemon, &["--json", "workflow", "check", path], &[]).await;
    assert!(!done.status.success());
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    let places = |list: &str| -> Vec<String> {
        let found = told[list].as_array().unwrap().iter();
        let text = |it: &Value, field: &str| it[field].as_str().unwrap().to_owned();
        found
            .map(|it| {
                format!(
                    "{} {}{}",
                    text(it, "code"),
                    text(it, "file"),
                    text(it, "pointer")
                )
            })
            .collect()
    };
    assert_eq!(
        places("problems"),
        [
            "schema ask.md/schemaVersion",
            "schema end.md/schemaVersion",
            "dead_end graph.json/nodes/0",
            "schema workflow.md/schemaVersion",
        ]
    );
    assert_eq!(places("warnings"), ["unreachable graph.json/nodes/1"]);
    let (good, text) = workflow(&daemon, &["add", path]).await;
    assert!(
        !good && text.contains("it is not a workflow package: ask.md: /schemaVersion"),
        "{text}"
    );
    assert!(
        fs::read_dir(daemon.home().join("workflows"))
            .unwrap()
            .next()
            .is_none()
    );
}
