//! Random histories: whatever hooks say and edit, and whatever happens besides, a request is the fold of the log.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, pending, ready};
use scorel_engine::{HookChain, Hooks, Moment, MomentAnswer, MomentVerdict, Occasion};
use scorel_proto::{
    Context, ContextOp, Event, EventId, HookPoint, OnRestart, PersistentEvent, Role, SessionId,
    SessionView, build_context,
};
use scorel_session::{CancelAndClear, LeafTarget, MoveLeaf, SessionSettings};
use scorel_testkit::Histories;
use tokio::runtime::Builder;

use crate::clones::clone;
use crate::compaction::{WINDOW, asks_for_summary, long, plain};
use crate::follower::{Follower, within};
use crate::log::Log;
use crate::rig::{Rig, clear, settings};
use crate::stage::{ModelCall, ToolRun, provider_error};
use crate::travel::leaf;

/// Choices that a seed decides (SplitMix64).
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

/// A hook that answers at random, and sometimes never.
#[derive(Debug)]
struct RandomHook {
    name: &'static str,
    dice: Arc<Mutex<Dice>>,
    /// The messages that hooks have been shown.
    known: Arc<Mutex<Vec<EventId>>>,
}

impl Hooks for RandomHook {
    fn name(&self) -> &str {
        self.name
    }

    fn attends(&self, _: HookPoint) -> bool {
        true
    }

    fn at(&self, moment: &Moment) -> BoxFuture<'static, MomentAnswer> {
        let mut dice = self.dice.lock().expect("it is");
        if dice.one_in(60) {
            return Box::pin(pending());
        }
        let mut known = self.known.lock().expect("it is");
        known.extend(moment.messages.iter().map(|it| it.event_id));
        let mut answer = MomentAnswer::default();
        if dice.one_in(4) {
            answer.inject = Some(format!("remember {}", dice.below(100)));
        }
        let is_send = moment.occasion == Occasion::Send;
        for message in moment.messages.iter() {
            match dice.below(8) {
                0 => answer
                    .edits
                    .push(ContextOp::replace(message.event_id, "replaced")),
                1 if message.role == Role::Internal => {
                    answer.edits.push(ContextOp::hide(message.event_id));
                }
                // Not allowed, so that all of its edits are void; at `send` the turn would end.
                2 if !is_send && dice.one_in(10) => {
                    answer.edits.push(ContextOp::hide(message.event_id));
                }
                _ => {}
            }
        }
        if let (Occasion::Trim { .. }, false) = (&moment.occasion, known.is_empty()) {
            let any = dice.below(known.len() as u64) as usize;
            answer
                .edits
                .push(ContextOp::replace(known[any], "made smaller"));
        }
        answer.verdict = match dice.below(40) {
            0 => MomentVerdict::Deny("no".to_owned()),
            1 => MomentVerdict::Stop("enough".to_owned()),
            2 => MomentVerdict::Fail("broken".to_owned()),
            3..12 => MomentVerdict::GoOn("go on".to_owned()),
            _ => MomentVerdict::Pass,
        };
        Box::pin(ready(answer))
    }
}

struct History {
    rig: Rig,
    /// Daemons that were killed. They have homes of their own, and go on there.
    old: Vec<Rig>,
    id: SessionId,
    dice: Arc<Mutex<Dice>>,
    hooks: HookChain,
    /// The calls that have run, by any daemon.
    ran: HashSet<String>,
    calls: u64,
    requests: usize,
}

/// The place at which a turn is.
enum Next {
    Model(ModelCall),
    Tool(ToolRun),
    Ended,
    /// A hook never answers.
    Stuck,
}

impl History {
    async fn new(seed: u64) -> Self {
        let dice = Arc::new(Mutex::new(Dice(seed)));
        let known = Arc::default();
        let hook = |name| -> Arc<dyn Hooks> {
            Arc::new(RandomHook {
                name,
                dice: Arc::clone(&dice),
                known: Arc::clone(&known),
            })
        };
        let hooks = HookChain::new(vec![hook("one"), hook("two")]);
        let rig = Rig::in_memory();
        let id = rig.session().await;
        let history = Self {
            rig,
            old: Vec::new(),
            id,
            dice,
            hooks,
            ran: HashSet::new(),
            calls: 0,
            requests: 0,
        };
        history.plan();
        history
    }

    fn plan(&self) {
        self.rig.plan(|plan| {
            plan.hooks = self.hooks.clone();
            plan.window = Some(WINDOW);
        });
    }

    fn below(&self, end: u64) -> u64 {
        self.dice.lock().expect("it is").below(end)
    }

    async fn run(&mut self) {
        for _ in 0..5 + self.below(5) {
            match self.below(12) {
                0 => self.compact().await,
                1 => self.rewind().await,
                2 => self.clone().await,
                3 => self.restart(false),
                _ => self.turn().await,
            }
        }
        self.rig.check(self.id).await;
    }

    fn words(&self) -> String {
        match self.below(3) {
            0 => long("question"),
            _ => "question".to_owned(),
        }
    }

    async fn turn(&mut self) {
        let mut follower = self.rig.follow(self.id).await;
        self.rig.begin(self.id, &self.words()).await;
        loop {
            match self.next(&mut follower).await {
                Next::Ended | Next::Stuck if self.is_at_rest().await => return,
                Next::Ended => {}
                Next::Stuck => {
                    if self.below(2) == 0 {
                        self.restart(true);
                        follower = self.rig.follow(self.id).await;
                    } else {
                        self.rig.lane(self.id).await.cancel(None);
                    }
                }
                Next::Tool(run) => {
                    let id = run.call.id.clone();
                    assert!(self.ran.insert(id), "a call has run twice");
                    if self.below(12) == 0 {
                        self.restart(true);
                        follower = self.rig.follow(self.id).await;
                    }
                    run.end(&"found ".repeat(1 + self.below(400) as usize));
                }
                Next::Model(call) => {
                    if !asks_for_summary(&call) {
                        self.requests += 1;
                        same(
                            &call.request.messages,
                            &rebuilt(&self.rig.log(self.id)),
                            "sent",
                        );
                    }
                    if self.below(15) == 0 {
                        self.restart(true);
                        follower = self.rig.follow(self.id).await;
                        continue;
                    }
                    self.answer(call).await;
                }
            }
        }
    }

    /// Returns whether no turn is open. What waits for a person to go on is given up.
    async fn is_at_rest(&self) -> bool {
        let lane = self.rig.lane(self.id).await;
        let session = lane.session().expect("there");
        if session.turn_id.is_none() && !session.queue.is_empty() {
            let cleared = lane.mutate(CancelAndClear {
                command: clear(),
                expected: None,
                clears: true,
                stops_children: false,
            });
            cleared.await.expect("cleared");
        }
        lane.session().expect("there").turn_id.is_none()
    }

    async fn answer(&mut self, call: ModelCall) {
        if asks_for_summary(&call) {
            return call.answer("all of it").await;
        }
        if self.below(5) == 0 {
            // The turn may be at its end, or be stopped.
            let _refused = self.rig.steer(self.id, "and this").await;
        }
        match self.below(10) {
            0 => call.fail(provider_error(true)).await,
            1..5 => {
                self.calls += 1;
                let ids = [format!("a{}", self.calls), format!("b{}", self.calls)];
                let calls = [(ids[0].as_str(), "look"), (ids[1].as_str(), "write")];
                let count = 1 + self.below(2) as usize;
                call.tools_uncounted(&calls[..count]).await;
            }
            _ => call.answer_uncounted("answer").await,
        }
    }

    async fn next(&self, follower: &mut Follower) -> Next {
        // Time stands still: what is still silent after so much of it waits for a hook.
        let silence = tokio::time::sleep(std::time::Duration::from_secs(30));
        tokio::pin!(silence);
        loop {
            tokio::select! {
                biased;
                event = follower.next() => {
                    if event["type"] == "turn_outcome" {
                        return Next::Ended;
                    }
                }
                call = self.rig.model() => return Next::Model(call),
                run = self.rig.tool() => return Next::Tool(run),
                () = &mut silence => return Next::Stuck,
            }
        }
    }

    /// The next daemon, on what this one leaves when it is killed now.
    fn restart(&mut self, resumes: bool) {
        let on_restart = match resumes {
            true => OnRestart::Resume,
            false => OnRestart::Mark,
        };
        let settings = SessionSettings {
            on_restart,
            ..settings()
        };
        let next = self.rig.crashed().restarted_with(settings);
        self.old.push(std::mem::replace(&mut self.rig, next));
        self.plan();
    }

    async fn compact(&self) {
        let mut follower = self.rig.follow(self.id).await;
        let lane = self.rig.lane(self.id).await;
        if lane.compact(plain(), None).await.is_err() {
            return;
        }
        loop {
            tokio::select! {
                biased;
                event = follower.next() => {
                    let ended = event["type"] == "compaction" && event["state"] != "started";
                    if ended || event["type"] == "compact" {
                        return;
                    }
                }
                call = self.rig.model() => call.answer("all of it").await,
                () = tokio::time::sleep(std::time::Duration::from_secs(30)) => {
                    lane.cancel(None);
                }
            }
        }
    }

    async fn rewind(&self) {
        let log = self.rig.log(self.id).fold();
        let path = log.tree.path(log.leaf());
        if path.is_empty() {
            return;
        }
        let target = path[self.below(path.len() as u64) as usize].id;
        let expected = leaf(&self.rig, self.id).await;
        // Some are no place to go back to.
        let _refused = self
            .rig
            .lane(self.id)
            .await
            .mutate(MoveLeaf {
                command: crate::travel::plain(),
                target: LeafTarget::Ancestor(Some(target)),
                expected_leaf: expected,
            })
            .await;
    }

    async fn clone(&mut self) {
        let before = rebuilt(&self.rig.log(self.id));
        let end = leaf(&self.rig, self.id).await;
        let Ok(copy) = within(clone(&self.rig, self.id, end)).await else {
            return;
        };
        self.id = copy;
        same(
            &rebuilt(&self.rig.log(copy)),
            &before,
            "a clone has the same context",
        );
    }
}

/// Fails with the first messages that differ: whole contexts are long.
fn same(found: &Context, expected: &Context, what: &str) {
    if found != expected {
        let mut both = found.iter().zip(expected);
        let first = both.position(|(found, expected)| found != expected);
        let at = first.unwrap_or(found.len().min(expected.len()));
        let excerpt = |context: &Context| {
            let message = (at < context.len()).then(|| &context[at]);
            format!("{message:?}").chars().take(600).collect::<String>()
        };
        let (one, other) = (excerpt(found), excerpt(expected));
        panic!("{what}: message {at}: {one} is not {other}");
    }
}

/// The context that the log folds into, without any state of a daemon.
fn rebuilt(log: &Log) -> Context {
    let events: Vec<PersistentEvent> = log
        .lines
        .iter()
        .filter_map(|line| match Event::decode(line).expect("an event") {
            Event::Persistent(event) => Some(*event),
            _ => None,
        })
        .collect();
    let mut view = SessionView::default();
    events.iter().for_each(|event| view.apply_persistent(event));
    let known: HashMap<EventId, &PersistentEvent> = events.iter().map(|it| (it.id, it)).collect();
    let path = view.tree.path(view.leaf());
    let path: Vec<PersistentEvent> = path.iter().map(|node| known[&node.id].clone()).collect();
    let edits = events.iter().filter(|event| event.body.edits_context());
    let edits: Vec<PersistentEvent> = edits.cloned().collect();
    build_context(&path, &edits)
}

#[test]
fn a_request_is_the_fold_of_the_log_whatever_hooks_say_and_daemons_do() {
    let histories = Histories::new("SCOREL_HOOK_HISTORIES", 100);
    let requests = AtomicUsize::new(0);
    histories.play_at_once(4, |seed| {
        // Of its own, so that the time of each stands still.
        let mut runtime = Builder::new_current_thread();
        let runtime = runtime.enable_all().start_paused(true).build();
        let sent = runtime.expect("a runtime").block_on(async {
            let mut history = History::new(seed).await;
            history.run().await;
            history.requests
        });
        requests.fetch_add(sent, Ordering::Relaxed);
    });
    let (requests, count) = (requests.into_inner(), histories.seeds().count());
    println!("{requests} requests of {count} histories");
    assert!(requests > count * 3, "{requests}");
}
