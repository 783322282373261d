//! Verbs over ssh do what they do over the socket.

use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::time::timeout;

use super::ssh_server::SshServer;
use crate::under_test::{PATIENCE, daemon, new_session, output, send};

/// The standard output of a command that must succeed.
async fn ctl(server: &SshServer, arguments: &[&str]) -> String {
    let output = output(&mut server.scorelctl(arguments)).await;
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

pub(super) async fn answering(text: &str) -> (ModelServer, DaemonUnderTest) {
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text(text).finish("stop"));
    let daemon = daemon(&model, "").await;
    (model, daemon)
}

#[tokio::test]
async fn a_machine_is_added_used_and_removed() {
    let (_model, daemon) = answering("the answer").await;
    let Some(server) = SshServer::of(&daemon) else {
        return;
    };
    let added = ctl(
        &server,
        &["--json", "remote", "add", "ssh:here", "--name", "build"],
    )
    .await;
    let added: Value = serde_json::from_str(&added).unwrap();
    assert_eq!(added["role"], "owner");
    assert_eq!(added["address"], "ssh:here");
    assert!(
        added["deviceId"].as_str().unwrap().starts_with("dev_"),
        "{added}"
    );
    let again = ctl(&server, &["remote", "add", "ssh:here", "--name", "build"]).await;
    for line in ["device    ", "version   scoreld ", "role      owner"] {
        assert!(again.contains(line), "{again}");
    }
    assert_eq!(ctl(&server, &["remote", "list"]).await, "build  ssh:here\n");
    let on = |arguments: &[&'static str]| [&["--remote", "build"], arguments].concat();
    let project = daemon.project().to_str().unwrap().to_owned();
    let sent = ctl(
        &server,
        &[
            "--remote",
            "build",
            "send",
            "--project",
            &project,
            "a question",
        ],
    )
    .await;
    assert!(sent.contains("the answer"), "{sent}");
    let listed = ctl(&server, &on(&["sessions"])).await;
    assert!(
        listed.contains("a question"),
        "without a project, all are listed: {listed}"
    );
    let id = listed.split(' ').next().unwrap();
    let shown = ctl(&server, &["--remote", "build", "show", "--session", id]).await;
    assert!(
        shown.contains("a question") && shown.contains("the answer"),
        "{shown}"
    );
    let called = ctl(&server, &on(&["call", "listProjects"])).await;
    assert!(called.contains(&project), "{called}");
    assert_eq!(ctl(&server, &on(&["status", "--short"])).await, "idle\n");
    ctl(&server, &["remote", "remove", "build"]).await;
    assert_eq!(ctl(&server, &["remote", "list"]).await, "");
}

/// The working directory is one of this machine.
#[tokio::test]
async fn without_a_project_or_a_session_what_is_missing_is_told() {
    let (_model, daemon) = answering("x").await;
    let Some(server) = SshServer::of(&daemon) else {
        return;
    };
    server.knows_all();
    for verb in [
        &["send", "hello"][..],
        &["show"],
        &["tail"],
        &["spawn", "x", "y"],
    ] {
        let arguments = [&["--remote", "here"], verb].concat();
        let output = output(&mut server.scorelctl(&arguments)).await;
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("--session ID or --project DIR"), "{told}");
        assert!(told.contains("scorelctl --remote here projects"), "{told}");
    }
    let relative = ["--remote", "here", "send", "--project", ".", "hello"];
    let output = output(&mut server.scorelctl(&relative)).await;
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("an absolute path of here"), "{told}");
    let projects = ctl(&server, &["--remote", "here", "projects"]).await;
    assert_eq!(projects, "", "nothing was registered");
}

#[tokio::test]
async fn mentioned_files_are_those_of_the_other_machine() {
    let (model, daemon) = answering("x").await;
    let Some(server) = SshServer::of(&daemon) else {
        return;
    };
    server.knows_all();
    daemon.write_project_file("notes.txt", "kept there\n");
    // Only here, where the program runs.
    std::fs::write(server.path("local.txt"), "kept here\n").unwrap();
    let project = daemon.project().to_str().unwrap().to_owned();
    let text = "see @notes.txt, @local.txt and @todo";
    let arguments = ["--remote", "here", "send", "--project", &project, text];
    let output = output(&mut server.scorelctl(&arguments)).await;
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert!(told.contains("attached: notes.txt\n"), "{told}");
    let asked = model.requests()[0].json().to_string();
    assert!(
        asked.contains("kept there") && !asked.contains("kept here"),
        "{asked}"
    );
    assert!(asked.contains(text), "{asked}");
}

#[tokio::test]
async fn a_tail_goes_on_after_its_ssh_was_killed_and_loses_nothing() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    let chat = ScriptedChat::default().text("the first half, ");
    model.answer(chat.wait(&gate).text("and the second").finish("stop"));
    let daemon = daemon(&model, "").await;
    let Some(server) = SshServer::of(&daemon) else {
        return;
    };
    server.knows_all();
    let (client, session) = new_session(&daemon).await;
    let id = session.to_string();
    let mut tail = server
        .scorelctl(&[
            "--remote",
            "here",
            "--json",
            "tail",
            "--from-seq",
            "1",
            "--session",
            &id,
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(tail.stdout.take().unwrap()).lines();
    send(&client, session, "go").await;
    let mut seen = Vec::new();
    let mut is_killed = false;
    let following = async {
        loop {
            let line = lines.next_line().await.unwrap().expect("it goes on");
            let event: Value = serde_json::from_str(&line).unwrap();
            let is_end = event["type"] == "turn_outcome";
            let has_begun = line.contains("the first half, ");
            seen.push(event);
            if has_begun && !is_killed {
                is_killed = true;
                for child in server.children() {
                    kill_process(Pid::from_raw(child).unwrap(), Signal::KILL).unwrap();
                }
                gate.open();
            }
            if is_end {
                break;
            }
        }
    };
    timeout(PATIENCE, following).await.expect("the turn ends");
    assert!(is_killed);
    let log = daemon.log(&id);
    let ids = |events: &[Value]| -> Vec<String> {
        let ids = events.iter().filter_map(|event| event["id"].as_str());
        ids.map(str::to_owned).collect()
    };
    assert_eq!(ids(&seen), ids(&log), "each event once and in order");
    assert!(server.children().len() > 2, "ssh was started again");
}

/// Each message waits for the answer to the one before, after which ssh is killed.
#[tokio::test]
async fn attach_goes_on_over_a_new_ssh() {
    let (_model, daemon) = answering("the answer").await;
    let Some(server) = SshServer::of(&daemon) else {
        return;
    };
    server.knows_all();
    let (_client, session) = new_session(&daemon).await;
    let id = session.to_string();
    let mut attached = server
        .scorelctl(&["--remote", "here", "attach", "--plain", "--session", &id])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut input = attached.stdin.take().unwrap();
    let mut lines = BufReader::new(attached.stdout.take().unwrap()).lines();
    let mut seen = Vec::new();
    let talking = async {
        for question in ["one\n", "two\n"] {
            input.write_all(question.as_bytes()).await.unwrap();
            loop {
                let line = lines.next_line().await.unwrap().expect("it goes on");
                let is_end = line.contains("the turn has ended");
                seen.push(line);
                if is_end {
                    break;
                }
            }
            for child in server.children() {
                // Those of before are gone.
                let _gone = kill_process(Pid::from_raw(child).unwrap(), Signal::KILL);
            }
        }
        drop(input);
        while let Some(line) = lines.next_line().await.unwrap() {
            seen.push(line);
        }
    };
    let talked = timeout(PATIENCE, talking).await;
    assert!(talked.is_ok(), "{seen:#?}");
    assert!(attached.wait().await.unwrap().success());
    let answers = seen.iter().filter(|line| line.contains("the answer"));
    assert_eq!(answers.count(), 2, "{seen:#?}");
    let log = daemon.log(&id);
    let ended = log.iter().filter(|event| event["type"] == "turn_outcome");
    assert_eq!(ended.count(), 2);
}
