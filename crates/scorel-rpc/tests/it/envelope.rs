//! Valid and invalid requests.

use serde_json::{Value, json};

use crate::peer::{Peer, code};

/// Sends a line and then a valid call. Returns the answers received before the call's reply.
async fn answers(line: &str) -> Vec<Value> {
    let mut peer = Peer::new();
    // Fixes the framing, whatever the first byte of the line.
    peer.line("[]").await;
    peer.read().await;
    peer.line(line).await;
    peer.line(r#"{"jsonrpc":"2.0","method":"echo","id":"after"}"#)
        .await;
    let mut found = Vec::new();
    loop {
        let answer = peer.read().await;
        if answer["id"] == "after" {
            return found;
        }
        found.push(answer);
    }
}

async fn refused(line: &str, expected: &str, id: Value) {
    let found = answers(line).await;
    assert_eq!(found.len(), 1, "{line:.100}");
    assert_eq!(
        (code(&found[0]), &found[0]["id"]),
        (expected, &id),
        "{line:.100}"
    );
    assert_eq!(found[0]["jsonrpc"], "2.0");
}

#[tokio::test]
async fn the_examples_of_the_specification_hold() {
    let ok = |result: Value, id: Value| json!({"jsonrpc": "2.0", "result": result, "id": id});
    for (line, expected) in [
        (
            r#"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#,
            ok(json!(19), json!(1)),
        ),
        (
            r#"{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}"#,
            ok(json!(-19), json!(2)),
        ),
        (
            r#"{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}"#,
            ok(json!(19), json!(3)),
        ),
    ] {
        assert_eq!(answers(line).await, [expected]);
    }
    assert!(
        answers(r#"{"jsonrpc": "2.0", "method": "note", "params": [1]}"#)
            .await
            .is_empty()
    );
    assert!(
        answers(r#"{"jsonrpc": "2.0", "method": "foobar"}"#)
            .await
            .is_empty()
    );
    refused(
        r#"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#,
        "method_not_found",
        json!("1"),
    )
    .await;
    refused(
        r#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#,
        "parse_error",
        Value::Null,
    )
    .await;
    refused(
        r#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#,
        "invalid_request",
        Value::Null,
    )
    .await;
    refused("[]", "invalid_request", Value::Null).await;
    let found = answers("[1,2,3]").await;
    let codes: Vec<_> = found[0].as_array().unwrap().iter().map(code).collect();
    assert_eq!(codes, ["invalid_request"; 3]);
    let batch = r#"[
        {"jsonrpc": "2.0", "method": "subtract", "params": [1,2], "id": "1"},
        {"jsonrpc": "2.0", "method": "note", "params": [7]},
        {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
        {"foo": "boo"},
        {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
        {"jsonrpc": "2.0", "method": "echo", "id": "9"}
    ]"#;
    let found = answers(&batch.replace('\n', " ")).await;
    let found = found[0].as_array().unwrap();
    let ids: Vec<_> = found.iter().map(|reply| reply["id"].clone()).collect();
    assert_eq!(
        ids,
        [json!("1"), json!("2"), Value::Null, json!("5"), json!("9")]
    );
    assert_eq!(
        (found[0]["result"].as_i64(), found[1]["result"].as_i64()),
        (Some(-1), Some(19))
    );
    assert_eq!(
        (code(&found[2]), code(&found[3])),
        ("invalid_request", "method_not_found")
    );
    let quiet =
        r#"[{"jsonrpc": "2.0", "method": "note"}, {"jsonrpc": "2.0", "method": "nothing"}]"#;
    assert!(answers(quiet).await.is_empty());
}

#[tokio::test]
async fn an_invalid_request_is_refused_and_the_connection_stays() {
    let text = format!(
        r#"{{"jsonrpc":"2.0","method":"echo","id":"{}"}}"#,
        "x".repeat(10_240)
    );
    let invalid = [
        "1",
        "\"x\"",
        "null",
        "true",
        "{}",
        &text,
        r#"{"method":"echo","id":{}}"#,
        r#"{"jsonrpc":"2.0","method":"echo","id":[]}"#,
        r#"{"jsonrpc":"2.0","method":"echo","id":true}"#,
        r#"{"jsonrpc":"2.0","method":"echo","id":1.5}"#,
        r#"{"jsonrpc":"2.0","method":"echo","id":18446744073709551616}"#,
        r#"{"jsonrpc":"2.0","method":"echo","id":1,"id":2}"#,
        r#"{"jsonrpc":"2.0","method":"echo","id":1,"method":"echo"}"#,
        r#"{"jsonrpc":"2.0","method":"echo","id":1,"me\u0074hod":"admin"}"#,
        r#"{"jsonrpc":"2.0","method":"echo","id":1,"x":1,"\u0078":2}"#,
    ];
    for line in invalid {
        refused(line, "invalid_request", Value::Null).await;
    }
    for line in [
        r#"{"method":"echo","id":7}"#,
        r#"{"jsonrpc":"1.0","method":"echo","id":7}"#,
        r#"{"jsonrpc":2.0,"method":"echo","id":7}"#,
        r#"{"jsonrpc":"2.0","id":7}"#,
        r#"{"jsonrpc":"2.0","method":null,"id":7}"#,
    ] {
        refused(line, "invalid_request", json!(7)).await;
    }
    refused(
        r#"{"jsonrpc":"2.0","method":"echo","params":3,"id":7}"#,
        "invalid_params",
        json!(7),
    )
    .await;
}

#[tokio::test]
async fn invalid_json_is_a_parse_error_and_the_connection_stays() {
    let deep = |depth: usize| {
        let params = format!("{}{}", "[".repeat(depth - 1), "]".repeat(depth - 1));
        format!(r#"{{"jsonrpc":"2.0","method":"echo","params":{params},"id":1}}"#)
    };
    assert_eq!(
        answers(&deep(64)).await[0]["result"]["a"].to_string().len(),
        2 * 62
    );
    let lines = [
        "{",
        "nonsense",
        "{\"jsonrpc\":\"2.0\",}",
        "[1,]",
        "\u{feff}{}",
        "\0",
        "{'a':1}",
        "[NaN]",
        r#"{"jsonrpc":"2.0","method":"echo","params":["\ud83d"],"id":1}"#,
        r#"{"jsonrpc":"2.0","method":"echo","id":1} {}"#,
    ];
    for line in lines {
        refused(line, "parse_error", Value::Null).await;
    }
    for depth in [65, 129, 100_000] {
        refused(&deep(depth), "parse_error", Value::Null).await;
    }
}

#[tokio::test]
async fn methods_are_found_by_their_exact_name() {
    for name in [
        "",
        "Echo",
        "echo ",
        "echo\\u0000",
        "xecho",
        "ech\u{3bf}",
        "rpc.echo",
        "$/cancelRequest",
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","method":"{name}","id":1}}"#);
        refused(&line, "method_not_found", json!(1)).await;
    }
}

#[tokio::test]
async fn params_of_the_wrong_shape_are_refused() {
    for params in [
        r#"{}"#,
        "null",
        "[]",
        "[1]",
        "[1,2,3]",
        r#"["1",2]"#,
        r#"{"minuend":1,"subtrahend":2,"x":3}"#,
        r#"{"minuend":1.0,"subtrahend":2}"#,
        r#"{"minuend":1e400,"subtrahend":2}"#,
        r#"{"minuend":9223372036854775808,"subtrahend":2}"#,
        r#"{"minuend":1,"minuend":1,"subtrahend":2}"#,
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","method":"subtract","params":{params},"id":1}}"#);
        refused(&line, "invalid_params", json!(1)).await;
    }
}

#[tokio::test]
async fn absent_params_and_empty_params_are_the_same() {
    for params in [
        "",
        r#","params":null"#,
        r#","params":{}"#,
        r#","params":[]"#,
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","method":"echo"{params},"id":1}}"#);
        assert_eq!(answers(&line).await[0]["result"], json!({}));
    }
}

#[tokio::test]
async fn responses_and_unknown_notifications_are_ignored() {
    for line in [
        r#"{"jsonrpc":"2.0","result":1,"id":1}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"x"},"id":1}"#,
        r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#,
        r#"{"jsonrpc":"2.0","method":"subtract","params":["wrong"]}"#,
        r#"[{"jsonrpc":"2.0","result":1,"id":1}]"#,
        r#"{"jsonrpc":"2.0","method":"tick","params":[1]}"#,
    ] {
        assert!(answers(line).await.is_empty(), "{line}");
    }
}

#[tokio::test]
async fn notifications_are_executed() {
    let mut peer = Peer::new();
    peer.line(r#"{"jsonrpc":"2.0","method":"note","params":{"text":"a"}}"#)
        .await;
    peer.line(r#"[{"jsonrpc":"2.0","method":"note","params":["b"]}]"#)
        .await;
    peer.call("echo", json!({})).await;
    assert_eq!(
        *peer.probe.notes.lock().unwrap(),
        [r#"{"text":"a"}"#, r#"{"text":"b"}"#]
    );
}

#[tokio::test]
async fn ids_are_echoed_byte_for_byte() {
    let mut peer = Peer::new();
    for id in [r#""a\u0062\/é""#, "-9007199254740991", "0", "null", r#""""#] {
        peer.line(&format!(
            r#"{{"id": {id} ,"jsonrpc":"2.0","method":"echo"}}"#
        ))
        .await;
        let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        assert_eq!(peer.read_line().await, expected);
    }
    peer.line(r#"{"jsonrpc":"2.0","method":"fail","id":"\u0061"}"#)
        .await;
    assert!(
        peer.read_line()
            .await
            .starts_with(r#"{"jsonrpc":"2.0","id":"\u0061","error":{"#)
    );
}

#[tokio::test]
async fn a_batch_is_bounded_and_contains_no_batches_and_no_subscriptions() {
    let echo = r#"{"jsonrpc":"2.0","method":"echo","id":"N"}"#;
    let batch = |count: usize| {
        let entries: Vec<_> = (0..count)
            .map(|n| echo.replace('N', &n.to_string()))
            .collect();
        format!("[{}]", entries.join(","))
    };
    assert_eq!(answers(&batch(50)).await[0].as_array().unwrap().len(), 50);
    refused(&batch(51), "invalid_request", Value::Null).await;
    refused(
        &format!("[{}0]", "0,".repeat(100_000)),
        "invalid_request",
        Value::Null,
    )
    .await;
    let mixed =
        format!(r#"[[{echo}],{{"jsonrpc":"2.0","method":"tick","params":[1],"id":4}},{echo}]"#);
    let found = answers(&mixed).await;
    assert_eq!(
        (code(&found[0][0]), &found[0][0]["id"]),
        ("invalid_request", &Value::Null)
    );
    assert_eq!(
        (code(&found[0][1]), &found[0][1]["id"]),
        ("invalid_request", &json!(4))
    );
    assert_eq!(found[0][2]["result"], json!({}));
}
