//! Framing over a connection.

use std::time::Duration;

use scorel_rpc::{ConnectionEnd, FrameError, RpcLimits};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::peer::{Peer, code};

const ECHO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["é"]}"#;
const REPLY: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"a":"é"}}"#;

fn headed(text: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{text}", text.len())
}

async fn all(bytes: &[u8], cut: usize) -> String {
    let mut peer = Peer::new();
    peer.write(&bytes[..cut]).await;
    // Once the driver is idle, it has read the first piece.
    tokio::task::yield_now().await;
    peer.write(&bytes[cut..]).await;
    peer.finish().await;
    peer.rest().await
}

#[tokio::test]
async fn lines_may_be_cut_at_every_byte() {
    let bytes = format!("\r\n{ECHO}\r\n\n{ECHO}\n{ECHO}");
    for cut in 0..=bytes.len() {
        assert_eq!(
            all(bytes.as_bytes(), cut).await,
            format!("{REPLY}\n").repeat(3),
            "{cut}"
        );
    }
}

#[tokio::test]
async fn headed_frames_may_be_cut_at_every_byte_and_are_answered_alike() {
    let bytes = headed(ECHO).repeat(2);
    for cut in 0..=bytes.len() {
        assert_eq!(
            all(bytes.as_bytes(), cut).await,
            headed(REPLY).repeat(2),
            "{cut}"
        );
    }
}

#[tokio::test]
async fn ten_thousand_requests_in_one_write_are_all_answered_in_order() {
    let mut peer = Peer::new();
    let lines: String = (0..10_000)
        .map(|n| format!("{{\"jsonrpc\":\"2.0\",\"id\":{n},\"method\":\"echo\"}}\n"))
        .collect();
    let mut writer = peer.writer;
    let writing = tokio::spawn(async move {
        tokio::io::AsyncWriteExt::write_all(&mut writer, lines.as_bytes())
            .await
            .unwrap();
        writer
    });
    for n in 0..10_000 {
        let mut line = String::new();
        tokio::io::AsyncBufReadExt::read_line(&mut peer.reader, &mut line)
            .await
            .unwrap();
        assert_eq!(
            line,
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{n},\"result\":{{}}}}\n")
        );
    }
    writing.await.unwrap();
}

#[tokio::test]
async fn ten_thousand_empty_lines_are_ignored() {
    let mut peer = Peer::new();
    peer.write("\r\n\n".repeat(5_000)).await;
    assert_eq!(peer.ask(ECHO).await["result"], json!({"a": "é"}));
}

#[tokio::test]
async fn other_protocols_get_one_error_and_are_disconnected() {
    let hello: &[u8] = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";
    let others: [&[u8]; 7] = [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT x:80 HTTP/1.1\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\xef\xbb\xbf{}\n",
        b"\0\0\0\x10",
        b"Content-Type: x\r\n\r\n",
        hello,
    ];
    for other in others {
        let mut peer = Peer::new();
        peer.write(other).await;
        let text = peer.rest().await;
        let reply: Value = serde_json::from_str(text.rsplit("\r\n\r\n").next().unwrap()).unwrap();
        assert_eq!(
            (code(&reply), &reply["id"]),
            ("parse_error", &Value::Null),
            "{text}"
        );
        assert!(matches!(peer.end().await, ConnectionEnd::BadFrame(_)));
    }
}

#[tokio::test]
async fn invalid_utf_8_gets_one_error_and_ends_the_connection() {
    let bad: [&[u8]; 4] = [
        b"{\"\xff\":1}\n",
        b"{\"\xc0\xaf\":1}\n",
        b"{\"\x80\":1}\n",
        b"{\"\xed\xa0\x80\":1}\n",
    ];
    for bytes in bad {
        let mut peer = Peer::new();
        peer.write(bytes).await;
        assert_eq!(
            code(&serde_json::from_str(&peer.rest().await).unwrap()),
            "parse_error"
        );
        assert!(matches!(
            peer.end().await,
            ConnectionEnd::BadFrame(FrameError::NotUtf8)
        ));
    }
}

#[tokio::test]
async fn a_frame_may_be_as_large_as_the_limit_and_not_larger() {
    let limits = || RpcLimits {
        frame_in: 4096,
        ..RpcLimits::default()
    };
    let request = |size: usize| {
        let empty = r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":[""]}"#;
        empty.replace("\"\"", &format!("\"{}\"", "x".repeat(size - empty.len())))
    };
    for frame in [format!("{}\n", request(4096)), headed(&request(4096))] {
        let mut peer = Peer::limited(limits());
        peer.write(frame).await;
        peer.finish().await;
        assert!(peer.rest().await.contains(r#""result""#));
    }
    let endless = "[".repeat(8192);
    for frame in [
        format!("{}\n", request(4097)),
        headed(&request(4097)),
        endless,
    ] {
        let mut peer = Peer::limited(limits());
        peer.write(frame).await;
        let text = peer.rest().await;
        let reply: Value = serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap();
        assert_eq!(
            (code(&reply), &reply["id"]),
            ("payload_too_large", &Value::Null)
        );
        assert_eq!(reply["error"]["data"]["details"]["limit"], 4096);
    }
    let mut peer = Peer::limited(limits());
    peer.write("Content-Length: 4294967296\r\n\r\n").await;
    assert!(peer.rest().await.contains("payload_too_large"));
}

#[tokio::test]
async fn half_a_frame_at_the_end_is_dropped_without_a_reply() {
    for half in [&ECHO[..20], &headed(ECHO)[..30], "Content-Le"] {
        let mut peer = Peer::new();
        peer.write(half).await;
        peer.finish().await;
        assert_eq!(peer.rest().await, "");
        assert!(matches!(peer.end().await, ConnectionEnd::PeerClosed));
    }
}

#[tokio::test(start_paused = true)]
async fn an_incomplete_frame_times_out() {
    for half in [
        &ECHO[..20],
        "Content-Length: 50\r\n\r\n",
        "Content-Length: 50\r\n\r\n{",
        "C",
    ] {
        let mut peer = Peer::new();
        let started = Instant::now();
        peer.write(half).await;
        assert_eq!(peer.rest().await, "");
        assert_eq!(started.elapsed().as_secs(), 30, "{half}");
        assert!(matches!(
            peer.end().await,
            ConnectionEnd::BadFrame(FrameError::Stalled)
        ));
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_frame_ends_the_connection_although_bytes_arrive() {
    let mut peer = Peer::new();
    let started = Instant::now();
    let dripping = async {
        while tokio::io::AsyncWriteExt::write_all(&mut peer.writer, b"[")
            .await
            .is_ok()
        {
            tokio::time::advance(Duration::from_secs(1)).await;
        }
    };
    dripping.await;
    assert!(started.elapsed().as_secs() <= 32, "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_does_not_time_out() {
    for frame in [format!("{ECHO}\n"), headed(ECHO)] {
        let mut peer = Peer::new();
        for _ in 0..3 {
            tokio::time::advance(Duration::from_secs(3600)).await;
            peer.write(&frame).await;
            let mut byte = [0];
            while byte != *b"}" {
                tokio::io::AsyncReadExt::read_exact(&mut peer.reader, &mut byte)
                    .await
                    .unwrap();
            }
        }
    }
}
