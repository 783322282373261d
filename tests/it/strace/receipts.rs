//! The order lint of `receipts.jsonl`: a receipt is synced before its effect, and what created
//! something is known to be done before that is deleted.

use scorel_testkit::{DaemonUnderTest, Strace, Trace, TracedCall};
use serde_json::{Value, json};

use super::strace_works;
use crate::raw::RawConnection;
use crate::under_test::SCORELD;

const CLIENT: &str = "cli_01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// A line of `receipts.jsonl` in the trace.
struct WrittenReceipt {
    line: Value,
    /// The position at which its write had returned.
    at: usize,
    /// The position at which a sync that began after the write had returned.
    durable: Option<usize>,
}

/// What a run has made and deleted.
struct Made {
    project: String,
    /// Made and deleted by commands with receipts.
    receipted: String,
    /// Made with a receipt and deleted without one.
    deleted_without: String,
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_is_synced_before_its_effect_and_before_what_it_made_is_deleted() {
    if !strace_works() {
        return;
    }
    let (trace, made) = traced_run().await;
    let receipts = receipts(&trace);
    let sessions = [&made.receipted, &made.deleted_without];
    let registered = first(&trace, |call| {
        call.name.starts_with("rename") && call.arguments.contains("/projects.json\"")
    });
    check(&receipts, &made.project, registered, &["begun"]);
    for id in sessions {
        let log = format!("/sessions/{id}");
        let is_made = |call: &TracedCall| {
            (call.name.starts_with("mkdir") || call.name.starts_with("rename"))
                && call.arguments.contains(&log)
        };
        check(&receipts, id, first(&trace, is_made), &["begun"]);
        let from = format!("{log}\", ");
        let is_deleted =
            |call: &TracedCall| call.name.starts_with("rename") && call.arguments.contains(&from);
        let deleted = first(&trace, is_deleted);
        let with_receipt = *id == made.receipted;
        let states: &[&str] = match with_receipt {
            true => &["begun", "done", "begun"],
            false => &["begun", "done"],
        };
        check(&receipts, id, deleted, states);
    }
}

/// Checks that the lines about `id` before an effect on it have these states, and that all of them
/// were synced before the effect began.
fn check(receipts: &[WrittenReceipt], id: &str, effect: usize, states: &[&str]) {
    let about: Vec<&WrittenReceipt> = receipts
        .iter()
        .filter(|receipt| receipt.at < effect && names(&receipt.line, id))
        .collect();
    let found: Vec<&Value> = about.iter().map(|receipt| &receipt.line["state"]).collect();
    assert_eq!(found, states, "{id}");
    for receipt in about {
        let early = receipt.durable.is_some_and(|durable| durable < effect);
        assert!(early, "not synced before its effect: {}", receipt.line);
    }
}

/// Whether a line is about an object: the one that its command made or deleted.
fn names(line: &Value, id: &str) -> bool {
    let is_project = line["sessionId"].is_null() && line["projectId"] == id;
    line["sessionId"] == id || is_project
}

/// The position at which the first call of a kind began.
fn first(trace: &Trace, is_wanted: impl Fn(&TracedCall) -> bool) -> usize {
    let mut calls = trace.calls().iter();
    let call = calls.find(|call| call.succeeded() && is_wanted(call));
    call.expect("the effect is in the trace").began
}

fn receipts(trace: &Trace) -> Vec<WrittenReceipt> {
    let mut written: Vec<WrittenReceipt> = Vec::new();
    for call in trace.calls().iter().filter(|call| call.succeeded()) {
        let is_ours = |path: &str| path.ends_with("/receipts.jsonl");
        if !call.target().is_some_and(is_ours) {
            continue;
        }
        if call.name == "write" {
            written.push(WrittenReceipt {
                line: serde_json::from_slice(&call.bytes()).expect("a receipt is one write"),
                at: call.ended,
                durable: None,
            });
        } else if call.name == "fdatasync" {
            let covered = |receipt: &&mut WrittenReceipt| receipt.at < call.began;
            for receipt in written.iter_mut().filter(covered) {
                receipt.durable.get_or_insert(call.ended);
            }
        }
    }
    written
}

async fn traced_run() -> (Trace, Made) {
    let mut daemon = DaemonUnderTest::new(SCORELD);
    let strace = Strace::new(daemon.root(), &[]);
    daemon.run_under(strace.command());
    daemon.spawn().await;
    let mut raw = RawConnection::connect(&daemon);
    let mut call = |method: &str, params: Value| {
        let reply = raw.call(method, &params);
        assert!(reply["result"].is_object(), "{method}: {reply}");
        reply["result"].clone()
    };
    call(
        "hello",
        json!({"clientId": CLIENT, "protocol": {"min": 1, "max": 1}}),
    );
    let register = json!({"workDir": daemon.project(), "commandId": "register"});
    let project = call("registerProject", register)["project"]["projectId"].clone();
    let mut create = |command: &str| {
        let create = json!({"projectId": project, "commandId": command});
        call("createSession", create)["sessionId"].clone()
    };
    let (receipted, deleted_without) = (create("create-a"), create("create-b"));
    // In this order: a receipt of the other deletion would sync for this one.
    call("deleteSession", json!({"sessionId": deleted_without}));
    call(
        "deleteSession",
        json!({"sessionId": receipted, "commandId": "delete-a"}),
    );
    daemon.stop().await;
    let text = |value: &Value| value.as_str().expect("an id").to_owned();
    let made = Made {
        project: text(&project),
        receipted: text(&receipted),
        deleted_without: text(&deleted_without),
    };
    (strace.finish(), made)
}
