//! A log whose mode denies reading.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use scorel_testkit::{CheckedLog, DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};

use crate::raw::RawConnection;
use crate::under_test::{SCORELD, Watch, new_session, send};

/// The mode applies to the owner too, unless the process has root's capabilities.
const OBEDIENT: &str =
    r#"exec setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-all "$0" "$@""#;

/// The reason why file modes have no effect here, if so.
fn modes_do_not_hold() -> Option<String> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "secret").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o000)).unwrap();
    let probe = Command::new("/bin/sh")
        .args(["-c", OBEDIENT, "cat"])
        .arg(&file)
        .output();
    match probe {
        Ok(output) if !output.status.success() => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            (!said.contains("ermission denied")).then_some(said)
        }
        Ok(_) => Some("a file of mode 000 can be read".to_owned()),
        Err(error) => Some(error.to_string()),
    }
}

fn code(reply: &Value) -> &str {
    reply["error"]["data"]["code"]
        .as_str()
        .unwrap_or("no error")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_of_mode_000_costs_its_own_session_and_no_other() {
    if let Some(reason) = modes_do_not_hold() {
        println!("skipped: modes of files do not hold here: {reason}");
        return;
    }
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("Yes.").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.run_under(["/bin/sh", "-c", OBEDIENT].map(str::to_owned).to_vec());
    daemon.spawn().await;
    let (client, closed) = new_session(&daemon).await;
    let (_, other) = new_session(&daemon).await;
    for session in [closed, other] {
        let mut watch = Watch::from_start(&client, session).await;
        send(&client, session, "Hello?").await;
        watch.until("turn_outcome").await;
    }
    let path = daemon.log_path(&closed.to_string());
    let mode = |mode| fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    let message = |session| json!({"sessionId": session, "content": "more"});

    // A daemon that has the log open must report the truth, whichever it is.
    mode(0o000);
    let mut raw = RawConnection::connect(&daemon);
    let sent = raw.call("sendMessage", &message(closed));
    let told = sent["result"]["seq"].as_u64();
    assert!(
        told.is_some() || code(&sent) == "session_failed",
        "D-18: {sent}"
    );
    assert!(raw.call("sendMessage", &message(other))["result"]["seq"].is_u64());
    daemon.kill().await;

    // A daemon that still has to open the log.
    daemon.spawn().await;
    let mut raw = RawConnection::connect(&daemon);
    let listed = raw.call("listSessions", &json!({}));
    let healthy = &listed["result"]["sessions"][0]["sessionId"];
    assert_eq!(*healthy, json!(other), "B-60: {listed}");
    for method in ["getSession", "getEvents", "subscribeEvents"] {
        let reply = raw.call(method, &json!({"sessionId": closed}));
        assert_eq!(code(&reply), "session_failed", "B-60: {method}: {reply}");
    }
    let refused = raw.call("sendMessage", &message(closed));
    assert_eq!(code(&refused), "session_failed", "B-60: {refused}");
    assert!(raw.call("sendMessage", &message(other))["result"]["seq"].is_u64());
    daemon.kill().await;

    mode(0o600);
    daemon.spawn().await;
    let mut raw = RawConnection::connect(&daemon);
    let sent = raw.call("sendMessage", &message(closed));
    assert!(sent["result"]["seq"].is_u64(), "B-60: {sent}");
    daemon.stop().await;
    let log = CheckedLog::read(&path).unwrap();
    assert!(told.is_none_or(|seq| log.record(seq).is_some()), "D-18");
}
