//! JSON that is not a request, and requests with invalid content.

use scorel_testkit::DaemonUnderTest;
use serde_json::{Value, json};

use crate::raw::RawConnection;
use crate::under_test::{SCORELD, Watch, new_session, send};

const UNKNOWN: &str = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV";

fn code(reply: &Value) -> &str {
    reply["error"]["data"]["code"]
        .as_str()
        .unwrap_or("no error")
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_requests_are_refused_and_the_connection_goes_on() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let mut raw = RawConnection::connect(&daemon);
    assert!(raw.works());
    let with_id =
        |id: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"getStatus\"}}");
    let long_id = with_id(&format!("\"{}\"", "x".repeat(10_240)));
    let batch = |count: usize| format!("[{}]", vec![with_id("1"); count].join(","));
    let rows = [
        ("B-17: a number", "1".to_owned()),
        ("B-17: a string", "\"x\"".to_owned()),
        ("B-17: null", "null".to_owned()),
        ("B-17: an empty array", "[]".to_owned()),
        ("B-17: an empty object", "{}".to_owned()),
        (
            "B-18: no version",
            "{\"id\":1,\"method\":\"getStatus\"}".to_owned(),
        ),
        ("B-18: another version", with_id("1").replace("2.0", "1.0")),
        (
            "B-18: a version that is a number",
            with_id("1").replace("\"2.0\"", "2.0"),
        ),
        ("B-19: an object as id", with_id("{}")),
        ("B-19: an array as id", with_id("[]")),
        ("B-19: a truth value as id", with_id("true")),
        ("B-19: a fraction as id", with_id("1.5")),
        ("B-19: an id of 2^53", with_id("9007199254740992")),
        ("B-19: an id of 2^64", with_id("18446744073709551616")),
        ("B-19: an id beyond all floats", with_id("1e400")),
        ("B-19: an id of 10 KiB", long_id),
        ("B-20: an id twice", with_id("1,\"id\":2")),
        ("B-20: a method twice", with_id("1,\"method\":\"shutdown\"")),
        (
            "B-20: a method twice, once escaped",
            with_id("1,\"me\\u0074hod\":\"shutdown\""),
        ),
        (
            "B-20: params twice",
            with_id("1,\"params\":[],\"params\":{}"),
        ),
        (
            "a method that is a number",
            with_id("1").replace("\"getStatus\"", "1"),
        ),
        ("B-26: 51 calls in a batch", batch(51)),
        ("B-26: 100,000 calls in a batch", batch(100_000)),
    ];
    for (name, text) in rows {
        raw.write(format!("{text}\n").as_bytes());
        let reply = raw.reply().unwrap_or_else(|| panic!("{name}: closed"));
        assert_eq!(code(&reply), "invalid_request", "{name}: {reply}");
        assert!(raw.works(), "{name}");
    }
    raw.write(b"[[{}]]\n");
    let replies = raw.reply().unwrap();
    assert_eq!(
        code(&replies[0]),
        "invalid_request",
        "B-26: a batch in a batch: {replies}"
    );
    raw.write(batch(50).as_bytes());
    raw.write(b"\n");
    let answered = raw.reply().unwrap().as_array().map(Vec::len);
    // Fifty calls with the same id, some of them in flight at once (B-21).
    assert_eq!(answered, Some(50));
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_are_almost_a_method_are_none() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let mut raw = RawConnection::connect(&daemon);
    for name in [
        "",
        "getstatus",
        "GETSTATUS",
        "getStatus ",
        " getStatus",
        "getStatus\0",
        "getStatus\n",
        "getStatu",
        "getStatuss",
        "scorel.getStatus",
        "scorel_getStatus",
        "rpc.",
        "g\u{435}tStatus",
        "getStatus()",
    ] {
        let reply = raw.call(name, &json!({}));
        assert_eq!(code(&reply), "method_not_found", "B-22: {name:?}: {reply}");
    }
    let long = raw.call(&"x".repeat(1 << 20), &json!({}));
    assert_eq!(code(&long), "method_not_found", "B-22");
    assert!(
        long.to_string().len() < 4096,
        "a long name is not sent back whole"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn params_that_do_not_fit_say_where() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (_client, id) = new_session(&daemon).await;
    let mut raw = RawConnection::connect(&daemon);
    for (params, field) in [
        (json!({"sessionId": id, "limit": "5"}), Some("limit")),
        (json!({"sessionId": id, "limit": {}}), Some("limit")),
        (json!({"sessionId": 5}), Some("sessionId")),
        (json!({"sessionId": null}), Some("sessionId")),
        (json!({"limit": 5}), None),
        (json!({"sessionId": id, "Limit": 5}), Some("Limit")),
        (json!([id, 1, 2, 3, 4]), None),
        (json!("x"), None),
        (json!(1), None),
    ] {
        let reply = raw.call("getEvents", &params);
        assert_eq!(code(&reply), "invalid_params", "B-23: {params}: {reply}");
        let found = &reply["error"]["data"]["details"]["field"];
        assert!(
            field.is_none_or(|field| found == field),
            "B-23: {params}: {reply}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_that_are_no_seq_are_refused_and_never_rounded() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (_client, id) = new_session(&daemon).await;
    let mut raw = RawConnection::connect(&daemon);
    for number in [
        "-1",
        "-0",
        "1.5",
        "1.0",
        "1e3",
        "9007199254740992",
        "9007199254740993",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "1e400",
        "-1e400",
        "1e-400",
        "\"1\"",
        "true",
        "[1]",
    ] {
        for field in ["afterSeq", "beforeSeq"] {
            let text = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getEvents\",\"params\":{{\"sessionId\":\"{id}\",\"{field}\":{number}}}}}\n"
            );
            raw.write(text.as_bytes());
            let reply = raw.reply().unwrap();
            assert_eq!(
                code(&reply),
                "invalid_params",
                "B-25: {field} {number}: {reply}"
            );
        }
    }
    for number in ["NaN", "Infinity", "01", "0x1"] {
        raw.write(
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getEvents\",\"params\":[{number}]}}\n"
            )
            .as_bytes(),
        );
        assert_eq!(code(&raw.reply().unwrap()), "parse_error", "B-25: {number}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_is_never_a_path() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (_client, id) = new_session(&daemon).await;
    let mut raw = RawConnection::connect(&daemon);
    let text = id.to_string();
    let deleted = raw.call("deleteSession", &json!({"sessionId": id}));
    assert_eq!(deleted["result"]["sessionId"], text);
    let rows = [
        (String::new(), "invalid_params"),
        ("../x".to_owned(), "invalid_params"),
        ("/etc/passwd".to_owned(), "invalid_params"),
        ("x".repeat(10_240), "invalid_params"),
        (format!("{text}/../{text}"), "invalid_params"),
        (format!("{text}\0"), "invalid_params"),
        (format!("{text} "), "invalid_params"),
        (text.to_lowercase(), "invalid_params"),
        (text.replace('0', "\u{41e}"), "invalid_params"),
        (text.replace("ses_", "prj_"), "invalid_params"),
        (UNKNOWN.to_owned(), "session_not_found"),
        (text, "session_not_found"),
    ];
    for (session, expected) in rows {
        for method in [
            "getSession",
            "getEvents",
            "subscribeEvents",
            "deleteSession",
            "getTree",
        ] {
            let reply = raw.call(method, &json!({"sessionId": session}));
            assert_eq!(
                code(&reply),
                expected,
                "B-29: {method} {session:?}: {reply}"
            );
        }
    }
    let left: Vec<_> = std::fs::read_dir(daemon.home().join("sessions"))
        .unwrap()
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn anchors_of_every_kind_get_their_sync_mode() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "Hello?").await;
    let outcome = watch.until("turn_outcome").await.pop().unwrap();
    let last = outcome["seq"].as_u64().unwrap();
    let before = outcome["prev"].as_u64().unwrap();
    let mut raw = RawConnection::connect(&daemon);
    let rows = [
        ("nothing", json!({}), "full_reload"),
        (
            "zeros",
            json!({"persistentLastSeq": 0, "streamLastSeq": 0}),
            "full_reload",
        ),
        (
            "all",
            json!({"persistentLastSeq": last, "streamLastSeq": last}),
            "stream_resume",
        ),
        (
            "no stream",
            json!({"persistentLastSeq": last}),
            "persistent_fallback",
        ),
        (
            "above the head",
            json!({"persistentLastSeq": last + 1, "streamLastSeq": last + 1}),
            "full_reload",
        ),
        (
            "a stream above the head",
            json!({"persistentLastSeq": last, "streamLastSeq": last + 1}),
            "full_reload",
        ),
        (
            "swapped",
            json!({"persistentLastSeq": last, "streamLastSeq": before}),
            "full_reload",
        ),
        (
            "not a record",
            json!({"persistentLastSeq": last - 1, "streamLastSeq": last}),
            "full_reload",
        ),
        (
            "a stream alone",
            json!({"streamLastSeq": last}),
            "stream_resume",
        ),
    ];
    for (name, mut params, mode) in rows {
        params["sessionId"] = json!(id);
        let reply = raw.call("resync", &params);
        assert_eq!(reply["result"]["mode"], mode, "B-30: {name}: {reply}");
        let told_why = reply["result"]["reason"].is_string();
        assert!(
            told_why
                || mode != "full_reload"
                || params.get("persistentLastSeq").is_none()
                || params["persistentLastSeq"] == 0,
            "B-30: {name}: {reply}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_without_a_running_turn_changes_nothing() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (_client, id) = new_session(&daemon).await;
    let mut raw = RawConnection::connect(&daemon);
    let turn = "trn_01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let idle = raw.call("cancel", &json!({"sessionId": id}));
    assert_eq!(idle["result"]["cancelled"], false, "B-31: {idle}");
    let other = raw.call("cancel", &json!({"sessionId": id, "expectedTurnId": turn}));
    assert_eq!(other["result"]["cancelled"], false, "B-31: {other}");
    let unknown = raw.call("cancel", &json!({"sessionId": UNKNOWN}));
    assert_eq!(code(&unknown), "session_not_found", "B-31");
    let free = raw.call("unsubscribeEvents", &json!({"subscription": "never made"}));
    assert_eq!(free["result"], false, "B-34: {free}");
    assert_eq!(daemon.log(&id.to_string()).len(), 1, "nothing was written");
}

#[tokio::test(flavor = "multi_thread")]
async fn text_is_stored_unchanged() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (client, id) = new_session(&daemon).await;
    let mut raw = RawConnection::connect(&daemon);
    for empty in [json!(""), json!([]), json!([{"type": "text", "text": ""}])] {
        let reply = raw.call("sendMessage", &json!({"sessionId": id, "content": empty}));
        assert_eq!(code(&reply), "invalid_params", "B-33: {empty}: {reply}");
    }
    let mut watch = Watch::from_start(&client, id).await;
    let texts = [
        "\0\0\0".to_owned(),
        "\u{1b}[2J\u{1b}]0;title\u{7}".to_owned(),
        "\u{202e}\u{2066}\u{200f}\u{feff}".to_owned(),
        "\u{2028}x\u{2029}\u{85}\r\n\t".to_owned(),
        "\u{10ffff}\u{1f600}\u{0}\u{7f}".to_owned(),
        "a".repeat(1 << 20),
    ];
    for text in &texts {
        let reply = raw.call("sendMessage", &json!({"sessionId": id, "content": text}));
        assert!(reply["result"]["seq"].is_u64(), "B-33: {reply}");
        let message = watch.until("message").await.pop().unwrap();
        assert_eq!(message["message"]["content"][0]["text"], *text, "B-33");
        watch.until("turn_outcome").await;
    }
    let log = scorel_testkit::CheckedLog::read(&daemon.log_path(&id.to_string())).unwrap();
    assert_eq!(log.user_texts().collect::<Vec<_>>(), texts);
    for lone in ["\\ud800", "\\udc00x", "\\ud800\\u0041"] {
        let call = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sendMessage\",\"params\":{{\"sessionId\":\"{id}\",\"content\":\"{lone}\"}}}}\n"
        );
        raw.write(call.as_bytes());
        let reply = raw.reply().unwrap();
        assert!(
            ["parse_error", "invalid_params"].contains(&code(&reply)),
            "B-36: {lone}: {reply}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_changes_of_one_session_get_typed_answers() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (_client, id) = new_session(&daemon).await;
    let calls = [
        ("sendMessage", json!({"sessionId": id, "content": "first"})),
        ("sendMessage", json!({"sessionId": id, "content": "second"})),
        ("updateSession", json!({"sessionId": id, "title": "third"})),
        ("archiveSession", json!({"sessionId": id})),
        ("deleteSession", json!({"sessionId": id})),
        ("deleteSession", json!({"sessionId": id})),
        ("getEvents", json!({"sessionId": id})),
        ("cancel", json!({"sessionId": id})),
    ];
    let connections =
        calls.map(|(method, params)| (RawConnection::connect(&daemon), method, params));
    let threads = connections.map(|(mut raw, method, params)| {
        std::thread::spawn(move || (method, raw.call(method, &params)))
    });
    for thread in threads {
        let (method, reply) = thread.join().unwrap();
        // An archived session takes no messages.
        let typed = ["session_not_found", "runtime_busy", "conflict", "no error"];
        assert!(typed.contains(&code(&reply)), "B-35: {method}: {reply}");
    }
    assert!(RawConnection::connect(&daemon).works());
}
