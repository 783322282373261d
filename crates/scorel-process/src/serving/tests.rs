use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use scorel_peer::{FrameLimits, TextStream};
use scorel_proto::RpcError;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex, split};
use tokio::task::JoinHandle;

use crate::read_part::read_part;
use crate::service::{Service, ServiceFraming, StartedService};
use crate::service_error::ServiceError;
use crate::service_link::{CallLimit, ServiceLink};
use crate::service_words::ServiceWords;

/// Answers each call with its method.
#[derive(Debug)]
struct Echo;

impl Service for Echo {
    fn name(&self) -> &str {
        "echo"
    }

    fn start(&self) -> BoxFuture<'_, Result<StartedService, String>> {
        Box::pin(ready(Err(String::new())))
    }

    fn open<'a>(&'a self, _: &'a ServiceLink) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(ready(Ok(())))
    }

    fn called(
        &self,
        method: Box<str>,
        _: Box<RawValue>,
    ) -> BoxFuture<'static, Result<Box<RawValue>, RpcError>> {
        let result = RawValue::from_string(json!(method).to_string()).unwrap();
        Box::pin(ready(Ok(result)))
    }

    fn notified(&self, _: &str, _: &RawValue) {}
}

struct Program {
    lines: tokio::io::Lines<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
    output: tokio::io::WriteHalf<DuplexStream>,
}

impl Program {
    async fn next(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Answers the next call.
    async fn answer(&mut self, result: &str) {
        let call = self.next().await;
        let id = &call["id"];
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        self.say(&answer).await;
    }

    async fn say(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.output.write_all(line.as_bytes()).await.unwrap();
    }
}

fn link() -> (Arc<ServiceLink>, Program, JoinHandle<String>) {
    link_by(ServiceFraming::Lines)
}

fn link_by(framing: ServiceFraming) -> (Arc<ServiceLink>, Program, JoinHandle<String>) {
    let (ours, theirs) = duplex(1 << 20);
    let (input, output) = split(ours);
    let limits = FrameLimits {
        frame: 1000,
        partial_frame: None,
        write: None,
    };
    let stream = match framing {
        ServiceFraming::LooseLines => TextStream::of_loose_lines(input, output, &limits),
        _ => TextStream::of_bytes(input, output, &limits),
    };
    let link = Arc::new(ServiceLink::new("echo", ServiceWords::default()));
    let serving = Arc::clone(&link);
    let service: Arc<dyn Service> = Arc::new(Echo);
    let end = tokio::spawn(async move { super::serve(&serving, &service, stream, framing).await });
    let (input, output) = split(theirs);
    let lines = BufReader::new(input).lines();
    (link, Program { lines, output }, end)
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_the_failure_of_its_call() {
    for framing in [ServiceFraming::Lines, ServiceFraming::LooseLines] {
        let (link, mut program, _end) = link_by(framing);
        for result in [
            r#""half \ud83d""#.to_owned(),
            "[".repeat(70) + &"]".repeat(70),
        ] {
            let limit = CallLimit::of(Duration::from_secs(60));
            let called = link.call("x", RawValue::NULL, &limit);
            let (called, ()) = tokio::join!(called, program.answer(&result));
            let error = called.unwrap_err().to_string();
            assert!(error.contains("its answer cannot be read"), "{error}");

            // A list is read entry by entry.
            let listed = link.call_for_parts("x", RawValue::NULL, &limit);
            let (listed, ()) = tokio::join!(listed, program.answer(&result));
            let listed = listed.unwrap();
            assert_eq!(listed.get(), result);
            read_part(&listed).unwrap_err();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn three_calls_in_a_row_without_an_answer_are_a_failure_and_each_is_withdrawn() {
    let (link, mut program, _end) = link();
    let limit = CallLimit::of(Duration::from_secs(60));
    for _ in 0..3 {
        let result = link.call("x", RawValue::NULL, &limit).await;
        assert!(
            matches!(result, Err(ServiceError::Overdue { .. })),
            "{result:?}"
        );
        let call = program.next().await;
        let cancel = program.next().await;
        assert_eq!(cancel["method"], "$/cancelRequest");
        assert_eq!(cancel["params"]["id"], call["id"]);
    }
    assert!(link.failed().await.contains("3 calls in a row"));
    let lost = link.call("x", RawValue::NULL, &limit).await;
    assert!(matches!(lost, Err(ServiceError::Lost { .. })), "{lost:?}");
}

#[tokio::test]
async fn calls_go_both_ways_and_what_is_no_message_ends_the_connection() {
    let (link, mut program, end) = link();
    program
        .say(r#"{"jsonrpc":"2.0","id":7,"method":"hello"}"#)
        .await;
    assert_eq!(
        program.next().await,
        json!({"jsonrpc": "2.0", "id": 7, "result": "hello"})
    );
    let calling = Arc::clone(&link);
    let call = tokio::spawn(async move {
        let limit = CallLimit::of(Duration::from_secs(60));
        calling.call("x", RawValue::NULL, &limit).await
    });
    let id = program.next().await["id"].clone();
    program
        .say(&json!({"jsonrpc": "2.0", "id": id, "result": [1]}).to_string())
        .await;
    assert_eq!(call.await.unwrap().unwrap().get(), "[1]");
    program.say("{nothing").await;
    let reason = end.await.unwrap();
    assert!(reason.starts_with("it broke the protocol"), "{reason}");
}

#[tokio::test]
async fn among_loose_lines_a_banner_is_no_failure() {
    let (_link, mut program, _end) = link_by(ServiceFraming::LooseLines);
    program.say("Server 1.0 is running\n{nothing").await;
    program
        .say(r#"{"jsonrpc":"2.0","id":7,"method":"hello"}"#)
        .await;
    assert_eq!(program.next().await["result"], "hello");
}
