//! Sessions that are put away, with a process that waits for their next turn.

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    ArchiveSession, ArchiveSessionParams, DeleteSession, DeleteSessionParams, ErrorCode,
    SendMessage, SessionId,
};
use scorel_testkit::{DaemonUnderTest, ModelServer};
use serde_json::json;

use super::double::{AcpDouble, process_of};
use super::processes::RunningProcess;
use super::{only, send_to};
use crate::under_test::{Watch, daemon, message, new_session, session};

#[tokio::test]
async fn an_archived_session_takes_no_message_and_its_process_ends() {
    let (_daemon, client, id, mut watch) = scene().await;
    let process = kept(&client, id, &mut watch).await;
    archive(&client, id, true).await;
    process.wait_for_end();
    let before = session(&client, id).await.last_persistent_seq;
    let error = client
        .call::<SendMessage>(&message(id, "more"))
        .await
        .unwrap_err();
    let ClientError::Rpc(error) = error else {
        panic!("{error}")
    };
    assert_eq!(error.code, ErrorCode::Conflict, "{error}");
    assert_eq!(error.details, json!({"kind": "archived"}));
    assert_eq!(session(&client, id).await.last_persistent_seq, before);

    archive(&client, id, false).await;
    kept(&client, id, &mut watch).await;
}

#[tokio::test]
async fn the_process_of_a_deleted_session_ends() {
    let (_daemon, client, id, mut watch) = scene().await;
    let process = kept(&client, id, &mut watch).await;
    let params = DeleteSessionParams {
        now: None,
        children: None,
        session_id: id,
        command_id: None,
    };
    client.call::<DeleteSession>(&params).await.unwrap();
    process.wait_for_end();
}

async fn scene() -> (DaemonUnderTest, Connection, SessionId, Watch) {
    let model = ModelServer::start().await.unwrap();
    let double = AcpDouble {
        resumes: true,
        keys: "",
    };
    let daemon = daemon(&model, &double.config("double")).await;
    let (client, id) = new_session(&daemon).await;
    let watch = Watch::from_start(&client, id).await;
    (daemon, client, id, watch)
}

/// Runs a turn, whose process stays.
async fn kept(client: &Connection, id: SessionId, watch: &mut Watch) -> RunningProcess {
    send_to(client, id, "double", "go").await;
    let events = watch.until("turn_outcome").await;
    assert_eq!(only(&events, "runner_exit")["kept"], true, "{events:?}");
    let process = RunningProcess::open(process_of(&events));
    assert!(!process.has_ended());
    process
}

async fn archive(client: &Connection, session_id: SessionId, archived: bool) {
    let params = ArchiveSessionParams {
        session_id,
        archived: Some(archived),
        command_id: None,
    };
    client.call::<ArchiveSession>(&params).await.unwrap();
}
