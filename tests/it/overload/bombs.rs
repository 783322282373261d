//! Frames that are cheap to send and dear to read.

use scorel_testkit::DaemonUnderTest;
use serde_json::{Value, json};

use crate::raw::Raw;
use crate::under_test::{SCORELD, new_session};

const MIB: usize = 1024 * 1024;

/// How much the daemon's memory may grow for one frame of 8 MiB, in KiB.
const GROWTH_KIB: u64 = 96 * 1024;

/// A call of `getStatus` with params that fill a frame.
fn filled(open: &str, item: impl Fn(usize) -> String, close: &str) -> String {
    let mut frame =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getStatus\",\"params\":{open}");
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

fn nested(depth: usize) -> String {
    let (open, close) = ("[".repeat(depth), "]".repeat(depth));
    format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getStatus\",\"params\":{open}{close}}}")
}

fn call(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_frame_costs_more_memory_than_its_size_allows() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (_client, session) = new_session(&daemon).await;
    let nul = "\\u0000".repeat(8 * MIB / 6 - 40);
    let said = format!("\"sessionId\":\"{session}\",\"content\":\"{nul}\"");
    let said = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sendMessage\",\"params\":{{{said}}}}}"
    );
    let mut batch = "[0".to_owned() + &",0".repeat(4 * MIB - 10);
    batch.push(']');
    let key = |number: usize| format!("\"k{number}\":0,");
    let pair = |number: usize| format!("\"{number}\",");
    let cases = [
        (
            "zeros",
            filled("[", |_| "0,".to_owned(), "]"),
            "invalid_params",
        ),
        (
            "empty arrays",
            filled("[", |_| "[],".to_owned(), "]"),
            "invalid_params",
        ),
        (
            "arrays of arrays",
            filled("[", |_| "[[]],".to_owned(), "]"),
            "invalid_params",
        ),
        ("strings", filled("[", pair, "]"), "invalid_params"),
        ("keys", filled("{", key, "}"), "invalid_params"),
        (
            "a long number",
            filled("[", |_| "9".to_owned(), "]"),
            "invalid_params",
        ),
        ("a batch of zeros", batch, "invalid_request"),
        ("depth 65", nested(65), "parse_error"),
        ("depth 129", nested(129), "parse_error"),
        ("depth 100,000", nested(100_000), "parse_error"),
        ("depth 4,000,000", nested(4_000_000), "parse_error"),
        ("escapes", said, "payload_too_large"),
        (
            "a number beyond all floats",
            call("getEvents", &json!({"sessionId": session, "limit": 0}))
                .replace("\"limit\":0", "\"limit\":1e400"),
            "invalid_params",
        ),
    ];
    for (name, frame, code) in cases {
        let mut raw = Raw::connect(&daemon);
        assert!(raw.works());
        daemon.forget_peak();
        let before = daemon.resident_kib();
        assert!(raw.write(frame.as_bytes()) && raw.write(b"\n"), "{name}");
        let reply = raw.reply().expect("an answer");
        let grown = daemon.peak_kib().saturating_sub(before);
        println!("{name}: {} bytes, {grown} KiB more memory", frame.len());
        assert_eq!(reply["error"]["data"]["code"], code, "{name}: {reply}");
        assert!(grown <= GROWTH_KIB, "{name}: {grown} KiB");
        assert!(raw.works(), "{name}: the connection goes on");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_of_the_limit_is_read_and_one_byte_more_is_not() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let frame = |len: usize| {
        let frame = call("getStatus", &json!({})).replace("{}", "{   }");
        let padding = " ".repeat(len - frame.len());
        frame.replace("{   }", &format!("{{   {padding}}}"))
    };
    let mut raw = Raw::connect(&daemon);
    raw.write(frame(8 * MIB).as_bytes());
    raw.write(b"\n");
    assert!(raw.reply().unwrap()["result"].is_object());
    daemon.forget_peak();
    let before = daemon.resident_kib();
    // Nobody reads the whole of it.
    let more = frame(8 * MIB + 1) + "\n" + &"x".repeat(32 * MIB);
    raw.write(more.as_bytes());
    let reply = raw.reply().expect("an answer before the end");
    assert_eq!(reply["error"]["data"]["code"], "payload_too_large");
    assert_eq!(raw.read(), None, "and the connection is closed");
    let grown = daemon.peak_kib().saturating_sub(before);
    assert!(grown <= GROWTH_KIB, "{grown} KiB");
}
