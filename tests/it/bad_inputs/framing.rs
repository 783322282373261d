//! Bytes that are not frames.

use std::fs;
use std::os::fd::AsRawFd as _;

use scorel_testkit::{DaemonUnderTest, send_descriptors};
use serde_json::Value;

use crate::raw::RawConnection;
use crate::under_test::{SCORELD, indexed};

/// The expected outcome.
#[derive(Debug, Clone, Copy)]
enum FramingOutcome {
    /// This error, and the connection stays open.
    Refused(&'static str),
    /// This error, and the connection is closed.
    RefusedAndClosed(&'static str),
    /// No reply, and the connection stays open.
    Nothing,
}

use FramingOutcome::{Nothing, Refused, RefusedAndClosed};

const CALL: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getStatus\"}\n";

fn code(reply: &Value) -> &str {
    reply["error"]["data"]["code"]
        .as_str()
        .unwrap_or("no error")
}

/// Sends a row after `first` and checks the outcome, for this connection and for others.
fn check(
    daemon: &DaemonUnderTest,
    others: &mut RawConnection,
    first: &str,
    row: (&str, &[u8], FramingOutcome),
) {
    let (name, bytes, then) = row;
    let mut raw = RawConnection::connect(daemon);
    raw.write(first.as_bytes());
    if !first.is_empty() {
        assert!(raw.reply().unwrap()["result"].is_object(), "{name}");
    }
    raw.write(bytes);
    match then {
        Nothing => assert!(raw.works(), "{name}"),
        Refused(expected) => {
            let reply = raw.reply().unwrap_or_else(|| panic!("{name}: closed"));
            assert_eq!(code(&reply), expected, "{name}: {reply}");
            assert!(raw.works(), "{name}: the connection goes on");
        }
        RefusedAndClosed(expected) => {
            let reply = raw
                .reply()
                .unwrap_or_else(|| panic!("{name}: closed without a word"));
            assert_eq!(code(&reply), expected, "{name}: {reply}");
            assert!(reply["id"].is_null(), "{name}: {reply}");
            assert_eq!(raw.reply(), None, "{name}: the connection ends");
        }
    }
    assert!(others.works(), "{name}: others are not touched");
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_no_frames_end_at_most_their_own_connection() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let mut others = RawConnection::connect(&daemon);
    let empty_lines = "\r\n\n".repeat(5_000);
    let rows: [(&str, &[u8], FramingOutcome); 14] = [
        ("B-06: empty lines", b"\n\r\n\n", Nothing),
        ("B-06: 10,000 empty lines", empty_lines.as_bytes(), Nothing),
        (
            "B-07: a byte that UTF-8 does not have",
            b"{\"a\":\"\xff\"}\n",
            RefusedAndClosed("parse_error"),
        ),
        (
            "B-07: an overlong form",
            b"{\"a\":\"\xc0\xaf\"}\n",
            RefusedAndClosed("parse_error"),
        ),
        (
            "B-07: a lone continuation",
            b"{\"a\":\"\x80\"}\n",
            RefusedAndClosed("parse_error"),
        ),
        (
            "B-07: a surrogate in UTF-8",
            b"{\"a\":\"\xed\xa0\x80\"}\n",
            RefusedAndClosed("parse_error"),
        ),
        ("B-08: a NUL", b"{\"a\":\0}\n", Refused("parse_error")),
        (
            "B-08: a NUL in a string",
            b"{\"a\":\"\0\"}\n",
            Refused("parse_error"),
        ),
        (
            "B-08: a NUL behind a call",
            b"{\"jsonrpc\":\"2.0\",\"method\":\"getStatus\"}\0\n",
            Refused("parse_error"),
        ),
        (
            "B-08: a byte order mark",
            b"\xef\xbb\xbf{}\n",
            Refused("parse_error"),
        ),
        ("two texts on a line", b"{} {}\n", Refused("parse_error")),
        ("half a text", b"{\"jsonrpc\":\n", Refused("parse_error")),
        (
            "a control character in a string",
            b"{\"a\":\"\x01\"}\n",
            Refused("parse_error"),
        ),
        ("only blanks", b"  \t \n", Nothing),
    ];
    for row in rows {
        check(&daemon, &mut others, CALL, row);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_first_byte_or_header_ends_the_connection() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let mut others = RawConnection::connect(&daemon);
    let rows: [(&str, &[u8], FramingOutcome); 9] = [
        (
            "B-08: a byte order mark first",
            b"\xef\xbb\xbf{}\n",
            RefusedAndClosed("parse_error"),
        ),
        (
            "HTTP, other than `GET`",
            b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            RefusedAndClosed("parse_error"),
        ),
        (
            "TLS",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            RefusedAndClosed("parse_error"),
        ),
        (
            "SSH",
            b"SSH-2.0-OpenSSH_9.6\r\n",
            RefusedAndClosed("parse_error"),
        ),
        ("a NUL first", b"\0\0\0\0", RefusedAndClosed("parse_error")),
        (
            "a string first",
            b"\"x\"\n",
            RefusedAndClosed("parse_error"),
        ),
        (
            "a header without a length",
            b"Content-Type: x\r\n\r\n{}",
            RefusedAndClosed("parse_error"),
        ),
        (
            "a length that is no number",
            b"Content-Length: many\r\n\r\n{}",
            RefusedAndClosed("parse_error"),
        ),
        (
            "a negative length",
            b"Content-Length: -1\r\n\r\n{}",
            RefusedAndClosed("parse_error"),
        ),
    ];
    for (name, bytes, then) in rows {
        let mut raw = RawConnection::connect(&daemon);
        raw.write(bytes);
        let told = raw.read_to_end();
        let told = String::from_utf8(told).unwrap();
        let json = told.find('{').map(|at| &told[at..]).unwrap_or_default();
        let reply: Value =
            serde_json::from_str(json).unwrap_or_else(|_| panic!("{name}: {told:?}"));
        let RefusedAndClosed(expected) = then else {
            panic!("{name}")
        };
        assert_eq!(code(&reply), expected, "{name}: {reply}");
        assert!(others.works(), "{name}: others are not touched");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_that_announces_too_much_is_refused_before_it_is_read() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    // What a daemon takes for its index and for its first refusal is not measured.
    indexed(&daemon).await;
    let mut raw = RawConnection::connect(&daemon);
    raw.write(b"Content-Length: 8388609\r\n\r\n{");
    raw.read_to_end();
    for length in [
        "8388609",
        "4294967296",
        "18446744073709551616",
        "99999999999999999999999",
    ] {
        let mut raw = RawConnection::connect(&daemon);
        daemon.reset_peak();
        let before = daemon.resident_kib();
        raw.write(format!("Content-Length: {length}\r\n\r\n{{").as_bytes());
        let told = String::from_utf8(raw.read_to_end()).unwrap();
        assert!(
            told.contains("payload_too_large") || told.contains("parse_error"),
            "{length}: {told}"
        );
        let grown = daemon.peak_kib().saturating_sub(before);
        assert!(grown < 4096, "{length}: {grown} KiB");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_frame_and_then_the_end_is_dropped_silently() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let mut raw = RawConnection::connect(&daemon);
    raw.write(CALL.as_bytes());
    raw.write(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"shut");
    raw.stream().shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(raw.reply().unwrap()["id"], 1, "what was whole is answered");
    assert_eq!(raw.read(), None, "B-02");
    assert!(RawConnection::connect(&daemon).works());
}

#[tokio::test(flavor = "multi_thread")]
async fn descriptors_that_come_with_bytes_are_not_kept() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let mut raw = RawConnection::connect(&daemon);
    for _ in 0..1_000 {
        send_descriptors(raw.stream(), CALL.as_bytes(), 8).unwrap();
        assert!(raw.reply().unwrap()["result"].is_object(), "B-16");
    }
    // The client's end of the connection was sent, which the daemon has from nowhere else.
    let sent = fs::read_link(format!("/proc/self/fd/{}", raw.stream().as_raw_fd())).unwrap();
    let open = daemon.open_files();
    assert!(!open.contains(&sent), "{sent:?} in {open:?}");
}

/// Texts that look like JSON but are not, from parser test corpora.
#[tokio::test(flavor = "multi_thread")]
async fn invalid_json_is_refused_as_such() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let mut raw = RawConnection::connect(&daemon);
    raw.write(CALL.as_bytes());
    raw.reply();
    for text in [
        "[1,]",
        "[1 2]",
        "[,1]",
        "[1,,2]",
        "[",
        "]",
        "{",
        "}",
        "[}",
        "{]",
        "[1}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\" 1}",
        "{\"a\"::1}",
        "{'a':1}",
        "{a:1}",
        "{1:1}",
        "{\"a\":1,}",
        "{\"a\":1,,}",
        "{,}",
        "{\"a\":1 \"b\":2}",
        "[NaN]",
        "[Infinity]",
        "[-Infinity]",
        "[-]",
        "[+1]",
        "[01]",
        "[-01]",
        "[1.]",
        "[.1]",
        "[1e]",
        "[1e+]",
        "[0x1]",
        "[1_000]",
        "[\"\\x\"]",
        "[\"\\u12\"]",
        "[\"\\u{1}\"]",
        "[\"a]",
        "[\"\\\"]",
        "[\"a\\\"]",
        "['a']",
        "[tru]",
        "[True]",
        "[nul]",
        "[undefined]",
        "[//\n1]",
        "[/**/]",
        "{} //",
        "[1]]",
        "{\"a\":1}}",
        "[\u{a0}]",
        "[1]\u{2028}",
        "{\"\\ud800\"",
        "\u{feff}[]",
    ] {
        let lines: Vec<&str> = text.split('\n').collect();
        raw.write(format!("{text}\n").as_bytes());
        for line in lines {
            let reply = raw
                .reply()
                .unwrap_or_else(|| panic!("B-13: {line:?} closes the connection"));
            assert_eq!(code(&reply), "parse_error", "B-13: {line:?}: {reply}");
        }
    }
    assert!(raw.works());
}
