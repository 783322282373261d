//! The protocol's own Rust library as the editor.

use std::process::Stdio;
use std::sync::{Arc, Mutex};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CancelNotification, ContentBlock, InitializeRequest, ListSessionsRequest, LoadSessionRequest,
    NewSessionRequest, PermissionOptionKind, PromptRequest, RequestPermissionOutcome,
    RequestPermissionRequest, RequestPermissionResponse, ResumeSessionRequest,
    SelectedPermissionOutcome, SessionNotification, SessionUpdate, SetSessionConfigOptionRequest,
    StopReason,
};
use agent_client_protocol::{Agent, Client, Lines};
use futures_util::{sink, stream};
use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELCTL, SCORELD};

type Told = Arc<Mutex<Vec<String>>>;

/// Runs `work` as an editor that allows every call once, and notes in a word what it is told.
async fn edit(
    daemon: &DaemonUnderTest,
    told: Told,
    work: impl AsyncFnOnce(ConnectionTo<Agent>) -> Result<(), agent_client_protocol::Error>,
) {
    let mut child = Command::new(SCORELCTL)
        .arg("acp")
        .env_clear()
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", daemon.home())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let incoming = stream::unfold(lines, |mut lines| async move {
        let line = lines.next_line().await.transpose()?;
        Some((line, lines))
    });
    let input = child.stdin.take().unwrap();
    let outgoing = sink::unfold(input, |mut input, line: String| async move {
        input.write_all(format!("{line}\n").as_bytes()).await?;
        Ok::<_, std::io::Error>(input)
    });
    let asked = Arc::clone(&told);
    let editing = Client
        .v1()
        .on_receive_notification(
            async move |notification: SessionNotification, _| {
                told.lock().unwrap().push(word(&notification.update));
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _| {
                let kinds: Vec<_> = request.options.iter().map(|it| it.kind).collect();
                asked.lock().unwrap().push(format!("asked {kinds:?}"));
                let once = request
                    .options
                    .iter()
                    .find(|it| it.kind == PermissionOptionKind::AllowOnce);
                let chosen = SelectedPermissionOutcome::new(once.unwrap().option_id.clone());
                let outcome = RequestPermissionOutcome::Selected(chosen);
                responder.respond(RequestPermissionResponse::new(outcome))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_with(Lines::new(Box::pin(outgoing), Box::pin(incoming)), work);
    timeout(PATIENCE, editing).await.expect("in time").unwrap();
}

fn word(update: &SessionUpdate) -> String {
    let text = |content: &ContentBlock| match content {
        ContentBlock::Text(text) => text.text.clone(),
        other => format!("{other:?}"),
    };
    match update {
        SessionUpdate::AgentMessageChunk(chunk) => format!("agent: {}", text(&chunk.content)),
        SessionUpdate::UserMessageChunk(chunk) => format!("user: {}", text(&chunk.content)),
        SessionUpdate::ToolCall(call) => format!("call: {} {:?}", call.title, call.status),
        SessionUpdate::ToolCallUpdate(call) => format!("call: {:?}", call.fields.status.unwrap()),
        SessionUpdate::UsageUpdate(_) => "usage".to_owned(),
        SessionUpdate::AvailableCommandsUpdate(_) => "commands".to_owned(),
        SessionUpdate::SessionInfoUpdate(_) => "title".to_owned(),
        other => format!("{other:?}"),
    }
}

#[tokio::test]
async fn the_official_library_holds_a_conversation() {
    let model = ModelServer::start().await.unwrap();
    let gate = ResponseGate::default();
    let mut daemon = DaemonUnderTest::new(SCORELD);
    // Outside the project, so it is asked about.
    let path = daemon.root().join("new.txt").to_str().unwrap().to_owned();
    let input = json!({"path": path, "content": "line\n"}).to_string();
    model.answer(
        ScriptedChat::default()
            .tool_call("c", "Write", &input)
            .finish("tool_calls"),
    );
    model.answer(ScriptedChat::default().text("Done.").finish("stop"));
    model.fallback(
        ScriptedChat::default()
            .wait(&gate)
            .text("late")
            .finish("stop"),
    );
    daemon.configure_model(&model.base_url());
    daemon.spawn().await;
    let cwd = daemon.project();
    let told = Told::default();
    let session = Arc::new(Mutex::new(None));
    let (dir, made) = (cwd.clone(), Arc::clone(&session));
    edit(&daemon, Arc::clone(&told), async move |agent| {
        let initialize = InitializeRequest::new(ProtocolVersion::V1);
        let known = agent.send_request(initialize).block_task().await?;
        assert_eq!(known.protocol_version, ProtocolVersion::V1);
        let new = agent
            .send_request(NewSessionRequest::new(dir))
            .block_task()
            .await?;
        let id = new.session_id;
        *made.lock().unwrap() = Some(id.clone());
        let set = SetSessionConfigOptionRequest::new(id.clone(), "thought_level", "low");
        let set = agent.send_request(set).block_task().await?;
        assert_eq!(set.config_options.len(), 3);
        let prompt = |text: &str| PromptRequest::new(id.clone(), vec![ContentBlock::from(text)]);
        let ended = agent.send_request(prompt("write")).block_task().await?;
        assert_eq!(ended.stop_reason, StopReason::EndTurn);
        let running = agent.send_request(prompt("wait"));
        agent.send_notification(CancelNotification::new(id.clone()))?;
        assert_eq!(
            running.block_task().await?.stop_reason,
            StopReason::Cancelled
        );
        Ok(())
    })
    .await;
    let first = std::mem::take(&mut *told.lock().unwrap());
    let first = first.iter().map(String::as_str);
    let first: Vec<_> = first
        .filter(|it| !matches!(*it, "usage" | "commands" | "title"))
        .collect();
    let written = format!("call: Write {path} Pending");
    assert!(first[0].starts_with("agent: Session ses_"), "{first:?}");
    assert_eq!(
        first[1..],
        [
            written.as_str(),
            "asked [AllowOnce, AllowAlways, AllowAlways, RejectOnce]",
            "call: InProgress",
            "call: Completed",
            "agent: Done.",
        ]
    );
    let id = session.lock().unwrap().take().unwrap();
    edit(&daemon, Arc::clone(&told), async move |agent| {
        let list = ListSessionsRequest::new().cwd(cwd.clone());
        let listed = agent.send_request(list).block_task().await?;
        assert_eq!(listed.sessions[0].session_id, id);
        let resume = ResumeSessionRequest::new(id.clone(), cwd.clone());
        agent.send_request(resume).block_task().await?;
        let load = LoadSessionRequest::new(id, cwd);
        agent.send_request(load).block_task().await?;
        Ok(())
    })
    .await;
    let second = told.lock().unwrap().clone();
    let users: Vec<_> = second
        .iter()
        .filter(|it| it.starts_with("user: "))
        .collect();
    assert_eq!(users.first().unwrap().as_str(), "user: write", "{second:?}");
}
