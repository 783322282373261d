//! A run that does a bit of everything, and that can be repeated after the daemon died anywhere.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use scorel_client::{ClientError, Connection};
use scorel_proto::{ClientId, ErrorCode, SessionId};
use scorel_testkit::{Answer, ChatAnswer, CheckedLog, DaemonUnderTest, ModelServer, Sightings};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::under_test::SCORELD;

/// The messages, each with the name of its command.
const MESSAGES: [(&str, &str); 3] = [("send-1", "one"), ("send-2", "two"), ("send-3", "three")];

/// What is sent when the daemon died and left a queue that waits for somebody.
const GO_ON: &str = "go on";

/// The run's client: what it did, what it was told and what it saw.
pub(super) struct Script {
    client_id: ClientId,
    work_dir: String,
    answers: HashMap<String, Value>,
    pub(super) seen: Sightings,
    session: Option<SessionId>,
}

/// A daemon that does not run yet, with a model that calls a tool and then answers.
pub(super) async fn scripted() -> (DaemonUnderTest, ModelServer, Script) {
    let model = ModelServer::start().await.unwrap();
    model.answer_with(|request| {
        let last = request.json()["messages"]
            .as_array()
            .and_then(|all| all.last().cloned());
        let asks =
            ChatAnswer::default()
                .text("I look.")
                .tool_call("c", "Glob", r#"{"pattern":"*"}"#);
        let says = ChatAnswer::default()
            .thinking("So.")
            .text("Nothing ")
            .text("is here.");
        let answer: Answer = match last.is_some_and(|last| last["role"] == "tool") {
            true => says.finish("stop").usage(20, 5).into(),
            false => asks.finish("tool_calls").usage(10, 5).into(),
        };
        answer
    });
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    let script = Script {
        client_id: ClientId::generate(),
        work_dir: daemon.project().to_str().unwrap().to_owned(),
        answers: HashMap::new(),
        seen: Sightings::default(),
        session: None,
    };
    (daemon, model, script)
}

/// Calls a method with JSON.
pub(super) async fn call(
    client: &Connection,
    method: &str,
    params: &Value,
) -> Result<Value, ClientError> {
    let params: Box<RawValue> = to_raw_value(params).unwrap();
    let result = client.call_raw(method, Some(params)).await?;
    Ok(serde_json::from_str(result.get()).unwrap())
}

/// Waits until nothing is left to do in a session, and notes all that it shows meanwhile. A queue
/// that waits for somebody is set going.
///
/// # Errors
///
/// If the daemon dies, or the session fails.
pub(super) async fn until_idle(
    client: &Connection,
    session: &Value,
    sightings: &mut Sightings,
) -> Result<(), ClientError> {
    let params = serde_json::from_value(json!({"sessionId": session})).unwrap();
    let mut events = client.subscribe_events(&params).await?;
    let mut seen = 0;
    loop {
        let state = call(client, "getSession", &json!({"sessionId": session})).await?;
        let state = &state["session"];
        let queued = state["queue"].as_array().map_or(0, Vec::len);
        let last = state["lastPersistentSeq"].as_u64().unwrap();
        if state["queuePaused"] == true && queued > 0 {
            let params = json!({"sessionId": session, "content": GO_ON});
            match call(client, "sendMessage", &params).await {
                Err(ClientError::Rpc(error)) if error.code == ErrorCode::StorageStalled => continue,
                sent => sent.map(drop)?,
            }
        }
        let is_done = queued == 0 && state["turnId"].is_null();
        let mut at_end = is_done;
        while seen < last || !at_end {
            let event = events.next().await.ok_or(ClientError::Closed)?;
            sightings
                .note(event.get())
                .unwrap_or_else(|fault| panic!("{fault}"));
            let event: Value = serde_json::from_str(event.get()).unwrap();
            if event["type"] == "end" {
                return Err(ClientError::Protocol(format!("the session ends: {event}")));
            }
            seen = event["seq"].as_u64().unwrap_or(seen);
            at_end |= seen > last && event["type"] == "turn_outcome";
        }
        if is_done {
            return Ok(());
        }
    }
}

impl Script {
    /// Does everything, or the rest of it, from the beginning.
    ///
    /// # Errors
    ///
    /// If the daemon dies, or refuses something.
    pub(super) async fn run(&mut self, socket: &Path) -> Result<(), ClientError> {
        let (client, project) = self.begin(socket).await?;
        let create = |title: &str| json!({"projectId": project, "title": title});
        let a = json!(self.session.expect("it was made"));
        self.say(&client, &a, MESSAGES[0]).await?;
        until_idle(&client, &a, &mut self.seen).await?;
        let title = json!({"sessionId": a, "title": "renamed"});
        self.step(&client, "updateSession", "rename", title).await?;
        // It may be deleted already: what was answered once is not asked again.
        let b = match self.answers.get("create-b") {
            Some(answer) => answer.clone(),
            None => {
                let create = create("b");
                self.step(&client, "createSession", "create-b", create)
                    .await?
            }
        };
        self.say(&client, &a, MESSAGES[1]).await?;
        self.say(&client, &a, MESSAGES[2]).await?;
        until_idle(&client, &a, &mut self.seen).await?;
        let delete = json!({"sessionId": b["sessionId"]});
        self.step(&client, "deleteSession", "delete-b", delete)
            .await?;
        // Reading the list of sessions removes what is left of deleted ones.
        call(&client, "listSessions", &json!({})).await?;
        Ok(())
    }

    /// Registers the project and makes the session that everything happens in.
    ///
    /// # Errors
    ///
    /// If the daemon dies, or refuses something.
    pub(super) async fn begin(
        &mut self,
        socket: &Path,
    ) -> Result<(Connection, Value), ClientError> {
        let client = Connection::connect(socket).await?;
        client.hello(Some(self.client_id)).await?;
        let register = json!({"workDir": self.work_dir});
        let project = self
            .step(&client, "registerProject", "register", register)
            .await?;
        let project = project["project"]["projectId"].clone();
        let create = json!({"projectId": project, "title": "a"});
        let a = self
            .step(&client, "createSession", "create-a", create)
            .await?;
        self.session = Some(a["sessionId"].as_str().unwrap().parse().unwrap());
        Ok((client, project))
    }

    /// A file that is named from the directory of the session, once that was made.
    pub(super) fn path(&self, daemon: &DaemonUnderTest, file: &str) -> PathBuf {
        let session = self.session.expect("the session was made");
        let dir = daemon.session_dir(&session.to_string());
        file.split("../").fold(dir, |dir, part| match part {
            "" => dir.parent().expect("it is below the home").to_owned(),
            name => dir.join(name),
        })
    }

    /// Carries out a command. One that was acknowledged before gets the same answer again.
    async fn step(
        &mut self,
        client: &Connection,
        method: &str,
        command: &str,
        mut params: Value,
    ) -> Result<Value, ClientError> {
        params["commandId"] = json!(command);
        let answer = call(client, method, &params).await?;
        let before = self.answers.insert(command.to_owned(), answer.clone());
        for field in [
            "seq",
            "sessionId",
            "userEventId",
            "turnId",
            "queueItemId",
            "project",
        ] {
            let before = before.as_ref().map(|before| &before[field]);
            assert!(
                before.is_none_or(|before| *before == answer[field]),
                "{method}: {answer}"
            );
        }
        Ok(answer)
    }

    async fn say(
        &mut self,
        client: &Connection,
        session: &Value,
        (command, text): (&str, &str),
    ) -> Result<(), ClientError> {
        let params = json!({"sessionId": session, "content": text});
        self.step(client, "sendMessage", command, params)
            .await
            .map(drop)
    }

    /// What must be on the disk when everything was done and the daemon has stopped.
    pub(super) fn check(&self, daemon: &DaemonUnderTest) {
        let session = self.session.expect("the session was made").to_string();
        let log = CheckedLog::read(&daemon.log_path(&session)).unwrap();
        self.seen
            .check(&log)
            .unwrap_or_else(|fault| panic!("{fault}"));
        self.seen
            .check_text(&log)
            .unwrap_or_else(|fault| panic!("{fault}"));
        let said: Vec<String> = log.user_texts().filter(|text| text != GO_ON).collect();
        assert_eq!(said, MESSAGES.map(|(_, text)| text));
        assert_eq!(log.view().state.turn, None);
        assert_eq!(log.view().state.title.as_deref(), Some("renamed"));
        for command in ["send-1", "send-2", "send-3", "rename"] {
            let seq = self.answers[command]["seq"].as_u64().unwrap();
            let record = log.record(seq).expect("an acknowledged record");
            assert!(
                record.line.contains(&format!("\"{command}\"")),
                "{}",
                record.line
            );
        }
        let left = std::fs::read_dir(daemon.home().join("sessions")).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(
            left,
            [session.as_str()],
            "one session was deleted, the other one is there once"
        );
    }
}
