//! A session whose recovery has ended daemons.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use scorel_client::ClientError;
use scorel_proto::{ErrorCode, GetStatus, NoParams, Phase, SendMessage};
use scorel_testkit::{ModelServer, ResponseGate, ScriptedChat};
use serde_json::json;

use crate::under_test::{connect, daemon, message, new_session, scorelctl, send, session};

#[tokio::test]
async fn a_session_that_three_daemons_died_of_can_be_read_and_is_tried_again_when_asked() {
    let model = ModelServer::start().await.unwrap();
    let never = ResponseGate::new();
    model.answer(ScriptedChat::default().wait(&never).finish("stop"));
    model.fallback(ScriptedChat::default().text("Done.").finish("stop"));
    let mut daemon = daemon(&model, "").await;
    let (client, id) = new_session(&daemon).await;
    let (_, other) = new_session(&daemon).await;
    send(&client, id, "go").await;
    never.reached().await;
    daemon.kill().await;
    // As three daemons leave it that die while they load the session.
    let mark = daemon.session_dir(&id.to_string()).join("recovering");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = u64::try_from(now.as_millis()).unwrap();
    let begun: Vec<u64> = (1..=3).map(|minute| now - minute * 60_000).collect();
    let died = json!({"version": env!("CARGO_PKG_VERSION"), "begun": begun});
    fs::write(&mark, died.to_string()).unwrap();
    let before = fs::read(daemon.log_path(&id.to_string())).unwrap();

    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    let opened = session(&client, id).await;
    assert_eq!(opened.phase, Phase::Failed);
    assert!(opened.problem.unwrap().starts_with("3 daemons died"));
    let refused = client.call::<SendMessage>(&message(id, "more")).await;
    let Err(ClientError::Rpc(refused)) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(refused.code, ErrorCode::SessionFailed);
    let status = client.call::<GetStatus>(&NoParams {}).await.unwrap();
    assert_eq!(status.active[0].session_id, id);
    send(&client, other, "as always").await;
    let shown = scorelctl(&daemon, &["status"], &[]).await;
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("failed    3 daemons died"), "{shown}");
    let examined = scorelctl(&daemon, &["doctor"], &[]).await;
    let examined = String::from_utf8(examined.stdout).unwrap();
    assert!(examined.contains(mark.to_str().unwrap()), "{examined}");
    daemon.stop().await;
    assert_eq!(fs::read(daemon.log_path(&id.to_string())).unwrap(), before);

    fs::remove_file(&mark).unwrap();
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    assert_eq!(session(&client, id).await.phase, Phase::Idle);
    assert!(!mark.exists());
    daemon.stop().await;
}
