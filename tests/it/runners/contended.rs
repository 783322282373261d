//! A turn whose session is busy with other clients.

use scorel_testkit::ModelServer;
use tokio::task::JoinSet;

use super::double::acp;
use super::{cancel, only, send_to};
use crate::under_test::{Watch, connect, daemon, new_session, title};

/// Asks, and logs without a pause until there is an answer.
const ASKS: &str = r#"
read -r _; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}'
read -r _; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
read -r _
while :; do echo log; done >&2 &
echo '{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","title":"rm","kind":"execute"},"options":[{"optionId":"o","name":"n","kind":"allow_once"}]}}'
read -r _
kill $!
echo '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"cancelled"}}'
read -r _"#;

/// The decision about the question and the events of the runner wait for the session's lock behind the
/// commands of the clients, and must not wait for each other.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_cancelled_while_the_runner_logs_and_clients_change_the_session() {
    let model = ModelServer::start().await.unwrap();
    let daemon = daemon(&model, &acp("asks", ASKS, "")).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "asks", "go").await;
    let asked = watch.until("permission_request").await;
    // `Tool(execute)` would allow every command.
    assert!(only(&asked, "permission_request")["rules"][0].is_null());
    let mut others = JoinSet::new();
    for _ in 0..4 {
        let other = connect(&daemon.socket()).await;
        others.spawn(async move {
            loop {
                title(&other, id, "changed").await;
            }
        });
    }
    watch.until("session_info").await;
    // On a connection of its own: unread events hold up the replies behind them.
    cancel(&connect(&daemon.socket()).await, id).await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(only(&events, "turn_outcome")["reason"], "cancelled");
    others.shutdown().await;
}
