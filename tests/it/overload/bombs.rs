//! Frames that are cheap to send and expensive to parse.

use scorel_testkit::DaemonUnderTest;
use serde_json::{Value, json};

use crate::raw::RawConnection;
use crate::under_test::{SCORELD, new_session};

/// Placeholder for the session id, of the same length.
const SESSION: &str = "ses_00000000000000000000000000";

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// The allowed growth of the daemon's memory for one frame of 8 MiB, in KiB: three times the frame
/// and some slack.
const GROWTH_KIB: u64 = 32 * 1024;

/// A frame and the expected error code.
type Bomb = (&'static str, String, &'static str);

/// A call whose params fill the frame.
fn filled(method: &str, open: &str, item: impl Fn(usize) -> String, close: &str) -> String {
    let mut frame =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{open}");
    for number in 0.. {
        let item = item(number);
        if frame.len() + item.len() + close.len() + 2 > 8 * MIB {
            break;
        }
        frame.push_str(&item);
    }
    frame.truncate(frame.trim_end_matches(',').len());
    frame + close + "}"
}

/// A call whose params repeat one piece.
fn repeated(method: &str, open: &str, piece: &str, close: &str) -> String {
    let many = piece.repeat(KIB / piece.len());
    filled(method, open, |_| many.clone(), close)
}

fn nested(depth: usize) -> String {
    let (open, close) = ("[".repeat(depth), "]".repeat(depth));
    format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getStatus\",\"params\":{open}{close}}}")
}

fn call(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

/// Many or deeply nested values.
fn many_values() -> Vec<Bomb> {
    let status = |open, item, close| repeated("getStatus", open, item, close);
    let key = |number: usize| format!("\"k{number}\":0,");
    let pair = |number: usize| format!("\"{number}\",");
    let said = format!("{{\"sessionId\":\"{SESSION}\",\"content\":[");
    let field = |name: &str| format!("{said}{{\"type\":\"text\",\"text\":\"\",\"{name}\":[");
    let said = |open: &str, item: &str, close: &str| repeated("sendMessage", open, item, close);
    let block = "{\"type\":\"text\",\"text\":\"\"},";
    let blocks = format!("{{\"sessionId\":\"{SESSION}\",\"content\":[");
    let ops = format!("{{\"sessionId\":\"{SESSION}\",\"expectedVersion\":0,\"ops\":[");
    let ops = repeated("rewriteQueue", &ops, "{\"op\":\"resume\"},", "]}");
    let mut batch = "[0".to_owned() + &",0".repeat(4 * MIB - 10);
    batch.push(']');
    let invalid = "invalid_params";
    vec![
        ("zeros", status("[", "0,", "]"), invalid),
        ("empty arrays", status("[", "[],", "]"), invalid),
        ("arrays of arrays", status("[", "[[]],", "]"), invalid),
        ("strings", filled("getStatus", "[", pair, "]"), invalid),
        ("keys", filled("getStatus", "{", key, "}"), invalid),
        ("the same key", status("{", "\"a\":0,", "}"), invalid),
        ("a long number", status("[", "9", "]"), invalid),
        (
            "zeros in a field",
            said(&field("provider"), "0,", "]}]}"),
            invalid,
        ),
        (
            "zeros for nothing",
            said(&field("more"), "0,", "]}]}"),
            invalid,
        ),
        (
            "objects in a field",
            said(&field("provider"), "{},", "]}]}"),
            invalid,
        ),
        ("blocks", said(&blocks, block, "]}"), invalid),
        ("operations", ops, invalid),
        ("a batch of zeros", batch, "invalid_request"),
        (
            "a batch of objects",
            format!("[{{}}{}]", ",{}".repeat(8 * MIB / 3 - 10)),
            "invalid_request",
        ),
        ("B-24: depth 65", nested(65), "parse_error"),
        ("B-24: depth 129", nested(129), "parse_error"),
        ("B-24: depth 100,000", nested(100_000), "parse_error"),
        ("B-24: depth 4,000,000", nested(4_000_000), "parse_error"),
    ]
}

/// The params of a session call, up to the bomb.
fn of_session(rest: &str) -> String {
    format!("{{\"sessionId\":\"{SESSION}\",{rest}")
}

/// Long texts in messages.
fn said_texts() -> Vec<Bomb> {
    let said = |content: &str, piece: &str, end: &str| {
        let open = of_session(&format!("\"content\":{content}"));
        repeated("sendMessage", &open, piece, end)
    };
    let block = "[{\"type\":\"text\",\"text\":\"\\n";
    let positions = format!("[\"{SESSION}\",\"");
    let positions = repeated("sendMessage", &positions, "x", "\"]");
    let large = "payload_too_large";
    vec![
        ("a text", said("\"", "x", "\"}"), large),
        ("a text by position", positions, large),
        ("a text with an escape", said("\"\\n", "x", "\"}"), large),
        ("a block with an escape", said(block, "x", "\"}]}"), large),
    ]
}

/// Long strings where a string is expected.
fn long_texts() -> Vec<Bomb> {
    let escapes = repeated(
        "sendMessage",
        &of_session("\"content\":\""),
        "\\u0000",
        "\"}",
    );
    let blob = repeated("putBlob", &of_session("\"data\":\""), "AAAA", "\"}");
    let path = repeated("registerProject", "{\"workDir\":\"/", "\\u0001", "\"}");
    vec![
        ("escapes", escapes, "payload_too_large"),
        ("a blob", blob, "payload_too_large"),
        ("a path", path, "filesystem_error"),
    ]
}

/// Long strings where none is expected. An error that quoted them would need six bytes for each.
fn misplaced_texts() -> Vec<Bomb> {
    let field = |method: &str, name: &str, piece: &str| {
        let open = of_session(&format!("\"{name}\":\""));
        repeated(method, &open, piece, "\"}")
    };
    let wide = field("getEvents", "limit", "\u{200b}");
    let block = of_session("\"content\":[{\"type\":\"");
    let block = repeated("sendMessage", &block, "\u{7f}", "\"}]}");
    let number = of_session("\"content\":[{\"type\":\"image\",\"mediaType\":1,\"blob\":\"");
    let number = repeated("sendMessage", &number, "\u{7f}", "\"}]}");
    let id = repeated("getSession", "{\"sessionId\":\"", "\u{7f}", "\"}");
    let name = repeated("getStatus", "{\"", "\u{7f}", "\":0}");
    let float = call("getEvents", &json!({"sessionId": SESSION, "limit": 0}));
    let float = float.replace("\"limit\":0", "\"limit\":1e400");
    let invalid = "invalid_params";
    vec![
        ("no blob", field("putBlob", "data", "\u{7f}"), invalid),
        ("no limit", field("getEvents", "limit", "\u{7f}"), invalid),
        ("no limit in wide characters", wide, invalid),
        (
            "no choice",
            field("sendMessage", "whileRunning", "\u{7f}"),
            invalid,
        ),
        ("no block", block, invalid),
        ("no media type", number, invalid),
        ("no id", id, invalid),
        ("no field", name, "parse_error"),
        ("a number beyond all floats", float, invalid),
    ]
}

/// The envelope around the params.
fn envelopes() -> Vec<Bomb> {
    let long = "\u{7f}".repeat(8 * MIB - 200);
    let of = |members: &str| format!("{{\"jsonrpc\":\"2.0\",{members}}}");
    let mut members = "\"id\":1,\"method\":\"getStatus\"".to_owned();
    for number in 0.. {
        if members.len() > 8 * MIB - 100 {
            break;
        }
        members.push_str(&format!(",\"{number:x}\":0"));
    }
    let invalid = "invalid_request";
    vec![
        ("members", of(&members), invalid),
        (
            "a version",
            format!("{{\"jsonrpc\":\"\\n{long}\"}}"),
            invalid,
        ),
        (
            "an id",
            of(&format!("\"method\":\"getStatus\",\"id\":\"\\n{long}\"")),
            invalid,
        ),
        (
            "a method",
            of(&format!("\"id\":1,\"method\":\"\\n{long}\"")),
            "method_not_found",
        ),
        ("a text", format!("[\"{long}\"]"), invalid),
        ("no JSON", format!("{{\"{long}"), "parse_error"),
    ]
}

/// Sends a frame to a fresh daemon, since memory that one frame left behind would hide what the
/// next one needs. Returns the growth of the daemon's memory in KiB.
async fn cost((name, frame, code): &Bomb) -> u64 {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (_client, session) = new_session(&daemon).await;
    let frame = frame.replacen(SESSION, &session.to_string(), 1);
    assert!(frame.len() <= 8 * MIB, "{name}");
    let mut raw = RawConnection::connect(&daemon);
    assert!(raw.works());
    daemon.reset_peak();
    let before = daemon.resident_kib();
    assert!(raw.write(frame.as_bytes()) && raw.write(b"\n"), "{name}");
    let reply = raw.reply().expect("an answer");
    let grown = daemon.peak_kib().saturating_sub(before);
    println!("{name}: {} bytes, {grown} KiB more memory", frame.len());
    let reply = if reply.is_array() { &reply[0] } else { &reply };
    assert_eq!(
        &reply["error"]["data"]["code"], code,
        "{name}: {reply:.200}"
    );
    assert!(raw.works(), "{name}: the connection goes on");
    grown
}

/// The frames that exceed a limit.
async fn above(limit: u64, bombs: Vec<Bomb>) -> Vec<(&'static str, u64)> {
    let mut above = Vec::new();
    for bomb in &bombs {
        let grown = cost(bomb).await;
        if grown > limit {
            above.push((bomb.0, grown));
        }
    }
    above
}

#[tokio::test(flavor = "multi_thread")]
async fn many_values_cost_no_more_memory_than_their_frame_allows() {
    assert_eq!(above(GROWTH_KIB, many_values()).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn long_texts_cost_no_more_memory_than_their_frame_allows() {
    assert_eq!(above(GROWTH_KIB, long_texts()).await, []);
    assert_eq!(above(GROWTH_KIB, misplaced_texts()).await, []);
    assert_eq!(above(GROWTH_KIB, said_texts()).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn envelopes_cost_no_more_memory_than_their_frame_allows() {
    assert_eq!(above(GROWTH_KIB, envelopes()).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_of_the_limit_is_read_and_one_byte_more_is_not() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let frame = |len: usize| {
        let frame = call("getStatus", &json!({})).replace("{}", "{   }");
        let padding = " ".repeat(len - frame.len());
        frame.replace("{   }", &format!("{{   {padding}}}"))
    };
    let mut raw = RawConnection::connect(&daemon);
    raw.write(frame(8 * MIB).as_bytes());
    raw.write(b"\n");
    assert!(raw.reply().unwrap()["result"].is_object(), "B-04");
    daemon.reset_peak();
    let before = daemon.resident_kib();
    // The reply is not read to its end.
    let more = frame(8 * MIB + 1) + "\n" + &"x".repeat(32 * MIB);
    raw.write(more.as_bytes());
    let reply = raw.reply().expect("an answer before the end");
    assert_eq!(
        reply["error"]["data"]["code"], "payload_too_large",
        "B-04, B-05"
    );
    assert_eq!(raw.read(), None, "and the connection is closed");
    let grown = daemon.peak_kib().saturating_sub(before);
    assert!(grown <= GROWTH_KIB, "{grown} KiB");
}
