use bytes::Bytes;
use futures_util::{StreamExt, stream};

use super::normaliser::EVENT_LIMIT;
use super::{OPEN_END, SseEvent, events};
use crate::http::BodyError;

/// Reads the pieces as one body.
async fn read(pieces: Vec<Vec<u8>>) -> Vec<Result<SseEvent, BodyError>> {
    let pieces = pieces.into_iter().map(|piece| Ok(Bytes::from(piece)));
    events(stream::iter(pieces)).collect().await
}

async fn read_whole(body: &str) -> Vec<(Option<String>, String)> {
    let events = read(vec![body.as_bytes().to_vec()]).await;
    events
        .into_iter()
        .map(|event| event.map(|event| (event.name, event.data)).unwrap())
        .collect()
}

fn plain(data: &str) -> (Option<String>, String) {
    (None, data.to_owned())
}

fn named(name: &str, data: &str) -> (Option<String>, String) {
    (Some(name.to_owned()), data.to_owned())
}

#[tokio::test]
async fn all_line_ends_and_an_order_mark_are_understood() {
    for body in [
        "data: a\n\ndata: b\n\n",
        "data: a\r\n\r\ndata: b\r\n\r\n",
        "data: a\r\rdata: b\r\r",
        "\u{feff}data:a\n\n: comment\ndata:b\n\n",
        "id: 1\ndata: a\nretry: 3\n\nunknown: x\ndata: b\n\n",
    ] {
        assert_eq!(read_whole(body).await, [plain("a"), plain("b")], "{body:?}");
    }
}

#[tokio::test]
async fn data_lines_of_one_event_are_joined() {
    let events = read_whole("event: x\ndata: a\ndata: b\n\n").await;
    assert_eq!(events, [named("x", "a\nb")]);
}

#[tokio::test]
async fn an_error_field_becomes_an_error_event() {
    for body in [
        "data: a\n\nerror: {\"x\":1}\n\n",
        "data: a\nerror: {\"x\":1}\n\n",
        "data: a\r\n\r\nerror: {\"x\":1}\r\n",
        "data: a\r\rerror: {\"x\":1}\r\r",
        "data: a\n\nerror: {\"x\":1}",
    ] {
        let events = read_whole(body).await;
        assert_eq!(
            events,
            [plain("a"), named("error", "{\"x\":1}")],
            "{body:?}"
        );
    }
}

#[tokio::test]
async fn event_names_are_not_taken_for_error_fields() {
    let events = read_whole("event: error\ndata: a\n\neven: x\ne\nerr: y\ndata: b\n\n").await;
    assert_eq!(events, [named("error", "a"), plain("b")]);
}

#[tokio::test]
async fn bare_json_becomes_one_event() {
    let body = "data: a\n\n{\n  \"error\": {\n    \"code\": 503\n  }\n}\n";
    let events = read_whole(body).await;
    assert_eq!(events.len(), 2);
    let value: serde_json::Value = serde_json::from_str(&events[1].1).unwrap();
    assert_eq!(value["error"]["code"], 503);
}

#[tokio::test]
async fn an_event_that_the_body_ends_in_is_marked() {
    assert_eq!(read_whole("data: {\"a").await, [named(OPEN_END, "{\"a")]);
    assert_eq!(read_whole("data: a\n").await, [named(OPEN_END, "a")]);
    assert_eq!(read_whole("data: a\n\nda").await, [plain("a")]);
    assert_eq!(read_whole("").await, []);
}

#[tokio::test]
async fn pieces_of_any_size_give_the_same_events() {
    let body =
        "\u{feff}data: ä€😀\r\n\r\n: c\rdata: x\rdata: y\r\rerror: {\"z\":1}\n\nevent: e\ndata: w";
    let whole = read(vec![body.as_bytes().to_vec()]).await;
    assert_eq!(whole.len(), 4);
    let bytes = body.bytes().map(|byte| vec![byte]).collect();
    assert_eq!(read(bytes).await, whole);
    for split in 0..body.len() {
        let (one, two) = body.as_bytes().split_at(split);
        assert_eq!(
            read(vec![one.to_vec(), two.to_vec()]).await,
            whole,
            "{split}"
        );
    }
}

#[tokio::test]
async fn an_event_without_end_is_refused() {
    let mut pieces = vec![b"data: ".to_vec()];
    pieces.extend(std::iter::repeat_n(
        vec![b'x'; 1 << 20],
        (EVENT_LIMIT >> 20) + 1,
    ));
    assert_eq!(read(pieces).await, [Err(BodyError::TooLarge)]);
}

#[tokio::test]
async fn many_events_together_may_be_larger_than_one() {
    let mut event = b"data: ".to_vec();
    event.extend(vec![b'x'; 6 << 20]);
    event.extend(b"\r\n\r\n");
    let events = read(vec![event.clone(), event.clone(), event]).await;
    assert_eq!(events.iter().filter(|event| event.is_ok()).count(), 3);
}

#[tokio::test]
async fn bytes_that_are_not_utf8_are_an_error() {
    let events = read(vec![b"data: \xff\n\n".to_vec()]).await;
    assert_eq!(events, [Err(BodyError::NotUtf8)]);
}
