//! Peers that break every rule: each turn has one outcome, and nothing of it dangles.

use std::time::Duration;

use libtest_mimic::Trial;
use scorel_engine::{EngineEvent, Permission, RunnerInput, RunnerStep, TurnStep};
use scorel_runner::{CommandOutput, Secrets, WireKind};
use scorel_testkit::{ACP_HANDSHAKE, HOSTILE_ACP};

use crate::processes;
use crate::scripted::{bench, runner, setup};
use crate::trial;
use crate::turn::{Bench, Turn};

const EVENTS: WireKind = WireKind::Command(CommandOutput::Events);
const TEXT: WireKind = WireKind::Command(CommandOutput::Text);

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for row in HOSTILE_ACP {
        let name = format!("hostile::{}", row.name);
        trials.push(trial(name, move || async move {
            let turn = acp(row.script).await;
            assert_eq!(turn.outcome(), row.outcome, "{:?}", turn.end.error);
            assert_eq!(turn.text(), row.text);
            assert!(turn.logs().contains(row.log), "{}", turn.logs());
        }));
    }
    trials.push(trial("hostile::many_updates_of_one_call", many_updates));
    trials.push(trial(
        "hostile::a_flood_of_errors_is_drained",
        flood_of_errors,
    ));
    trials.push(trial(
        "hostile::a_question_twice_is_an_error",
        question_twice,
    ));
    trials.push(trial(
        "hostile::a_question_without_a_one_time_yes_is_refused",
        no_once,
    ));
    trials.push(trial(
        "hostile::a_child_that_holds_the_pipes_delays_nothing",
        held_pipes,
    ));
    trials.push(trial(
        "hostile::output_after_the_end_of_input_is_read",
        late_output,
    ));
    trials.push(trial("hostile::secrets_are_cut_out", secrets));
    trials.push(trial(
        "hostile::a_peer_that_ignores_a_cancel_is_ended",
        ignored_cancel,
    ));
    trials.push(trial(
        "hostile::a_peer_that_never_reads_does_not_block",
        never_reads,
    ));
    trials.push(trial(
        "hostile::a_runner_that_dies_at_its_question_fails",
        dies_at_question,
    ));
    trials
}

async fn acp(script: &str) -> Turn {
    let script = format!("{ACP_HANDSHAKE}\n{script}\ncat >/dev/null");
    let mut bench = bench(WireKind::Acp, &script, "/".as_ref());
    let turn = bench.turn("go", Permission::Granted).await;
    bench.release().await;
    turn
}

async fn many_updates() {
    let turn = acp(
        "update '{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\",\"title\":\"t\"}'
        line='{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"x\"}}]}}}'
        yes \"$line\" | head -n 100000
        update '{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"status\":\"completed\"}'; end",
    )
    .await;
    assert_eq!(turn.outcome(), "completed");
    let is_update = |event: &&EngineEvent| matches!(event, EngineEvent::ToolExecutionUpdate { .. });
    assert_eq!(turn.events().filter(is_update).count(), 100_000);
}

async fn flood_of_errors() {
    let turn = acp("head -c 67108864 /dev/zero | tr '\\0' e >&2; say done; end").await;
    assert_eq!(
        (turn.outcome().as_str(), turn.text().as_str()),
        ("completed", "done")
    );
}

const ASK: &str = r#"ask() { echo "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"session/request_permission\",\"params\":{\"sessionId\":\"s\",\"toolCall\":{\"toolCallId\":\"c\",\"title\":\"rm\",\"kind\":\"execute\"},\"options\":[{\"optionId\":\"$2\",\"name\":\"n\",\"kind\":\"$1\"}]}}"; }
"#;

async fn question_twice() {
    let script = format!("{ACP_HANDSHAKE}{ASK} ask allow_once y; ask allow_once y; end");
    let mut bench = bench(WireKind::Acp, &script, "/".as_ref());
    // The first one stays open.
    let turn = bench.turn_with("go", |_| None, |_, _| {}).await;
    assert_eq!(turn.outcome(), "runner_protocol");
    assert!(turn.results()[0].1, "the call has a result");
}

async fn no_once() {
    let script = format!(
        "{ASK} ask allow_always y; read -r answer; case $answer in *cancelled*) say no;; *) say yes;; esac; end"
    );
    let turn = acp(&script).await;
    assert_eq!(
        (turn.outcome().as_str(), turn.text().as_str()),
        ("completed", "no")
    );
}

async fn held_pipes() {
    let canary = processes::canary();
    let script = format!("sleep {canary} & setsid sleep {canary} & echo hi");
    let mut bench = bench(TEXT, &script, "/".as_ref());
    let turn = bench.turn("go", Permission::Granted).await;
    assert_eq!(
        (turn.outcome().as_str(), turn.text().as_str()),
        ("completed", "hi\n")
    );
    bench.release().await;
    assert_eq!(processes::with(&canary), Vec::<i32>::new());
}

async fn late_output() {
    let script = "cat >/dev/null; echo '{\"type\":\"text\",\"text\":\"late\"}'";
    let mut bench = bench(EVENTS, script, "/".as_ref());
    let turn = bench.turn("go", Permission::Granted).await;
    assert_eq!(
        (turn.outcome().as_str(), turn.text().as_str()),
        ("completed", "late")
    );
}

async fn secrets() {
    let mut setup = setup(
        TEXT,
        &["bash", "-c", "echo a $KEY; echo b $KEY >&2; exit 1"],
    );
    setup.environment.set("KEY", "sk-canary-1");
    setup.secrets = Secrets::new(["sk-canary-1".to_owned()]);
    let mut bench = Bench::new(runner(setup), "/".as_ref());
    let turn = bench.turn("go", Permission::Granted).await;
    assert_eq!(turn.text(), "a [secret]\n");
    let all = format!("{turn:?}");
    assert!(
        all.contains("b [secret]") && !all.contains("canary-1"),
        "{all}"
    );
}

async fn ignored_cancel() {
    let canary = processes::canary();
    let script = format!("{ACP_HANDSHAKE} say one; setsid sleep {canary} & kill -STOP $$; end");
    let mut bench = bench(WireKind::Acp, &script, "/".as_ref());
    bench.cancel = Duration::from_millis(100);
    let signal = bench.signal.clone();
    let cancel = |step: &RunnerStep, _: &mut scorel_engine::RunnerDriver| {
        let shown = |event: &EngineEvent| matches!(event, EngineEvent::TextDelta { .. });
        if let RunnerStep::Turn(TurnStep::Event(event)) = step
            && shown(event)
        {
            signal.cancel();
        }
    };
    let turn = bench.turn_with("go", |_| None, cancel).await;
    assert_eq!(
        (turn.outcome().as_str(), turn.text().as_str()),
        ("cancelled", "one")
    );
    assert_eq!(processes::with(&canary), Vec::<i32>::new());
}

async fn never_reads() {
    // More than a pipe holds, to a peer that first writes more than a pipe holds.
    let script = "head -c 1000000 /dev/zero | tr '\\0' a; cat | wc -c";
    let mut bench = bench(TEXT, script, "/".as_ref());
    let mut driver = bench.driver();
    let mut text = String::new();
    let end = loop {
        match driver.next().await {
            RunnerStep::NeedPrompt => {
                driver.provide_prompt(vec![RunnerInput::Text("p".repeat(1_000_000))]);
            }
            RunnerStep::Turn(TurnStep::Event(EngineEvent::TextDelta { delta, .. })) => {
                text.push_str(&delta);
            }
            RunnerStep::Turn(TurnStep::Finished(end)) => break end,
            _ => {}
        }
    };
    assert_eq!(end.error, None);
    assert!(text.ends_with("a1000000\n"), "{}", text.len());
}

async fn dies_at_question() {
    let script = format!("{ACP_HANDSHAKE}{ASK} ask allow_once y; kill -9 $$");
    let mut bench = bench(WireKind::Acp, &script, "/".as_ref());
    // No answer comes.
    let turn = bench.turn_with("go", |_| None, |_, _| {}).await;
    assert_eq!(turn.outcome(), "runner_failed");
    let is_withdrawn = |step: &&RunnerStep| matches!(step, RunnerStep::QuestionWithdrawn);
    // It may have died before the question was judged.
    assert!(turn.steps.iter().filter(is_withdrawn).count() <= 1);
}
