//! A runner that takes its questions back.

use scorel_proto::Phase;
use scorel_testkit::{DaemonUnderTest, ModelServer};

use super::double::script_runner;
use super::pipes::NamedPipe;
use super::send_to;
use crate::under_test::{SCORELD, Watch, new_session, session};

/// Asks, and takes the question back once it is in the log: while that is being synced, with luck. Again and
/// again.
const WITHDRAWS: &str = r#"
read -r _; echo '{"type":"control_response","response":{"request_id":"scorel-initialize"}}'
read -r _
exec 3< <(tail -n +1 -f LOG)
for i in {1..30}; do
    echo '{"type":"control_request","request_id":"q'$i'","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"c'$i'","input":{"command":"rm -r all"}}}'
    while read -r line <&3; do
        case $line in *'"type":"permission_request"'*) break ;; esac
    done
    echo '{"type":"control_cancel_request","request_id":"q'$i'"}'
done
echo '{"type":"assistant","message":{"content":[{"type":"text","text":"never mind"}]}}'
read -r _ <go
echo '{"type":"result","subtype":"success","num_turns":1}'
read -r _"#;

/// Also one whose record is being synced as the runner takes it back.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_the_runner_takes_back_is_not_open_any_more() {
    let model = ModelServer::start().await.unwrap();
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    let log = daemon.home().join("sessions/*/events.jsonl");
    let script = WITHDRAWS.replace("LOG", log.to_str().unwrap());
    daemon.configure_more(&script_runner("withdraws", "claude-code", &script, ""));
    daemon.spawn().await;
    let (client, id) = new_session(&daemon).await;
    let mut go = NamedPipe::make(&daemon.project().join("go"));
    let mut watch = Watch::from_start(&client, id).await;
    send_to(&client, id, "withdraws", "go").await;
    let events = watch.until("text_delta").await;
    let count = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
    assert_eq!(count("permission_request"), 30);
    assert_eq!(count("permission_decision"), 30);
    assert_eq!(session(&client, id).await.phase, Phase::Running);
    go.write_line().await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(events.last().unwrap()["reason"], "completed");
}
