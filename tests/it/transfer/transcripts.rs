//! Hand-made transcripts of several versions of other tools: every line counts once, and a turn goes on from
//! each.

use std::fs;

use scorel_proto::SessionId;
use serde_json::{Value, json};

use super::claude::claude_cases;
use super::codex::codex_cases;
use super::{import, refusal, with_project};
use crate::raw::RawConnection;
use crate::under_test::{Watch, connect, send};

/// A transcript, and what its import is to say.
pub(super) struct TranscriptCase {
    pub(super) name: &'static str,
    pub(super) lines: Vec<String>,
    /// Appended without a line break.
    pub(super) torn: &'static str,
    /// Fields of the report.
    pub(super) report: Value,
    /// Texts that the next request to the model has, in this order.
    pub(super) told: Vec<&'static str>,
    /// Texts that it does not have.
    pub(super) untold: Vec<&'static str>,
}

impl TranscriptCase {
    pub(super) fn new(name: &'static str, lines: &[Value], report: Value) -> Self {
        Self {
            name,
            lines: lines.iter().map(Value::to_string).collect(),
            torn: "",
            report,
            told: Vec::new(),
            untold: Vec::new(),
        }
    }

    pub(super) fn told(mut self, texts: &[&'static str]) -> Self {
        self.told = texts.to_vec();
        self
    }

    pub(super) fn untold(mut self, texts: &[&'static str]) -> Self {
        self.untold = texts.to_vec();
        self
    }

    pub(super) fn torn(mut self, text: &'static str) -> Self {
        self.torn = text;
        self
    }

    fn text(&self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text + self.torn
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_line_counts_once_and_a_turn_goes_on() {
    let (daemon, model, project) = with_project().await;
    let client = connect(&daemon.socket()).await;
    let mut raw = RawConnection::connect(&daemon);
    let mut cases = claude_cases();
    cases.extend(codex_cases());
    assert!(cases.len() >= 30, "{} cases", cases.len());
    for case in cases {
        let name = case.name;
        let path = daemon.root().join(format!("{name}.jsonl"));
        fs::write(&path, case.text()).unwrap();
        let reply = import(&mut raw, &project, &path);
        let report = &reply["result"]["report"];
        let number = |field: &str| report[field].as_u64().unwrap_or(0);
        let counted = ["imported", "sidechains", "branches", "skipped", "unknown"];
        let torn = u64::from(report["torn"] == json!(true));
        let sum = counted.map(number).iter().sum::<u64>() + torn;
        assert_eq!(number("lines"), sum, "{name}: {reply}");
        for (field, expected) in case.report.as_object().unwrap() {
            assert_eq!(report[field], *expected, "{name}, {field}: {reply}");
        }
        let session: SessionId = reply["result"]["sessionId"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        let again = import(&mut raw, &project, &path);
        assert_eq!(
            again["result"]["sessionId"],
            json!(session),
            "{name}: {again}"
        );
        assert_eq!(again["result"]["report"], *report, "{name}");

        let mut watch = Watch::from_start(&client, session).await;
        // The outcomes of the transcript come first.
        watch.until("sync_end").await;
        send(&client, session, "and now?").await;
        let end = watch.until("turn_outcome").await.pop().unwrap();
        assert_eq!(end["reason"], "completed", "{name}: {end}");
        let request = model.requests().pop().unwrap().body;
        let request = String::from_utf8(request).unwrap();
        let mut from = 0;
        for text in &case.told {
            let found = request[from..].find(text);
            let at = found.unwrap_or_else(|| panic!("{name}: no {text} in {request}"));
            from += at + text.len();
        }
        for text in &case.untold {
            assert!(!request.contains(text), "{name}: {text} in {request}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_transcript_is_refused_and_changes_nothing() {
    let (daemon, _model, project) = with_project().await;
    let mut raw = RawConnection::connect(&daemon);
    let path = daemon.root().join("file");
    let long = format!(
        "{{\"type\":\"user\",\"uuid\":\"1\",\"message\":{{}}}}\n{}",
        "x".repeat(65 << 20)
    );
    for (content, expected) in [
        ("", ("invalid_params", "unknown_format")),
        ("SECRET=1\n", ("invalid_params", "unknown_format")),
        (
            "{\"type\":\"session_meta\",\"timestamp\":\"x\",\"payload\":{}}\n",
            ("invalid_params", "empty"),
        ),
        (
            "{\"type\":\"last-prompt\",\"sessionId\":\"1\"}\n",
            ("invalid_params", "empty"),
        ),
        ("\u{1f}\u{fffd}", ("invalid_params", "unknown_format")),
        (long.as_str(), ("payload_too_large", "")),
    ] {
        fs::write(&path, content).unwrap();
        let (code, kind) = refusal(&import(&mut raw, &project, &path));
        assert_eq!((code.as_str(), kind.as_str()), expected);
    }
    let missing = import(&mut raw, &project, &daemon.root().join("missing"));
    assert_eq!(refusal(&missing).0, "filesystem_error", "{missing}");
    let directory = import(&mut raw, &project, daemon.root());
    assert_eq!(refusal(&directory).0, "filesystem_error", "{directory}");
    let relative = raw.call(
        "importSession",
        &json!({"projectId": project, "path": "file"}),
    );
    assert_eq!(refusal(&relative).1, "not_absolute", "{relative}");
    let listed = raw.call("listSessions", &json!({}));
    assert_eq!(listed["result"]["sessions"], json!([]));
    let left = daemon.home().join("sessions/.cloning");
    assert!(fs::read_dir(left).map_or(0, Iterator::count) == 0);
}
