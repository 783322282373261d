//! Hooks around calls, one after the other.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, pending, ready};
use scorel_engine::{
    AfterCall, BeforeCall, CallOpinion, CallScreen, EngineEvent, HookChain, HookMarks, Hooks,
    PendingCall, Permission, Permit, StopCause, ToolCall, ToolOutcome, ToolSpec,
};
use scorel_proto::{Block, OutcomeReason};
use serde_json::{Value, json};

use crate::model::{Script, ScriptedModel};
use crate::play::{Played, Scene};
use crate::toolbox::Tool;

const SECOND: Duration = Duration::from_secs(1);

/// The answer of a hook about a call, by the input that it sees.
type Before = fn(&Value) -> BeforeCall;

/// A hook that answers as a test says, and writes down what it sees.
#[derive(Debug, Clone)]
struct Hook {
    name: &'static str,
    before: Before,
    after: AfterCall,
    /// It never answers about a call that has run.
    hangs_after: bool,
    /// It never answers about a call.
    hangs_before: bool,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Hook {
    fn new(name: &'static str, seen: &Arc<Mutex<Vec<String>>>) -> Self {
        Self {
            name,
            before: |_| BeforeCall::default(),
            after: AfterCall::default(),
            hangs_after: false,
            hangs_before: false,
            seen: Arc::clone(seen),
        }
    }

    fn before(self, before: Before) -> Self {
        Self { before, ..self }
    }

    fn sees(&self, what: &str, of: &str) {
        let line = format!("{} {what} {of}", self.name);
        self.seen.lock().unwrap().push(line);
    }
}

impl Hooks for Hook {
    fn name(&self) -> &str {
        self.name
    }

    fn before(&self, call: &ToolCall) -> BoxFuture<'static, BeforeCall> {
        self.sees("before", &call.input.to_string());
        if self.hangs_before {
            return Box::pin(pending());
        }
        Box::pin(ready((self.before)(&call.input)))
    }

    fn after(
        &self,
        call: &ToolCall,
        _: &Permit,
        outcome: &ToolOutcome,
    ) -> BoxFuture<'static, AfterCall> {
        let text = Block::plain_text_of(&outcome.content);
        self.sees("after", &format!("{} {text}", call.input));
        if self.hangs_after {
            return Box::pin(pending());
        }
        Box::pin(ready(self.after.clone()))
    }
}

fn asks(reason: &str) -> BeforeCall {
    BeforeCall {
        opinion: CallOpinion::Ask(reason.to_owned()),
        ..BeforeCall::default()
    }
}

fn denies(reason: &str) -> BeforeCall {
    BeforeCall {
        opinion: CallOpinion::Deny(reason.to_owned()),
        ..BeforeCall::default()
    }
}

/// Adds its letter to the argument `path`.
fn appends(input: &Value, letter: &str) -> BeforeCall {
    let path = input["path"].as_str().unwrap_or_default();
    BeforeCall {
        input: Some(json!({ "path": format!("{path}{letter}") })),
        ..BeforeCall::default()
    }
}

/// The calls that the hooks of a scene have seen.
struct Stand {
    scene: Scene,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Stand {
    /// One call, by an answer, and the hooks that look at it.
    fn new(hooks: impl FnOnce(&dyn Fn(&'static str) -> Hook) -> Vec<Hook>) -> Self {
        let seen = Arc::default();
        let hooks = hooks(&|name| Hook::new(name, &seen));
        let hooks = hooks.into_iter();
        let hooks = hooks.map(|hook| Arc::new(hook) as Arc<dyn Hooks>).collect();
        let tools = [Tool::writes("Write").takes(SECOND)];
        let scripts = [Script::asks(&[("c1", "Write")]), Script::says("so")];
        let mut scene = Scene::new(scripts, tools);
        scene.hooks = HookChain::new(hooks);
        Self { scene, seen }
    }

    fn seen(&self, what: &str) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        let is_it = |line: &&String| line.split(' ').nth(1) == Some(what);
        seen.iter().filter(is_it).cloned().collect()
    }

    fn inputs(&self) -> Vec<Value> {
        let calls = self.scene.tools.calls().into_iter();
        calls.map(|call| call.input).collect()
    }
}

fn changed_by(played: &Played) -> Vec<String> {
    let mut events = played.events.iter();
    let found = events.find_map(|event| match event {
        EngineEvent::ToolExecutionStart { changed_by, .. } => Some(changed_by.clone()),
        _ => None,
    });
    found.unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_denied_call_ends_the_chain_and_is_answered_with_a_code() {
    let stand = Stand::new(|hook| {
        vec![
            hook("first"),
            hook("guard").before(|_| denies("it is protected")),
            hook("last"),
        ]
    });
    let played = stand.scene.play().await;
    let text = "E_HOOK_DENIED: not run: guard: it is protected";
    assert_eq!(played.answers(), [("c1", text)]);
    let details = played.results()[0].result().details.clone().unwrap();
    assert_eq!(details["error"]["code"], "E_HOOK_DENIED");
    assert_eq!(details["error"]["details"]["hook"], "guard");
    assert!(played.results()[0].result().is_error);
    assert_eq!(stand.seen("before"), ["first before {}", "guard before {}"]);
    assert!(stand.seen("after").is_empty() && stand.scene.gate.judged().is_empty());
    assert!(stand.inputs().is_empty(), "it has not run");
    let has_started = |event: &EngineEvent| matches!(event, EngineEvent::ToolExecutionStart { .. });
    assert!(!played.has(has_started));
    assert_eq!(played.end.reason, OutcomeReason::Completed);
}

#[tokio::test(start_paused = true)]
async fn each_hook_sees_what_the_one_before_left_and_the_last_input_is_judged_and_run() {
    let stand = Stand::new(|hook| {
        vec![
            hook("one").before(|input| appends(input, "a")),
            hook("none"),
            hook("two").before(|input| appends(input, "b")),
        ]
    });
    let played = stand.scene.play().await;
    let seen = stand.seen("before");
    assert_eq!(
        seen,
        [
            "one before {}",
            r#"none before {"path":"a"}"#,
            r#"two before {"path":"a"}"#
        ]
    );
    let last = json!({"path": "ab"});
    assert_eq!(stand.scene.gate.inputs(), std::slice::from_ref(&last));
    assert_eq!(stand.inputs(), [last]);
    assert_eq!(changed_by(&played), ["one", "two"]);
    assert_eq!(stand.seen("after").len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_asks_makes_the_gate_ask_and_a_no_holds() {
    for (answer, runs) in [
        (Permission::Granted, 1),
        (Permission::Refused("no".to_owned()), 0),
    ] {
        let stand = Stand::new(|hook| {
            vec![
                hook("one").before(|_| asks("it looks odd")),
                hook("two").before(|input| appends(input, "x")),
                hook("three").before(|_| asks("it is late")),
            ]
        });
        stand.scene.gate.answers("c1", SECOND, answer);
        let played = stand.scene.play().await;
        let reason = "one: it looks odd; three: it is late";
        assert_eq!(stand.scene.gate.wanted(), [reason]);
        assert_eq!(stand.inputs().len(), runs);
        assert_eq!(played.answers().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_gate_that_refuses_is_not_overruled_by_a_hook_that_asks() {
    let stand = Stand::new(|hook| vec![hook("one").before(|_| asks("it looks odd"))]);
    stand.scene.gate.refuses("c1", "not that one");
    let played = stand.scene.play().await;
    assert_eq!(played.answers(), [("c1", "not that one")]);
}

#[tokio::test(start_paused = true)]
async fn hooks_after_a_call_change_its_outcome_in_order() {
    let stand = Stand::new(|hook| {
        let replaced = AfterCall {
            content: Some(vec![Block::text("replaced")]),
            is_error: Some(true),
            ..AfterCall::default()
        };
        let added = AfterCall {
            added: vec![Block::text(" and more")],
            ..AfterCall::default()
        };
        vec![
            Hook {
                after: replaced,
                ..hook("one")
            },
            Hook {
                after: added,
                ..hook("two")
            },
            hook("three"),
        ]
    });
    let played = stand.scene.play().await;
    let result = played.results()[0].result();
    let text = Block::plain_text_of(&result.content);
    assert!(
        text.starts_with("replaced") && text.ends_with("and more"),
        "{text}"
    );
    assert!(result.is_error);
    let seen = stand.seen("after");
    assert_eq!(
        seen[..2],
        ["one after {} c1 is done", "two after {} replaced"]
    );
    assert_eq!(seen.len(), 3);
    let is_end =
        |event: &EngineEvent| matches!(event, EngineEvent::ToolExecutionEnd { is_error: true, .. });
    assert!(played.has(is_end), "clients see the changed outcome");
}

#[tokio::test(start_paused = true)]
async fn a_cancel_ends_a_turn_whose_hook_never_answers() {
    for hangs_after in [false, true] {
        let stand = Stand::new(|hook| {
            let hook = hook("stuck");
            let hangs_before = !hangs_after;
            // Requests pass, calls do not.
            vec![Hook {
                hangs_before,
                hangs_after,
                ..hook
            }]
        });
        let played = stand.scene.play_cancelled_after(SECOND * 5).await;
        assert_eq!(played.end.reason, OutcomeReason::Cancelled);
        assert!(played.took < SECOND * 6, "{:?}", played.took);
        if hangs_after {
            assert_eq!(played.answers(), [("c1", "c1 is done")], "it has run");
        }
    }
    // The request comes first: a turn of which only the calls are left shows the call's hook.
    let mut stand = Stand::new(|hook| {
        vec![Hook {
            hangs_before: true,
            ..hook("stuck")
        }]
    });
    stand.scene.pending = vec![write(json!({})).into()];
    let played = stand.scene.play_cancelled_after(SECOND).await;
    assert_eq!(stand.seen("before").len(), 1);
    assert_eq!(
        played.answers(),
        [("c1", StopCause::Cancelled.call_result())]
    );
    assert!(stand.inputs().is_empty());
}

fn write(input: Value) -> ToolCall {
    ToolCall {
        id: "c1".to_owned(),
        name: "Write".to_owned(),
        input,
        invalid_input: None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_reopened_call_that_was_asked_about_is_judged_again_but_not_hooked_again() {
    let mut stand = Stand::new(|hook| vec![hook("one").before(|input| appends(input, "!"))]);
    let marks = HookMarks {
        changed_by: vec!["gone".to_owned()],
        reason: Some("gone: it looked odd".to_owned()),
        allowed_by: None,
    };
    let asked = PendingCall {
        call: write(json!({"path": "asked"})),
        marks: Some(marks),
    };
    stand.scene.pending = vec![asked];
    stand.scene.model = ScriptedModel::new([Script::says("so"), Script::says("so")]);
    stand.scene.gate.answers("c1", SECOND, Permission::Granted);
    let played = stand.scene.play().await;
    assert!(stand.seen("before").is_empty());
    assert_eq!(stand.scene.gate.wanted(), ["gone: it looked odd"]);
    assert_eq!(stand.inputs(), [json!({"path": "asked"})]);
    assert_eq!(changed_by(&played), ["gone"]);
    // A call without a question is new to the hooks.
    stand.scene.pending = vec![write(json!({"path": "a"})).into()];
    stand.scene.play().await;
    assert_eq!(stand.inputs()[1], json!({"path": "a!"}));
}

/// Refuses all calls of `Write`, and offers no tool named `Hidden`.
#[derive(Debug)]
struct NoWrites;

impl CallScreen for NoWrites {
    fn offers(&self, tool: &ToolSpec) -> bool {
        tool.name != "Hidden"
    }

    fn refusal(&self, tool: &ToolSpec, callable: &[&ToolSpec]) -> Option<ToolOutcome> {
        let names: Vec<_> = callable.iter().map(|it| it.name.as_str()).collect();
        let text = format!("{} is not among {}", tool.name, names.join(", "));
        (tool.name == "Write").then(|| ToolOutcome::error(text))
    }
}

#[tokio::test(start_paused = true)]
async fn a_screened_call_reaches_neither_hooks_nor_gate() {
    let mut stand = Stand::new(|hook| vec![hook("guard")]);
    stand.scene = Scene {
        hooks: stand.scene.hooks.clone(),
        ..Scene::new(
            [
                Script::asks(&[("c1", "write"), ("c2", "Hidden"), ("c3", "Read")]),
                Script::says("so"),
            ],
            [
                Tool::writes("Write"),
                Tool::writes("Hidden"),
                Tool::writes("Read"),
            ],
        )
    };
    let screen: Arc<dyn CallScreen> = Arc::new(NoWrites);
    let tools = Arc::get_mut(&mut stand.scene.tools).unwrap();
    tools.list = tools.list.screened_by(&screen);
    let played = stand.scene.play().await;
    let answers = played.answers();
    assert_eq!(
        answers[0],
        ("c1", "Write is not among Write, Read"),
        "whatever its capitals"
    );
    assert!(
        answers[1].1.contains("no tool is named `Hidden`"),
        "{answers:?}"
    );
    assert_eq!(
        stand.seen("before").len(),
        2,
        "hooks see what is not of the screen"
    );
    let run = stand.scene.tools.calls();
    assert_eq!(
        run.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(),
        ["Read"]
    );
}
