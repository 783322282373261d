//! A command that is refused leaves no session behind, in which the next message would land.

use scorel_proto::{ListSessions, ListSessionsParams};
use scorel_testkit::ModelServer;
use serde_json::Value;

use crate::under_test::{connect, daemon, scorelctl};

#[tokio::test]
async fn a_refused_command_leaves_no_session() {
    let model = ModelServer::start().await.unwrap();
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
        let all = ListSessionsParams::default();
        let listed = client.call::<ListSessions>(&all).await.unwrap();
        let left = listed.sessions;
        assert!(left.is_empty(), "{arguments:?}: {left:?}");
    }
}
