use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use scorel_proto::{ResumeRun, ResumeRunParams, SessionId};
use scorel_testkit::{DaemonUnderTest, ScriptedChat, sealed};
use serde_json::{Value, json};

use super::scene::{RunScene, said};
use crate::under_test::scorelctl;

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_audited_by_what_its_models_were_asked() {
    let scene = RunScene::new().await;
    let secret = "sk-of-the-audit-12345";
    let env = scene.daemon.home().join("env");
    fs::write(&env, format!("SCENE_KEY={secret}\n")).unwrap();
    fs::set_permissions(&env, Permissions::from_mode(0o600)).unwrap();
    let mut started = scene.start().await;
    started.until("WaitingUser", "question").await;
    // A number that a quick reader takes for its neighbour.
    let input = r#"{"path":"README.md","limit":985.4490955474861}"#;
    let reads = ScriptedChat::default().tool_call("call_1", "Read", input);
    started.answer_with_edit(&[], reads.finish("tool_calls"));
    started.answer_with_edit(&[], said("It is read."));
    started.send(&format!("Read it with {secret}")).await;
    started.until("WaitingUser", "question").await;
    let file = scene.daemon.home().join("audit.jsonl");
    let run = started.run_id.to_string();
    let arguments = [
        "run",
        "audit",
        &run,
        "--redact",
        "-o",
        file.to_str().unwrap(),
    ];
    let written = scorelctl(&scene.daemon, &arguments, &[]).await;
    assert!(written.status.success(), "{written:?}");
    assert!(written.stderr.is_empty(), "{written:?}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        !text.contains(secret) && text.contains("[secret SCENE_KEY]"),
        "{text}"
    );
    let calls = lines(&text);
    let field = |name: &str| -> Vec<Value> { calls.iter().map(|it| it[name].clone()).collect() };
    assert_eq!(field("id"), ["C01", "C02", "C03"]);
    assert_eq!(field("nodeId"), ["ask", "ask", "ask"]);
    for call in &calls {
        assert_eq!(call["proof"]["matches"], true, "{call}");
        assert!(!call["request"]["tools"].as_array().unwrap().is_empty());
    }
    let parts = calls[2]["request"]["messages"].as_array().unwrap().iter();
    let parts: Vec<&str> = parts.filter_map(|it| it["part"].as_str()).collect();
    assert_eq!(parts[..2], ["RUN_DIRECTIVE", "NODE_BRIEF"]);
    assert_eq!(parts.last(), Some(&"USER_INPUT"));
    assert_eq!(calls[1]["toolRuns"][0]["toolCallId"], "call_1");
    assert_eq!(
        calls[2]["uiAfter"],
        json!({"phase": "WaitingUser", "stopReason": "end_turn"})
    );
}

/// The lines that are written for an auditor, and what the person is told besides.
async fn audited(daemon: &DaemonUnderTest, run: &str) -> (Vec<Value>, String) {
    let written = scorelctl(daemon, &["run", "audit", run, "-o", "-"], &[]).await;
    let text = String::from_utf8(written.stdout).unwrap();
    let told = String::from_utf8(written.stderr).unwrap();
    assert!(written.status.success(), "{text}{told}");
    (lines(&text), told)
}

/// Changes a word of a message in a log, and gives the line the checksum that it needs then. Returns the message's id.
fn forge(daemon: &DaemonUnderTest, session: SessionId, from: &str, to: &str) -> String {
    let path = daemon.log_path(&session.to_string());
    let text = fs::read_to_string(&path).unwrap();
    let is_it = |line: &&str| line.contains(from) && line.contains("\"type\":\"message\"");
    let line = text.lines().find(is_it).unwrap();
    let (covered, _) = line.rsplit_once(",\"crc\":").unwrap();
    let forged = sealed(&format!("{}}}", covered.replacen(from, to, 1)));
    fs::write(&path, text.replacen(&format!("{line}\n"), &forged, 1)).unwrap();
    let record: Value = serde_json::from_str(line).unwrap();
    record["id"].as_str().unwrap().to_owned()
}

/// A change that the checksums do not show is shown by the requests behind it, in its session.
#[tokio::test]
async fn a_run_of_two_sessions_is_one_file_and_a_changed_byte_of_either_is_named() {
    let mut scene = RunScene::new().await;
    let (run, first, second) = {
        let mut started = scene.start().await;
        started.until("WaitingUser", "question").await;
        started.send("Of cats.").await;
        started.until("WaitingUser", "question").await;
        let params = ResumeRunParams {
            run_id: started.run_id,
            new_session: Some(true),
            variables: None,
            input: Some("Of dogs.".to_owned()),
            command_id: None,
        };
        let resumed = scene.call::<ResumeRun>(&params).await;
        let mut resumed = scene.follow(resumed).await;
        resumed.until("WaitingUser", "question").await;
        resumed.send("Go on.").await;
        resumed.until("WaitingUser", "question").await;
        (
            started.run_id.to_string(),
            started.session_id,
            resumed.session_id,
        )
    };
    let (calls, told) = audited(&scene.daemon, &run).await;
    assert_eq!(told, "");
    let sessions: Vec<&Value> = calls.iter().map(|it| &it["sessionId"]).collect();
    let (one, two) = (json!(first), json!(second));
    assert_eq!(sessions, [&one, &one, &two, &two]);
    let asked = |call: &Value, words: &str| {
        let last = call["request"]["messages"].as_array().unwrap().last();
        last.unwrap().to_string().contains(words)
    };
    for (call, words) in calls
        .iter()
        .zip(["AGENT_PERSONA", "Of cats.", "Of dogs.", "Go on."])
    {
        assert!(asked(call, words), "no {words} in {call}");
    }
    assert!(
        calls.iter().all(|it| it["proof"]["matches"] == true),
        "{calls:?}"
    );

    for (session, from, differing) in [(first, "Of cats.", 1..2), (second, "Of dogs.", 2..4)] {
        scene.daemon.kill().await;
        let changed = forge(&scene.daemon, session, from, "Of rats.");
        scene.daemon.spawn().await;
        let (calls, told) = audited(&scene.daemon, &run).await;
        assert!(told.contains("of 4 model calls"), "{told}");
        for (place, call) in calls.iter().enumerate() {
            let proof = &call["proof"];
            assert_eq!(
                proof["matches"],
                !differing.contains(&place),
                "{place}: {proof}"
            );
            if differing.contains(&place) {
                let found = proof["differences"].as_array().unwrap().iter();
                let mut messages = found.filter(|it| it["where"] == "messages");
                let named = &messages.next().expect("messages differ")["eventIds"];
                assert!(named.to_string().contains(&changed), "{proof}");
            }
        }
        scene.daemon.kill().await;
        forge(&scene.daemon, session, "Of rats.", from);
        scene.daemon.spawn().await;
    }
}
