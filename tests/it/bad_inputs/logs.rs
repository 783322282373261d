//! Damaged logs, all in one home beside a healthy one.

mod rows;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use scorel_client::Connection;
use scorel_proto::SessionId;
use scorel_testkit::{CheckedLog, DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};

use crate::raw::RawConnection;
use crate::under_test::{SCORELD, Watch, new_session, send};

use LogOutcome::{Damaged, Failed, Healthy, NewerFormat, Torn};
use rows::{Lines, LogOutcome, Row, json_of, rows};

/// A log under test.
struct Case {
    row: Row,
    session: SessionId,
    path: PathBuf,
    /// The records of the healthy log.
    healthy: Vec<String>,
    /// The damaged log.
    bytes: Vec<u8>,
}

async fn two_turns(client: &Connection, session: SessionId) {
    let mut watch = Watch::from_start(client, session).await;
    for text in ["one", "two"] {
        send(client, session, text).await;
        watch.until("turn_outcome").await;
    }
}

/// A home with one session per row, of a stopped daemon.
async fn home(daemon: &mut DaemonUnderTest) -> Vec<Case> {
    let mut cases = Vec::new();
    daemon.spawn().await;
    for row in rows() {
        let (client, session) = new_session(daemon).await;
        two_turns(&client, session).await;
        let path = daemon.log_path(&session.to_string());
        cases.push(Case {
            row,
            session,
            path,
            healthy: Vec::new(),
            bytes: Vec::new(),
        });
    }
    daemon.stop().await;
    for case in &mut cases {
        let text = std::fs::read_to_string(&case.path).unwrap();
        let mut lines: Lines = text
            .split_inclusive('\n')
            .map(|line| line.as_bytes().to_vec())
            .collect();
        case.healthy = text.lines().skip(1).map(str::to_owned).collect();
        (case.row.change)(&mut lines);
        case.bytes = lines.concat();
        std::fs::write(&case.path, &case.bytes).unwrap();
        // Derived files could hide the damage.
        let _none: std::io::Result<()> =
            std::fs::remove_file(case.path.with_file_name("checkpoint"));
    }
    cases
}

fn code(reply: &Value) -> &str {
    reply["error"]["data"]["code"]
        .as_str()
        .unwrap_or("no error")
}

/// The records that the daemon serves, as text.
fn served(raw: &mut RawConnection, session: SessionId) -> Vec<Value> {
    let reply = raw.call("getEvents", &json!({"sessionId": session, "limit": 1000}));
    assert!(reply["result"].is_object(), "{reply}");
    reply["result"]["events"].as_array().unwrap().clone()
}

impl Case {
    /// The session's entry in a complete listing.
    fn listed(&self, listing: &Value) -> Value {
        let id = self.session.to_string();
        let find = |list: &str| {
            let mut sessions = listing[list].as_array().into_iter().flatten();
            sessions.find(|session| session["sessionId"] == id.as_str())
        };
        let (session, unreadable) = (find("sessions"), find("unreadable"));
        let known = session.or(unreadable);
        let known = known.unwrap_or_else(|| panic!("{}: not listed", self.row.name));
        known.clone()
    }

    fn check(&self, raw: &mut RawConnection) {
        let name = self.row.name;
        let send = json!({"sessionId": self.session, "content": "three"});
        match self.row.then {
            Failed => {
                let reply = raw.call("getSession", &json!({"sessionId": self.session}));
                assert_eq!(code(&reply), "session_failed", "{name}: {reply}");
                assert_eq!(
                    code(&raw.call("sendMessage", &send)),
                    "session_failed",
                    "{name}"
                );
                self.is_unchanged(&self.bytes);
            }
            NewerFormat => {
                self.serves(raw);
                self.can_only_be_read(raw, &send);
                self.is_unchanged(&self.bytes);
            }
            Damaged => {
                self.serves(raw);
                self.is_unchanged(&self.bytes);
                self.accept(raw, &send);
            }
            Healthy => {
                self.serves(raw);
                self.is_unchanged(&self.bytes);
            }
            Torn => {
                self.serves(raw);
                let torn = self.bytes.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
                let aside = format!("events.jsonl.torn-{torn}");
                let aside = std::fs::read(self.path.with_file_name(aside)).unwrap();
                assert_eq!(aside, self.bytes[torn..], "{name}");
                self.is_unchanged(&self.bytes[..torn]);
            }
        }
        if self.row.then != Failed && self.row.then != NewerFormat {
            let reply = raw.call("sendMessage", &send);
            assert!(reply["result"]["seq"].is_u64(), "{name}: {reply}");
        }
    }

    /// Checks that every mutation is refused and that no file appears in the session's directory.
    fn can_only_be_read(&self, raw: &mut RawConnection, send: &Value) {
        let name = self.row.name;
        let id = self.session;
        let files = || {
            let dir = std::fs::read_dir(self.path.parent().unwrap()).unwrap();
            dir.map(|entry| entry.unwrap().file_name())
                .collect::<BTreeSet<_>>()
        };
        let before = files();
        let described = raw.call("getSession", &json!({"sessionId": id}));
        let session = &described["result"]["session"];
        assert_eq!(session["phase"], "failed", "{name}: {described}");
        assert!(session["problem"].as_str().unwrap().contains("format 2"));
        let changes = [
            ("sendMessage", send.clone()),
            ("updateSession", json!({"sessionId": id, "title": "new"})),
            ("archiveSession", json!({"sessionId": id})),
            (
                "acceptDamage",
                json!({"sessionId": id, "offset": 0, "length": 1}),
            ),
            ("putBlob", json!({"sessionId": id, "data": "aGVsbG8="})),
            ("cancel", json!({"sessionId": id, "clearQueue": true})),
            ("deleteSession", json!({"sessionId": id})),
        ];
        for (method, params) in changes {
            let reply = raw.call(method, &params);
            assert_eq!(code(&reply), "session_failed", "{name}: {method}: {reply}");
            assert!(reply.to_string().contains("format 2"), "{name}: {reply}");
        }
        assert_eq!(files(), before, "{name}");
    }

    /// Checks that everything intact is served byte for byte.
    fn serves(&self, raw: &mut RawConnection) {
        let served = served(raw, self.session);
        let kept = self
            .healthy
            .iter()
            .filter(|line| served.contains(&json_of(line.as_bytes())));
        let least = self.healthy.len().saturating_sub(self.row.lost);
        assert!(
            kept.count() >= least,
            "{}: {} records served",
            self.row.name,
            served.len()
        );
    }

    /// Checks that the log's content is still in place.
    fn is_unchanged(&self, bytes: &[u8]) {
        let now = std::fs::read(&self.path).unwrap();
        assert!(
            now.starts_with(bytes),
            "{}: the log was changed",
            self.row.name
        );
        if self.row.then != Torn {
            assert_eq!(
                now.len(),
                bytes.len(),
                "{}: something was written",
                self.row.name
            );
        }
    }

    /// Checks that sending is refused with the damaged ranges until each is accepted.
    fn accept(&self, raw: &mut RawConnection, send: &Value) {
        let name = self.row.name;
        let refused = raw.call("sendMessage", send);
        assert_eq!(code(&refused), "session_failed", "{name}: {refused}");
        let places = &refused["error"]["data"]["details"];
        let places = places["damage"].as_array().or(places["places"].as_array());
        for place in places.unwrap_or_else(|| panic!("{name}: no places: {refused}")) {
            let offset = place["offset"].as_u64().expect("an offset");
            assert!(offset <= self.bytes.len() as u64, "{name}: {place}");
            let accept =
                json!({"sessionId": self.session, "offset": offset, "length": place["length"]});
            let reply = raw.call("acceptDamage", &accept);
            assert!(reply["result"]["seq"].is_u64(), "{name}: {reply}");
        }
    }
}

async fn start_with_model(model: &ModelServer) -> DaemonUnderTest {
    model.fallback(
        ScriptedChat::default()
            .text("Yes.")
            .finish("stop")
            .usage(1, 1),
    );
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_log_is_served_as_far_as_it_goes_and_never_made_worse() {
    let model = ModelServer::start().await.unwrap();
    let mut daemon = start_with_model(&model).await;
    let cases = home(&mut daemon).await;
    daemon.spawn().await;
    let mut raw = RawConnection::connect(&daemon);
    let listed = raw.call("listSessions", &json!({"limit": 1000}));
    assert!(listed["result"]["sessions"].is_array(), "{listed}");
    for case in &cases {
        case.listed(&listed["result"]);
    }
    let mut faults = Vec::new();
    for case in &cases {
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            case.check(&mut RawConnection::connect(&daemon));
        }));
        faults.extend(checked.err().map(|_| case.row.name));
    }
    assert!(faults.is_empty(), "{faults:?}");
    assert!(raw.works());
    // Every session was loaded by now, so its damage is known.
    let listed = raw.call("listSessions", &json!({"limit": 1000}));
    for case in &cases {
        let problem = &case.listed(&listed["result"])["problem"];
        let expected = matches!(case.row.then, Failed | NewerFormat);
        assert_eq!(problem.is_string(), expected, "{}", case.row.name);
    }
    let healthy = cases
        .iter()
        .find(|case| case.row.name == "untouched")
        .unwrap();
    wait_for_turn(&mut raw, healthy.session);
    CheckedLog::read(&healthy.path).unwrap();
}

/// Waits until a session's last turn has ended.
fn wait_for_turn(raw: &mut RawConnection, session: SessionId) {
    loop {
        let reply = raw.call("getSession", &json!({"sessionId": session}));
        if reply["result"]["session"]["turnId"].is_null() {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn derived_files_are_rebuilt_when_they_are_missing_or_damaged() {
    let model = ModelServer::start().await.unwrap();
    let mut daemon = start_with_model(&model).await;
    daemon.spawn().await;
    let (client, session) = new_session(&daemon).await;
    two_turns(&client, session).await;
    daemon.stop().await;
    let log = std::fs::read(daemon.log_path(&session.to_string())).unwrap();
    let dir = daemon.session_dir(&session.to_string());
    let derived = [
        dir.join("checkpoint"),
        daemon.home().join("index"),
        daemon.home().join("active"),
        daemon.home().join("search.db"),
    ];
    let contents: [Option<&[u8]>; 4] = [
        None,
        Some(b""),
        Some(b"\0garbage\n{"),
        Some(b"[{\"logBytes\":1}]"),
    ];
    for content in contents {
        for path in &derived {
            replace(path, content);
        }
        daemon.spawn().await;
        let mut raw = RawConnection::connect(&daemon);
        let listed = raw.call("listSessions", &json!({}));
        assert_eq!(
            listed["result"]["sessions"][0]["sessionId"],
            session.to_string(),
            "{listed}"
        );
        let events = served(&mut raw, session);
        assert_eq!(events.len(), log.split(|byte| *byte == b'\n').count() - 2);
        daemon.stop().await;
        assert_eq!(
            std::fs::read(daemon.log_path(&session.to_string())).unwrap(),
            log
        );
    }
}

fn replace(path: &Path, content: Option<&[u8]>) {
    match content {
        Some(content) => std::fs::write(path, content).unwrap(),
        None => {
            let _none: std::io::Result<()> = std::fs::remove_file(path);
        }
    }
}
