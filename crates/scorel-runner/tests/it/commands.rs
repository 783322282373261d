//! Plain commands.

use libtest_mimic::Trial;
use scorel_engine::{Permission, RunnerFact, RunnerInput, RunnerStep, TurnStep};
use scorel_runner::{CommandOutput, WireKind};

use crate::scripted::bench;
use crate::trial;

const EVENTS: WireKind = WireKind::Command(CommandOutput::Events);
const TEXT: WireKind = WireKind::Command(CommandOutput::Text);

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("commands::the_output_is_the_answer", text),
        trial("commands::an_exit_code_is_a_failure", exit_code),
        trial("commands::each_line_is_an_event", events),
        trial("commands::the_context_comes_back", context),
        trial("commands::an_image_is_refused", image),
    ]
}

async fn text() {
    let script = "echo log >&2; read -r line; echo \"you said $line in $(pwd)\"";
    let turn = bench(TEXT, script, "/usr".as_ref())
        .turn("hello\n", Permission::Granted)
        .await;
    assert_eq!(turn.outcome(), "completed");
    assert_eq!(turn.text(), "you said hello in /usr\n");
    assert_eq!(turn.logs(), "log\n");
    // One process a turn: it is not kept.
    let exit = turn.facts().last().unwrap();
    assert!(matches!(exit, RunnerFact::Exited { exit: Some(exit) } if exit.code == Some(0)));
}

async fn exit_code() {
    let turn = bench(TEXT, "echo part; echo why >&2; exit 4", "/".as_ref())
        .turn("x", Permission::Granted)
        .await;
    assert_eq!(
        (turn.outcome().as_str(), turn.text().as_str()),
        ("runner_failed", "part\n")
    );
    let message = turn.end.error.unwrap().message;
    assert_eq!(message, "the runner ended with exit code 4: why");
}

async fn events() {
    let script = r#"
        echo '{"type":"start","traceId":"t","command":[],"cwd":"/"}'
        echo '{"type":"context","traceId":"t","contextId":"ctx-1"}'
        echo '{"type":"log","traceId":"t","stream":"stderr","data":"working"}'
        echo '{"type":"text","traceId":"t","text":"one ","delta":true}'
        echo '{"type":"text","traceId":"t","text":"two"}'
        echo '{"type":"claude_message","traceId":"t","messageType":"assistant","raw":{"message":{"content":[{"type":"tool_use","id":"c","name":"Bash","input":{"command":"ls"}}]}}}'
        echo '{"type":"claude_message","traceId":"t","messageType":"user","raw":{"message":{"content":[{"type":"tool_result","tool_use_id":"c","content":"file"}]}}}'
        echo '{"type":"claude_message","traceId":"t","messageType":"result","raw":{"usage":{"input_tokens":5,"output_tokens":2}}}'
        echo '{"type":"text","traceId":"t","text":"three"}'
        echo '{"type":"exit","traceId":"t","code":0,"signal":null,"durationMs":1}'
    "#;
    let turn = bench(EVENTS, script, "/".as_ref())
        .turn("x", Permission::Granted)
        .await;
    assert_eq!(
        (turn.outcome().as_str(), turn.text().as_str()),
        ("completed", "one two|three")
    );
    assert_eq!(turn.context().as_deref(), Some("ctx-1"));
    assert_eq!(turn.logs(), "working\n");
    assert_eq!(
        turn.results(),
        [("Bash".to_owned(), false, "file".to_owned())]
    );
    assert_eq!(
        (turn.end.usage.input_tokens, turn.end.usage.output_tokens),
        (5, 2)
    );
}

async fn context() {
    let script =
        "echo \"{\\\"type\\\":\\\"text\\\",\\\"text\\\":\\\"${SCOREL_CONTEXT_ID-none}\\\"}\"";
    for (context, expected) in [(None, "none"), (Some("ctx-9"), "ctx-9")] {
        let mut bench = bench(EVENTS, script, "/".as_ref());
        bench.order.context = context.map(str::to_owned);
        let turn = bench.turn("x", Permission::Granted).await;
        assert_eq!(turn.text(), expected);
        let Some(RunnerFact::Started(start)) = turn.facts().next() else {
            panic!("{turn:?}");
        };
        assert_eq!(start.resumed, context.is_some());
    }
}

async fn image() {
    let mut bench = bench(TEXT, "cat", "/".as_ref());
    let mut driver = bench.driver();
    let end = loop {
        match driver.next().await {
            RunnerStep::NeedPrompt => driver.provide_prompt(vec![RunnerInput::Image {
                media_type: "image/png".to_owned(),
                bytes: vec![1],
            }]),
            RunnerStep::Turn(TurnStep::Finished(end)) => break end,
            _ => {}
        }
    };
    assert_eq!(end.error.unwrap().code, "runner_unsuitable");
}
