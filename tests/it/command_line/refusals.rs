//! A command that is refused leaves no session behind, in which the next message would land.

use scorel_proto::{ListSessions, ListSessionsParams};
use scorel_testkit::ModelServer;
use serde_json::Value;

use crate::under_test::{connect, daemon, scorelctl};

#[tokio::test]
async fn a_refused_command_leaves_no_session() {
    let model = ModelServer::start().await;
    let daemon = daemon(&model, "").await;
    let client = connect(&daemon.socket()).await;
    let refused = [
        (
            &["send", "--session", "new", "--file", "gone.txt", "x"][..],
            "attachment_refused",
        ),
        (&["send", "--file", "gone.txt", "x"], "attachment_refused"),
        (&["spawn", "reviewr", "x"], "agent_not_found"),
    ];
    for (arguments, code) in refused {
        let output = scorelctl(&daemon, &[&["--json"], arguments].concat(), &[]).await;
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {output:?}");
        let error: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(error["error"]["code"], code, "{error}");
        let listed = client.call::<ListSessions>(&ListSessionsParams::default());
        let left = listed.await.unwrap().sessions;
        assert!(left.is_empty(), "{arguments:?}: {left:?}");
    }
}
