//! A script that uses every mutating command and can be resumed after a crash at any point.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use scorel_client::{ClientError, Connection};
use scorel_proto::{ClientId, ErrorCode, SessionId};
use scorel_testkit::{
    CheckedLog, DaemonUnderTest, ModelServer, ScriptedChat, ScriptedResponse, Sightings,
};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::under_test::SCORELD;

/// The messages, each with its command id.
const MESSAGES: [(&str, &str); 3] = [("send-1", "one"), ("send-2", "two"), ("send-3", "three")];

/// Sent when a crash left a held queue.
const GO_ON: &str = "go on";

/// The script's client: what it did, which replies it got and what it saw.
pub(super) struct CrashScript {
    client_id: ClientId,
    work_dir: String,
    answers: HashMap<String, Value>,
    pub(super) seen: Sightings,
    session: Option<SessionId>,
    /// Where the first and the last turn ended. Kept, so that a repeated command is the same one.
    ends: Option<(Value, Value)>,
}

/// A stopped daemon whose model makes a call and then replies.
pub(super) async fn scripted() -> (DaemonUnderTest, ModelServer, CrashScript) {
    let model = ModelServer::start().await.unwrap();
    model.answer_with(|request| {
        let last = request.json()["messages"]
            .as_array()
            .and_then(|all| all.last().cloned());
        let asks =
            ScriptedChat::default()
                .text("I look.")
                .tool_call("c", "Glob", r#"{"pattern":"*"}"#);
        let says = ScriptedChat::default()
            .thinking("So.")
            .text("Nothing ")
            .text("is here.");
        let answer: ScriptedResponse = match last.is_some_and(|last| last["role"] == "tool") {
            true => says.finish("stop").usage(20, 5).into(),
            false => asks.finish("tool_calls").usage(10, 5).into(),
        };
        answer
    });
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    let script = CrashScript {
        client_id: ClientId::generate(),
        work_dir: daemon.project().to_str().unwrap().to_owned(),
        answers: HashMap::new(),
        seen: Sightings::default(),
        session: None,
        ends: None,
    };
    (daemon, model, script)
}

pub(super) async fn call(
    client: &Connection,
    method: &str,
    params: &Value,
) -> Result<Value, ClientError> {
    let params: Box<RawValue> = to_raw_value(params).unwrap();
    let result = client.call_raw(method, Some(&params)).await?;
    Ok(serde_json::from_str(result.get()).unwrap())
}

/// Waits until the session is idle and records everything it publishes. Resumes a held queue.
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

impl CrashScript {
    /// Runs the script, or the rest of it.
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
        // It may be deleted already: acknowledged commands are not repeated.
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
        self.travel(&client, &a).await?;
        let delete = json!({"sessionId": b["sessionId"]});
        self.step(&client, "deleteSession", "delete-b", delete)
            .await?;
        // Listing sessions removes the remains of deleted ones.
        call(&client, "listSessions", &json!({})).await?;
        Ok(())
    }

    /// Goes back to the end of the first turn and returns; makes a clone and deletes it.
    async fn travel(&mut self, client: &Connection, session: &Value) -> Result<(), ClientError> {
        let (first, last) = match &self.ends {
            Some(ends) => ends.clone(),
            None => {
                let params = json!({"sessionId": session, "previews": true});
                let tree = call(client, "getTree", &params).await?;
                let nodes = tree["nodes"].as_array().expect("nodes").clone();
                let mut ends = nodes.into_iter().filter(|node| node["turnEnd"] == true);
                let first = ends.next().expect("a turn")["id"].clone();
                self.ends
                    .insert((first, tree["activeLeafId"].clone()))
                    .clone()
            }
        };
        let back = json!({
            "sessionId": session, "targetEventId": first, "expectedLeafId": last,
        });
        self.step(client, "rewind", "back", back).await?;
        let forth = json!({
            "sessionId": session, "leafEventId": last, "expectedLeafId": first,
        });
        self.step(client, "branch", "forth", forth).await?;
        let clone = match self.answers.get("clone") {
            Some(answer) => answer.clone(),
            None => {
                let clone = json!({"sessionId": session, "eventId": first});
                self.step(client, "cloneSession", "clone", clone).await?
            }
        };
        let delete = json!({"sessionId": clone["sessionId"]});
        self.step(client, "deleteSession", "delete-clone", delete)
            .await
            .map(drop)
    }

    /// Registers the project and creates the session of the script.
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

    /// A file relative to the session's directory, once that exists.
    pub(super) fn path(&self, daemon: &DaemonUnderTest, file: &str) -> PathBuf {
        let session = self.session.expect("the session was made");
        let dir = daemon.session_dir(&session.to_string());
        file.split("../").fold(dir, |dir, part| match part {
            "" => dir.parent().expect("it is below the home").to_owned(),
            name => dir.join(name),
        })
    }

    /// Runs a command. One that was acknowledged before must get the same reply again.
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

    /// Checks the files after the script is complete and the daemon has stopped.
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
        for command in ["send-1", "send-2", "send-3", "rename", "back", "forth"] {
            let seq = self.answers[command]["seq"].as_u64().unwrap();
            let record = log.record(seq).expect("an acknowledged record");
            assert!(
                record.line.contains(&format!("\"{command}\"")),
                "{}",
                record.line
            );
        }
        let left = std::fs::read_dir(daemon.home().join("sessions")).unwrap();
        let left = left.map(|entry| entry.unwrap().file_name());
        // Where clones are made; the next start empties it.
        let left: Vec<_> = left.filter(|name| name != ".cloning").collect();
        assert_eq!(
            left,
            [session.as_str()],
            "one session was deleted, the other one is there once"
        );
    }
}
