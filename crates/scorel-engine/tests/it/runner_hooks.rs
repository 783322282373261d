//! Hooks around what a runner does.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _, pending, ready};
use scorel_engine::{
    AfterCall, Effect, EngineEvent, HookChain, OpenGate, Permission, QuestionEffects, Runner,
    RunnerAccess, RunnerAction, RunnerAnswer, RunnerCallEnd, RunnerDriver, RunnerEnd, RunnerError,
    RunnerEvent, RunnerExit, RunnerInput, RunnerLink, RunnerOrder, RunnerPorts, RunnerQuestion,
    RunnerServices, RunnerStart, RunnerStep, ServiceReply, ServiceRequest, StopSignal, ToolCall,
    TurnEnd, TurnLimits, TurnStep,
};
use scorel_proto::{Block, OutcomeReason, RunnerCapabilities};
use serde_json::{Value, json};

use crate::clock::PausedClock;
use crate::hook_merges::{Layer, project, user};

/// A runner that plays a script, and goes on when its question or its request is answered.
#[derive(Debug, Clone, Default)]
struct Scripted {
    script: Arc<Mutex<VecDeque<RunnerEvent>>>,
    answers: Arc<Mutex<Vec<String>>>,
}

struct Link {
    runner: Scripted,
    start: RunnerStart,
    waits: bool,
}

impl Runner for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn capabilities(&self) -> RunnerCapabilities {
        RunnerCapabilities::ALL
    }

    fn open(
        &self,
        order: RunnerOrder,
    ) -> BoxFuture<'static, Result<Box<dyn RunnerLink>, RunnerError>> {
        let link = Link {
            runner: self.clone(),
            start: RunnerStart {
                command: Vec::new(),
                directory: order.directory,
                version: None,
                resumed: false,
                context_id: None,
            },
            waits: false,
        };
        ready(Ok(Box::new(link) as Box<dyn RunnerLink>)).boxed()
    }
}

impl RunnerLink for Link {
    fn start(&self) -> &RunnerStart {
        &self.start
    }

    fn prompt(&mut self, _: Vec<RunnerInput>) -> Result<(), RunnerError> {
        Ok(())
    }

    fn next(&mut self) -> BoxFuture<'_, Result<RunnerEvent, RunnerError>> {
        async move {
            if self.waits {
                return pending().await;
            }
            let event = self.runner.script.lock().unwrap().pop_front();
            let event = event.unwrap_or(RunnerEvent::End(RunnerEnd::Completed));
            self.waits = matches!(event, RunnerEvent::Ask(_) | RunnerEvent::Serve { .. });
            Ok(event)
        }
        .boxed()
    }

    fn answer(&mut self, _: &str, answer: RunnerAnswer) -> Result<(), RunnerError> {
        self.waits = false;
        let text = match answer {
            RunnerAnswer::Once => "yes".to_owned(),
            RunnerAnswer::No(reason) => reason,
        };
        self.runner.answers.lock().unwrap().push(text);
        Ok(())
    }

    fn served(&mut self, _: &str, reply: Result<ServiceReply, String>) -> Result<(), RunnerError> {
        self.waits = false;
        let text = reply.map_or_else(|refused| refused, |_| "served".to_owned());
        self.runner.answers.lock().unwrap().push(text);
        Ok(())
    }

    fn takes_steers(&self) -> bool {
        false
    }

    fn steer(&mut self, _: Vec<RunnerInput>) -> Result<bool, RunnerError> {
        Ok(false)
    }

    fn interrupt(&mut self) -> Result<bool, RunnerError> {
        Ok(false)
    }

    fn is_reusable(&self) -> bool {
        false
    }

    fn release(self: Box<Self>) -> BoxFuture<'static, RunnerExit> {
        ready(RunnerExit::default()).boxed()
    }
}

/// The world around the runner: each question has one effect, each request is served.
#[derive(Debug)]
struct World;

impl QuestionEffects for World {
    fn of(&self, _: &RunnerQuestion) -> Vec<Effect> {
        vec![Effect::Unresolved {
            reason: "a runner's".to_owned(),
        }]
    }
}

impl RunnerServices for World {
    fn serve(
        &self,
        _: ServiceRequest,
        _: bool,
    ) -> BoxFuture<'static, Result<ServiceReply, String>> {
        ready(Ok(ServiceReply::Done)).boxed()
    }

    fn end(&self) {}
}

/// A turn that was played.
struct Played {
    answers: Vec<String>,
    /// The hooks' reasons of the questions that a person got.
    asked: Vec<Option<String>>,
    results: Vec<String>,
    end: TurnEnd,
}

async fn play(
    hooks: impl IntoIterator<Item = Layer>,
    script: impl IntoIterator<Item = RunnerEvent>,
    cancels: bool,
) -> Played {
    let runner = Scripted::default();
    runner.script.lock().unwrap().extend(script);
    let ports = RunnerPorts {
        runner: Arc::new(runner.clone()),
        gate: Arc::new(OpenGate),
        hooks: HookChain::new(hooks.into_iter().map(|hook| Arc::new(hook) as _).collect()),
        effects: Arc::new(World),
        services: Arc::new(World),
        own_calls: None,
        clock: Arc::new(PausedClock::new()),
        limits: TurnLimits::default(),
        idle: Duration::from_secs(60),
        cancel: Duration::from_secs(5),
        renew_lost: false,
    };
    let order = RunnerOrder {
        directory: PathBuf::from("/"),
        context: None,
        access: RunnerAccess::Workspace,
        instructions: None,
        tools: None,
    };
    let stop = StopSignal::new();
    let mut driver = RunnerDriver::new(ports, stop.clone(), order);
    let (mut asked, mut results) = (Vec::new(), Vec::new());
    if cancels {
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            stop.cancel();
        });
    }
    let end = loop {
        match driver.next().await {
            RunnerStep::NeedPrompt => driver.provide_prompt(Vec::new()),
            RunnerStep::Turn(TurnStep::NeedPermission { call, .. }) => {
                asked.push(call.marks.unwrap().reason);
                driver.provide_permission(Permission::Granted);
            }
            RunnerStep::Turn(TurnStep::Event(EngineEvent::ToolResult { message, .. })) => {
                results.push(Block::plain_text_of(&message.result().content));
            }
            RunnerStep::Turn(TurnStep::Finished(end)) => break end,
            _ => {}
        }
    };
    let answers = runner.answers.lock().unwrap().clone();
    Played {
        answers,
        asked,
        results,
        end,
    }
}

fn call(input: Value) -> ToolCall {
    ToolCall {
        id: "r1".to_owned(),
        name: "exec".to_owned(),
        input,
        invalid_input: None,
    }
}

fn asks(action: RunnerAction) -> RunnerEvent {
    RunnerEvent::Ask(RunnerQuestion {
        id: "q".to_owned(),
        call: call(json!({ "why": "needed" })),
        action,
        reason: None,
    })
}

fn command() -> RunnerEvent {
    asks(RunnerAction::Command {
        command: "git push".to_owned(),
        directory: PathBuf::from("/w"),
    })
}

fn ends() -> RunnerEvent {
    RunnerEvent::CallEnd(RunnerCallEnd {
        call_id: "r1".to_owned(),
        is_error: false,
        content: vec![Block::text("done")],
        details: None,
    })
}

#[tokio::test(start_paused = true)]
async fn a_question_of_a_runner_passes_the_hooks_as_what_it_is_about() {
    for (word, answer, asked) in [
        ("none", "yes", None),
        ("allow", "yes", None),
        ("ask", "yes", Some("user: odd")),
        ("deny", "E_HOOK_DENIED: not run: user: bad", None),
        (
            "fail",
            "E_HOOK_FAILED: not run: user: it exited with 1",
            None,
        ),
        (
            "change",
            "not run: user wants to change it, which is not possible here",
            None,
        ),
    ] {
        let hook = user().answers(word);
        let seen = Arc::clone(&hook.seen);
        let played = play([hook], [command(), ends()], false).await;
        assert_eq!(played.answers, [answer], "{word}");
        let reasons: Vec<_> = asked.into_iter().map(|it| Some(it.to_owned())).collect();
        assert_eq!(played.asked, reasons, "{word}");
        let seen = seen.lock().unwrap().clone();
        let input = json!({ "why": "needed", "command": "git push", "cwd": "/w" });
        assert_eq!(seen, [("Bash".to_owned(), input)]);
        assert_eq!(played.end.reason, OutcomeReason::Completed);
    }
    // Each file is a call: one that is denied denies all.
    let paths = ["a", "b"].map(PathBuf::from).to_vec();
    let hook = project();
    let seen = Arc::clone(&hook.seen);
    play([hook], [asks(RunnerAction::Write { paths }), ends()], false).await;
    let seen = seen.lock().unwrap().clone();
    let named: Vec<_> = seen
        .iter()
        .map(|(name, input)| (name.as_str(), &input["path"]))
        .collect();
    assert_eq!(named, [("Write", &json!("a")), ("Write", &json!("b"))]);
}

#[tokio::test(start_paused = true)]
async fn what_a_runner_leaves_to_the_daemon_passes_the_hooks() {
    let request = || RunnerEvent::Serve {
        id: "s".to_owned(),
        request: ServiceRequest::StartTerminal {
            command: "git push".to_owned(),
            directory: None,
            output_bytes: None,
        },
    };
    for (word, answer) in [
        ("none", "served"),
        ("deny", "E_HOOK_DENIED: not run: user: bad"),
        ("ask", "not run: a person has to be asked first: user: odd"),
        (
            "change",
            "not run: user wants to change it, which is not possible here",
        ),
    ] {
        let played = play([user().answers(word)], [request()], false).await;
        assert_eq!(played.answers, [answer], "{word}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_runner_has_done_unasked_is_shown_to_the_hooks_afterwards() {
    let adds = |text: &str| Layer {
        after: AfterCall {
            added: vec![Block::text(text)],
            ..AfterCall::default()
        },
        ..user()
    };
    let began = || RunnerEvent::Call(call(json!({})));
    let hook = adds(" seen");
    let seen = Arc::clone(&hook.seen);
    let played = play([hook], [began(), ends()], false).await;
    assert_eq!(played.results.len(), 1);
    assert!(played.results[0].ends_with(" seen"), "{:?}", played.results);
    assert!(seen.lock().unwrap().is_empty(), "not before");
    // One that ends the turn ends it, and one that never answers does not hold up a cancel.
    let mut stops = adds("");
    stops.after.ends_turn = Some("enough".to_owned());
    let again = RunnerEvent::Call(ToolCall {
        id: "r2".to_owned(),
        ..call(json!({}))
    });
    let played = play([stops], [began(), ends(), again], false).await;
    assert_eq!(
        (played.end.reason, played.results.len()),
        (OutcomeReason::Completed, 1)
    );
    let stuck = Layer {
        hangs: true,
        ..adds("")
    };
    let played = play([stuck], [began(), ends()], true).await;
    assert_eq!(played.end.reason, OutcomeReason::Cancelled);
    assert_eq!(played.results, ["done"], "it is known what it did");
}
