//! The answers of two hooks about one call, merged.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _, pending, ready};
use scorel_engine::{
    AfterCall, BeforeCall, CallOpinion, EngineEvent, HookChain, HookMarks, Hooks, Permission,
    Permit, Question, Reply, ToolCall, ToolOutcome,
};
use scorel_proto::{Block, OutcomeReason};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::model::Script;
use crate::play::{Played, Scene};
use crate::toolbox::Tool;

/// A hook of one of the two layers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layer {
    pub(crate) name: &'static str,
    pub(crate) may_allow: bool,
    pub(crate) only_reads: bool,
    pub(crate) before: BeforeCall,
    pub(crate) reply: Reply,
    pub(crate) after: AfterCall,
    /// It answers once all of its neighbours were asked.
    pub(crate) together: Option<Arc<Barrier>>,
    /// It never answers.
    pub(crate) hangs: bool,
    pub(crate) asked: Arc<AtomicUsize>,
    /// The calls that it was shown before they run.
    pub(crate) seen: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Hooks for Layer {
    fn name(&self) -> &str {
        self.name
    }

    fn may_allow(&self) -> bool {
        self.may_allow
    }

    fn only_reads(&self) -> bool {
        self.only_reads
    }

    fn before(&self, call: &ToolCall) -> BoxFuture<'static, BeforeCall> {
        let seen = (call.name.clone(), call.input.clone());
        self.seen.lock().unwrap().push(seen);
        self.asked.fetch_add(1, Ordering::SeqCst);
        let (together, answer) = (self.together.clone(), self.before.clone());
        if self.hangs {
            return pending().boxed();
        }
        async move {
            if let Some(together) = together {
                together.wait().await;
            }
            answer
        }
        .boxed()
    }

    fn question(&self, _: &ToolCall, _: &Question) -> BoxFuture<'static, Reply> {
        ready(self.reply.clone()).boxed()
    }

    fn after(&self, _: &ToolCall, _: &Permit, _: &ToolOutcome) -> BoxFuture<'static, AfterCall> {
        if self.hangs {
            return pending().boxed();
        }
        ready(self.after.clone()).boxed()
    }
}

pub(crate) fn project() -> Layer {
    Layer {
        name: "project",
        ..Layer::default()
    }
}

pub(crate) fn user() -> Layer {
    Layer {
        name: "user",
        may_allow: true,
        ..Layer::default()
    }
}

impl Layer {
    pub(crate) fn answers(mut self, word: &str) -> Self {
        let name = self.name;
        self.before.opinion = match word {
            "allow" => CallOpinion::Allow,
            "ask" => CallOpinion::Ask("odd".to_owned()),
            "deny" => CallOpinion::Deny("bad".to_owned()),
            "fail" => CallOpinion::Failed("it exited with 1".to_owned()),
            _ => CallOpinion::None,
        };
        if word == "change" {
            self.before.input = Some(json!({ "path": name }));
        }
        self
    }

    /// Has a say in whether the turn goes on.
    fn ends(mut self, reason: &str) -> Self {
        self.before.ends_turn = Some(reason.to_owned());
        self
    }
}

/// The gate's verdict on the call.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Gate {
    Allows,
    /// A rule could answer.
    Asks,
    /// No rule could.
    AlwaysAsks,
    Refuses,
}

fn scene(hooks: impl IntoIterator<Item = Layer>, gate: Gate) -> Scene {
    let scripts = [Script::asks(&[("c1", "Write")]), Script::says("so")];
    let mut scene = Scene::new(scripts, [Tool::writes("Write")]);
    let hooks = hooks.into_iter();
    let hooks = hooks.map(|hook| Arc::new(hook) as Arc<dyn Hooks>).collect();
    scene.hooks = HookChain::new(hooks);
    let rules: &[&str] = if gate == Gate::Asks { &["Write"] } else { &[] };
    match gate {
        Gate::Allows => scene
            .gate
            .answers("c1", Duration::ZERO, Permission::Granted),
        Gate::Refuses => scene.gate.refuses("c1", "refused"),
        Gate::Asks | Gate::AlwaysAsks => {
            let gate = &scene.gate;
            gate.asks_by("c1", rules, Duration::ZERO, Permission::Granted);
        }
    }
    scene
}

/// The outcome of the call, in words.
async fn effect(scene: &Scene) -> String {
    let played = scene.play().await;
    let answer = played.answers()[0].1;
    let ran = scene.tools.calls();
    let started = played.has(|event| matches!(event, EngineEvent::ToolExecutionStart { .. }));
    assert_eq!(started, !ran.is_empty(), "{answer}");
    let by = |code: &str| {
        let rest = answer.strip_prefix(code)?.strip_prefix(": not run: ")?;
        Some(rest.split(':').next().unwrap_or_default().to_owned())
    };
    let Some(ran) = ran.first() else {
        assert!(scene.gate.asked().is_empty(), "{answer}");
        return match (by("E_HOOK_DENIED"), by("E_HOOK_FAILED")) {
            (Some(hook), _) => format!("denied by {hook}"),
            (_, Some(hook)) => format!("{hook} failed"),
            _ => answer.to_owned(),
        };
    };
    assert_eq!(scene.gate.inputs(), std::slice::from_ref(&ran.input));
    let asked = scene.gate.asked();
    let mut words = Vec::new();
    if let Some(path) = ran.input["path"].as_str() {
        words.push(format!("changed by {path}"));
    }
    match asked.first() {
        None => words.push("runs".to_owned()),
        Some(asked) => {
            assert_eq!(asked.call.input, ran.input, "it runs as it was asked about");
            let HookMarks {
                reason, allowed_by, ..
            } = asked.marks.clone().unwrap();
            words.push(match (allowed_by, reason) {
                (Some(hook), None) => format!("allowed by {hook}"),
                (None, None) => "asked".to_owned(),
                (None, Some(reason)) => format!("asked: {}", reason.matches("odd").count()),
                both => panic!("{both:?}"),
            });
        }
    }
    words.join(", ")
}

/// The first hook's answer, the second's, and what becomes of the call: where the project's hook comes first, and
/// where the user's does. Only the user's may allow. `asked: 2` is a question with two reasons of hooks.
const MERGES: &str = "
allow  allow  | allowed by user                      | allowed by user
allow  ask    | asked: 1                             | asked: 1
allow  deny   | denied by user                       | denied by project
allow  change | changed by user, asked               | changed by project, asked
allow  fail   | user failed                          | project failed
ask    allow  | asked: 1                             | asked: 1
ask    ask    | asked: 2                             | asked: 2
ask    deny   | denied by user                       | denied by project
ask    change | changed by user, asked: 1            | changed by project, asked: 1
ask    fail   | user failed                          | project failed
deny   allow  | denied by project                    | denied by user
deny   ask    | denied by project                    | denied by user
deny   deny   | denied by project                    | denied by user
deny   change | denied by project                    | denied by user
deny   fail   | denied by project                    | denied by user
change allow  | changed by project, allowed by user  | changed by user, asked
change ask    | changed by project, asked: 1         | changed by user, asked: 1
change deny   | denied by user                       | denied by project
change change | changed by user, asked               | changed by project, asked
change fail   | user failed                          | project failed
fail   allow  | project failed                       | user failed
fail   ask    | project failed                       | user failed
fail   deny   | project failed                       | user failed
fail   change | project failed                       | user failed
fail   fail   | project failed                       | user failed
";

fn layers(first: &str, second: &str, project_first: bool) -> [Layer; 2] {
    match project_first {
        true => [project().answers(first), user().answers(second)],
        false => [user().answers(first), project().answers(second)],
    }
}

#[tokio::test(start_paused = true)]
async fn the_answers_of_two_layers_are_merged_in_both_orders() {
    let rows: Vec<_> = MERGES.trim().lines().collect();
    assert_eq!(rows.len(), 25);
    for row in rows {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let (first, second) = cells[0].split_once(' ').unwrap();
        let second = second.trim();
        for (cell, project_first) in [(cells[1], true), (cells[2], false)] {
            let hooks = || layers(first, second, project_first);
            let found = effect(&scene(hooks(), Gate::Asks)).await;
            assert_eq!(found, cell, "{row}, {project_first}");
            let is_stopped = cell.contains("denied") || cell.contains("failed");
            // A gate that would not ask changes nothing but that; a hook adds caution to it.
            let found = effect(&scene(hooks(), Gate::Allows)).await;
            let expected = match cell {
                "asked" | "allowed by user" => "runs".to_owned(),
                cell => cell
                    .replace(", asked: ", "; ")
                    .replace(", asked", ", runs")
                    .replace(", allowed by user", ", runs")
                    .replace("; ", ", asked: "),
            };
            assert_eq!(found, expected, "{row}, {project_first}");
            // Neither what is denied nor what is always asked is allowed by a hook.
            let found = effect(&scene(hooks(), Gate::Refuses)).await;
            assert_eq!(found, if is_stopped { cell } else { "refused" }, "{row}");
            let found = effect(&scene(hooks(), Gate::AlwaysAsks)).await;
            let expected = cell.replace("allowed by user", "asked");
            assert_eq!(found, expected, "{row}, {project_first}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_is_answered_by_a_hook_that_may_and_denied_by_any() {
    let replies = |mut hook: Layer, reply: Reply| {
        hook.reply = reply;
        hook
    };
    let deny = || Reply::Deny("bad".to_owned());
    for (of_project, of_user, gate, expected) in [
        (Reply::Allow, Reply::None, Gate::Asks, "asked"),
        (Reply::None, Reply::Allow, Gate::Asks, "allowed by user"),
        (Reply::None, Reply::Allow, Gate::AlwaysAsks, "asked"),
        (Reply::None, Reply::Allow, Gate::Refuses, "refused"),
        (deny(), Reply::Allow, Gate::Asks, "denied by project"),
        (Reply::Allow, deny(), Gate::Asks, "denied by user"),
        (deny(), Reply::None, Gate::AlwaysAsks, "denied by project"),
        (deny(), deny(), Gate::Allows, "runs"),
    ] {
        for project_first in [true, false] {
            let project = replies(project(), of_project.clone());
            let user = replies(user(), of_user.clone());
            let hooks = match project_first {
                true => [project, user],
                false => [user, project],
            };
            let found = effect(&scene(hooks, gate)).await;
            assert_eq!(found, expected, "{of_project:?} {of_user:?} {gate:?}");
        }
    }
    // What allows a call beforehand does not silence a hook that looks at its question.
    let hooks = [user().answers("allow"), replies(project(), deny())];
    assert_eq!(effect(&scene(hooks, Gate::Asks)).await, "denied by project");
}

#[tokio::test(start_paused = true)]
async fn neighbours_that_only_read_look_at_once_and_change_nothing() {
    let together = Arc::new(Barrier::new(2));
    let reads = |name: &'static str, word: &str| Layer {
        name,
        only_reads: true,
        together: Some(Arc::clone(&together)),
        ..user().answers(word)
    };
    // Each waits for the other.
    let hooks = [reads("one", "ask"), reads("two", "ask")];
    assert_eq!(effect(&scene(hooks, Gate::Asks)).await, "asked: 2");
    let hooks = [reads("one", "none"), reads("two", "change")];
    assert_eq!(effect(&scene(hooks, Gate::Asks)).await, "two failed");
    // The first in order decides, and the others are not waited for.
    let hangs = Layer {
        hangs: true,
        ..reads("two", "none")
    };
    let mut first = reads("one", "deny");
    first.together = None;
    let hooks = [first, hangs];
    let asked = Arc::clone(&hooks[1].asked);
    assert_eq!(effect(&scene(hooks, Gate::Asks)).await, "denied by one");
    assert_eq!(asked.load(Ordering::SeqCst), 1, "it was asked beside");
    // A hook that may change the call is no neighbour: those behind it look at what it leaves.
    let (first, behind) = (user().answers("deny"), reads("behind", "none"));
    let asked = Arc::clone(&behind.asked);
    assert_eq!(
        effect(&scene([first, behind], Gate::Asks)).await,
        "denied by user"
    );
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_hook_cannot_make_a_call_of_what_is_no_object() {
    let mut hook = project();
    hook.before.input = Some(json!("rm -rf"));
    assert_eq!(effect(&scene([hook], Gate::Asks)).await, "project failed");
    // The same arguments are no change, and void no allowance.
    let mut hook = project();
    hook.before.input = Some(json!({}));
    let hooks = [user().answers("allow"), hook];
    assert_eq!(effect(&scene(hooks, Gate::Asks)).await, "allowed by user");
}

fn two_calls(hook: Layer) -> Scene {
    let mut scene = scene([hook], Gate::Allows);
    let scripts = [
        Script::asks(&[("c1", "Write"), ("c2", "Write")]),
        Script::says("so"),
    ];
    scene.model = crate::model::ScriptedModel::new(scripts);
    scene
}

fn ran(scene: &Scene) -> Vec<String> {
    let calls = scene.tools.calls().into_iter();
    calls.map(|call| call.id).collect()
}

fn check_ended(played: &Played) {
    assert_eq!(played.outcome(), (OutcomeReason::Completed, None));
    assert_eq!(played.messages().len(), 1, "the model is not called again");
    let (id, text) = played.answers()[1];
    assert_eq!(
        (id, text),
        ("c2", "not run: project has ended the turn: enough")
    );
}

#[tokio::test(start_paused = true)]
async fn a_hook_ends_the_turn_after_a_call() {
    let scene = two_calls(project().ends("enough"));
    check_ended(&scene.play().await);
    assert_eq!(ran(&scene), ["c1"]);
    // It may deny the call as well.
    let scene = two_calls(project().answers("deny").ends("enough"));
    let played = scene.play().await;
    check_ended(&played);
    assert_eq!(
        played.answers()[0].1,
        "E_HOOK_DENIED: not run: project: bad"
    );
    assert!(ran(&scene).is_empty());
    let mut hook = project();
    hook.after = AfterCall {
        added: vec![Block::text("seen")],
        ends_turn: Some("enough".to_owned()),
        ..AfterCall::default()
    };
    let scene = two_calls(hook);
    check_ended(&scene.play().await);
    assert_eq!(ran(&scene), ["c1"]);
}

/// A guard that knows the tool must not miss it.
#[tokio::test(start_paused = true)]
async fn hooks_see_a_call_as_its_tool_takes_it() {
    let hook = project();
    let seen = Arc::clone(&hook.seen);
    let mut scene = scene([hook], Gate::Allows);
    let scripts = [Script::asks(&[("c1", "write")]), Script::says("so")];
    scene.model = crate::model::ScriptedModel::new(scripts);
    let played = scene.play().await;
    assert_eq!(seen.lock().unwrap()[0].0, "Write");
    assert_eq!(
        played.results()[0].tool_name,
        "write",
        "the record has the model's word"
    );
}
