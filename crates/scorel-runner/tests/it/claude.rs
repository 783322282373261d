//! What no recording of Claude Code has: agents inside of a call, and a session that is lost at a cancel.

use libtest_mimic::Trial;
use scorel_engine::{Permission, RunnerFact, RunnerStep};
use scorel_runner::WireKind;

use crate::scripted::bench;
use crate::trial;

/// Answers the handshake and reads the prompt.
const BEGIN: &str = r#"
    read -r _
    echo '{"type":"control_response","response":{"subtype":"success","request_id":"scorel-initialize","response":{}}}'
    read -r _
"#;

const END: &str = r#"echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"done","stop_reason":"end_turn"}'"#;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "claude::a_call_of_an_inner_agent_that_was_asked_about_has_its_result",
            inner_result,
        ),
        trial(
            "claude::a_session_that_is_lost_at_a_cancel_is_not_replaced",
            lost_at_cancel,
        ),
    ]
}

async fn inner_result() {
    let call = r#"{"type":"tool_use","id":"inner","name":"Bash","input":{"command":"ls"}}"#;
    let result =
        r#"{"type":"tool_result","tool_use_id":"inner","content":"a file","is_error":false}"#;
    let script = format!(
        r#"{BEGIN}
        echo '{{"type":"assistant","parent_tool_use_id":null,"message":{{"content":[{{"type":"tool_use","id":"task","name":"Task","input":{{}}}}]}}}}'
        echo '{{"type":"assistant","parent_tool_use_id":"task","message":{{"content":[{call}]}}}}'
        echo '{{"type":"control_request","request_id":"q","request":{{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"inner","input":{{"command":"ls"}}}}}}'
        read -r _
        echo '{{"type":"user","parent_tool_use_id":"task","message":{{"content":[{result}]}}}}'
        echo '{{"type":"user","parent_tool_use_id":null,"message":{{"content":[{{"type":"tool_result","tool_use_id":"task","content":"it has a file"}}]}}}}'
        {END}; cat >/dev/null"#
    );
    let mut bench = bench(WireKind::ClaudeCode, &script, "/".as_ref());
    let turn = bench.turn("go", Permission::Granted).await;
    bench.release().await;
    assert_eq!(turn.outcome(), "completed");
    let result = |name: &str, text: &str| (name.to_owned(), false, text.to_owned());
    let expected = [result("Bash", "a file"), result("Task", "it has a file")];
    assert_eq!(turn.results(), expected);
}

async fn lost_at_cancel() {
    // The second line is the cancel.
    let script = format!(
        r#"{BEGIN} read -r _
        echo '{{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"errors":["No conversation found with session ID: old"]}}'
        cat >/dev/null"#
    );
    let mut bench = bench(WireKind::ClaudeCode, &script, "/".as_ref());
    bench.order.context = Some("old".to_owned());
    let signal = bench.signal.clone();
    let cancel = |step: &RunnerStep, _: &mut scorel_engine::RunnerDriver| {
        if matches!(step, RunnerStep::NeedPrompt) {
            signal.cancel();
        }
    };
    let turn = bench.turn_with("go", |_| None, cancel).await;
    assert_eq!(turn.outcome(), "cancelled");
    let is_lost = |fact: &RunnerFact| matches!(fact, RunnerFact::ContextLost { .. });
    assert!(!turn.facts().any(is_lost), "{turn:?}");
}
