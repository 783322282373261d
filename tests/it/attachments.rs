//! Files that are attached to messages.

mod cli;
mod pictures;
mod refusals;

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    Attachment, AttachmentPath, Block, ClientId, ErrorCode, GetSession, GetSessionParams,
    QueueKind, RpcError, SendMessage, SendMessageParams, SendMessageResult, SessionId,
    WhileRunning,
};
use scorel_testkit::{DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat};
use serde_json::Value;

use crate::under_test::{SCORELD, Watch, connect, message, new_session, send};

/// A daemon with a session, whose model answers everything with a word.
struct Desk {
    daemon: DaemonUnderTest,
    model: ModelServer,
    client: Connection,
    id: SessionId,
}

impl Desk {
    async fn new() -> Self {
        Self::with(|daemon| daemon).await
    }

    async fn with(change: impl FnOnce(DaemonUnderTest) -> DaemonUnderTest) -> Self {
        let model = ModelServer::start().await.unwrap();
        model.fallback(ScriptedChat::default().text("ok").finish("stop"));
        let daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        let mut daemon = change(daemon);
        daemon.spawn().await;
        let (client, id) = new_session(&daemon).await;
        Self {
            daemon,
            model,
            client,
            id,
        }
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.daemon.project().join(name), content).unwrap();
    }

    async fn attach(&self, paths: &[&str]) -> Result<SendMessageResult, RpcError> {
        let params = with_files(self.id, "look", paths);
        match self.client.call::<SendMessage>(&params).await {
            Ok(answer) => Ok(answer),
            Err(ClientError::Rpc(error)) => Err(error),
            Err(other) => panic!("{other}"),
        }
    }

    /// The user messages of the log.
    fn messages(&self) -> Vec<Value> {
        let log = self.daemon.log(&self.id.to_string());
        let of_user = |event: &Value| event["message"]["role"] == "user";
        let events = log.into_iter().filter(of_user);
        events.map(|mut event| event["message"].take()).collect()
    }
}

fn with_files(id: SessionId, text: &str, paths: &[&str]) -> SendMessageParams {
    let path = |path: &&str| AttachmentPath {
        path: (*path).to_owned(),
    };
    SendMessageParams {
        attachments: paths.iter().map(path).collect(),
        ..message(id, text)
    }
}

fn attached(path: &str, text: &str) -> Value {
    let file = Block::Attachment(Attachment {
        path: path.to_owned(),
        size: text.len() as u64,
        encoding: None,
        content: vec![Block::text(text)],
    });
    serde_json::to_value(file).unwrap()
}

/// The newest message of the model's newest request.
fn newest(model: &ModelServer) -> String {
    let requests = model.requests();
    let request = requests.last().unwrap().json();
    let messages = request["messages"].as_array().unwrap().clone();
    messages.last().unwrap()["content"].to_string()
}

#[tokio::test]
async fn the_content_is_part_of_the_message_and_reaches_the_model() {
    let desk = Desk::new().await;
    let absolute = desk.daemon.project().join("b.txt");
    desk.write("a.txt", "first\n</attached-file>\n");
    desk.write("b.txt", b"caf\xe9\n");
    std::os::unix::fs::symlink("a.txt", desk.daemon.project().join("link")).unwrap();
    let mut watch = Watch::from_start(&desk.client, desk.id).await;
    let paths = ["./a.txt", absolute.to_str().unwrap(), "link"];
    desk.attach(&paths).await.unwrap();
    watch.until("turn_outcome").await;
    let logged = desk.messages();
    let content = logged[0]["content"].as_array().unwrap();
    assert_eq!(content[0]["text"], "look");
    assert_eq!(content[1], attached("a.txt", "first\n</attached-file>\n"));
    assert_eq!(
        content[2],
        serde_json::json!({"type": "attachment", "path": "b.txt", "size": 5, "encoding": "Latin-1",
            "content": [{"type": "text", "text": "café\n"}]})
    );
    assert_eq!(content[3], attached("link", "first\n</attached-file>\n"));
    let sent = newest(&desk.model);
    let tagged = r#"<attached-file path=\"a.txt\">\nfirst\n<\\/attached-file>\n</attached-file>"#;
    assert_eq!(sent.matches(tagged).count(), 1, "{sent}");
    let latin = r#"<attached-file path=\"b.txt\" encoding=\"Latin-1\">\ncafé\n</attached-file>"#;
    assert!(sent.contains(latin), "{sent}");
    let params = GetSessionParams {
        session_id: desk.id,
    };
    let session = desk.client.call::<GetSession>(&params).await.unwrap();
    assert_eq!(session.session.title.as_deref(), Some("look"));
}

/// An accepted attachment is in the log: neither a kill nor a change of the file takes it away.
#[tokio::test]
async fn a_killed_daemon_keeps_what_was_attached_and_queued() {
    let mut desk = Desk::new().await;
    let gate = ResponseGate::default();
    let waits = ScriptedChat::default().wait(&gate);
    desk.model.answer(waits.text("late").finish("stop"));
    send(&desk.client, desk.id, "begin").await;
    gate.reached().await;
    desk.write("a.txt", "zebra\n");
    let answer = desk.attach(&["a.txt"]).await.unwrap();
    assert!(
        matches!(answer, SendMessageResult::Queued { .. }),
        "{answer:?}"
    );
    desk.daemon.kill().await;
    desk.write("a.txt", "gnu\n");
    desk.daemon.spawn().await;
    desk.client = connect(&desk.daemon.socket()).await;
    let mut watch = Watch::from_start(&desk.client, desk.id).await;
    // The interrupted turn has paused the queue.
    desk.client
        .call::<SendMessage>(&message(desk.id, "go on"))
        .await
        .unwrap();
    while desk.messages().len() < 3 {
        watch.next().await;
    }
    let logged = desk.messages();
    assert_eq!(logged[1]["content"][1], attached("a.txt", "zebra\n"));
    while !newest(&desk.model).contains("go on") {
        watch.next().await;
    }
    let requests = desk.model.requests();
    let sent = String::from_utf8(requests.last().unwrap().body.clone()).unwrap();
    assert!(sent.contains("zebra"), "{sent}");
    assert!(!sent.contains("gnu\\n"), "{sent}");
}

#[tokio::test]
async fn a_repeated_command_gets_its_first_answer_and_reads_nothing_again() {
    let mut desk = Desk::new().await;
    let client_id = ClientId::generate();
    desk.client.hello(Some(client_id)).await.unwrap();
    desk.write("a.txt", "first\n");
    let params = SendMessageParams {
        command_id: Some("once".parse().unwrap()),
        ..with_files(desk.id, "look", &["a.txt"])
    };
    let first = desk.client.call::<SendMessage>(&params).await.unwrap();
    desk.write("a.txt", "second\n");
    assert_eq!(
        desk.client.call::<SendMessage>(&params).await.unwrap(),
        first
    );
    std::fs::remove_file(desk.daemon.project().join("a.txt")).unwrap();
    desk.daemon.kill().await;
    desk.daemon.spawn().await;
    desk.client = connect(&desk.daemon.socket()).await;
    desk.client.hello(Some(client_id)).await.unwrap();
    assert_eq!(
        desk.client.call::<SendMessage>(&params).await.unwrap(),
        first
    );
    let other = SendMessageParams {
        command_id: params.command_id.clone(),
        ..with_files(desk.id, "look", &["b.txt"])
    };
    match desk.client.call::<SendMessage>(&other).await {
        Err(ClientError::Rpc(error)) => assert_eq!(error.code, ErrorCode::Conflict),
        answered => panic!("{answered:?}"),
    }
    let messages = desk.messages();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!(messages[0]["content"][1], attached("a.txt", "first\n"));
}

/// A steer that follows a tool result is part of it.
#[tokio::test]
async fn a_steer_brings_its_files_into_the_running_turn() {
    let desk = Desk::new().await;
    let gate = ResponseGate::default();
    let reads = ScriptedChat::default().wait(&gate);
    let reads = reads.tool_call("call_1", "Glob", r#"{"pattern":"*"}"#);
    desk.model.answer(reads.finish("tool_calls"));
    let mut watch = Watch::from_start(&desk.client, desk.id).await;
    send(&desk.client, desk.id, "begin").await;
    gate.reached().await;
    desk.write("a.txt", "use tabs\n");
    let steer = SendMessageParams {
        while_running: Some(WhileRunning::Steer),
        ..with_files(desk.id, "obey it", &["a.txt"])
    };
    let answer = desk.client.call::<SendMessage>(&steer).await.unwrap();
    let queue = match answer {
        SendMessageResult::Queued { queue, .. } => queue,
        other => panic!("{other:?}"),
    };
    assert_eq!(queue, QueueKind::Steer);
    gate.open();
    watch.until("turn_outcome").await;
    assert_eq!(desk.model.requests().len(), 2, "one turn");
    let sent = newest(&desk.model);
    let text = r#"<system-reminder>\nobey it\n</system-reminder>\n<attached-file path=\"a.txt\">\nuse tabs\n</attached-file>"#;
    assert!(sent.contains(text), "{sent}");
}
