//! A cancel after every event and every chunk of a turn that does all that a turn can do.

use std::sync::Arc;
use std::time::Duration;

use scorel_engine::{ModelRequest, ProviderError, ProviderEvent, tool_calls};
use scorel_proto::{
    ClientId, Context, Message, PermissionDecision, PermissionDecisionBody, SessionId, StopReason,
    TurnId,
};
use scorel_session::{Lane, MutationCommand, PermissionResponse};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::compaction::{WINDOW, asks_for_summary, long};
use crate::follower::Follower;
use crate::log::{name, text};
use crate::permission::question;
use crate::rig::Rig;
use crate::stage::{ModelCall, ToolRun, USAGE, limited, overflow, provider_error};
use crate::strict::assert_accepted;

/// How long an interrupted tool takes: as long as a command that ignores SIGTERM.
const STUBBORN: Duration = Duration::from_secs(2);

/// The most that may pass between a cancel and the outcome.
const LIMIT: Duration = Duration::from_millis(2_500);

/// More than the engine needs for what it was given.
const SETTLED: Duration = Duration::from_millis(500);

/// The turn was cancelled, or was over when it should have been.
struct Reached;

/// A turn with a wait, a retry, three calls, a question and a compaction.
struct EventfulTurn {
    rig: Arc<Rig>,
    id: SessionId,
    lane: Arc<Lane>,
    turn: TurnId,
    follower: Follower,
    call: Option<ModelCall>,
    runs: Vec<ToolRun>,
    /// How many points it passes before its cancel.
    left: usize,
    taken: bool,
}

impl EventfulTurn {
    /// In a conversation that is long enough for a compaction, before a message that waits.
    async fn with_cancel_at(point: usize) -> Self {
        let rig = Rig::new();
        rig.plan(|plan| {
            plan.window = Some(WINDOW);
            plan.question = Some(question());
        });
        let id = rig.session().await;
        let mut follower = rig.follow(id).await;
        for number in ["0", "1", "2"] {
            rig.begin(id, &long(number)).await;
            rig.model().await.answer_uncounted("yes").await;
            assert_eq!(follower.outcome().await, "completed");
        }
        let lane = rig.lane(id).await;
        let turn = rig.begin(id, "go").await;
        rig.say(id, "later").await;
        Self {
            rig: Arc::new(rig),
            id,
            lane,
            turn,
            follower,
            call: None,
            runs: Vec::new(),
            left: point,
            taken: false,
        }
    }

    /// Plays the turn up to its cancel.
    async fn play(&mut self) -> Result<(), Reached> {
        self.fails(limited(Duration::from_secs(120))).await?;
        self.fails(provider_error(true)).await?;
        self.asks_for_tools().await?;
        self.runs_tools().await?;
        self.fails(overflow()).await?;
        self.model().await?;
        assert!(self.call.as_ref().is_some_and(asks_for_summary));
        self.says(0, &["They ", "said ", "yes."]).await?;
        self.done(StopReason::EndTurn).await?;
        self.model().await?;
        self.says(0, &["All ", "is ", "done."]).await?;
        self.done(StopReason::EndTurn).await
    }

    async fn asks_for_tools(&mut self) -> Result<(), Reached> {
        self.model().await?;
        for delta in ["Let ", "me ", "see."] {
            let delta = delta.to_owned();
            self.chunk(ProviderEvent::Thinking { block: 0, delta })
                .await?;
        }
        self.says(1, &["I ", "look ", "first."]).await?;
        for (block, name) in [(2, "look"), (3, "peek"), (4, "write")] {
            let start = ProviderEvent::ToolCallStart {
                block,
                id: format!("call_{name}"),
                name: name.to_owned(),
                provider: None,
            };
            self.chunk(start).await?;
            for delta in ["{\"a\"", ":1}"] {
                let delta = delta.to_owned();
                self.chunk(ProviderEvent::ToolCallDelta { block, delta })
                    .await?;
            }
        }
        self.done(StopReason::ToolUse).await
    }

    /// Two tools together, then one that is asked about.
    async fn runs_tools(&mut self) -> Result<(), Reached> {
        for _ in 0..2 {
            self.tool().await?;
        }
        for partial in ["half", "nearly all"] {
            self.runs[0].show(json!(partial));
            self.passed()?;
        }
        for _ in 0..2 {
            self.runs.remove(0).end("seen");
            self.passed()?;
        }
        self.settle().await?;
        let request_id = self.follower.view.state.permissions[0].request_id;
        let decision = PermissionDecisionBody {
            request_id,
            decision: PermissionDecision::Once,
            reason: None,
            by: None,
        };
        let command = MutationCommand::new(ClientId::Daemon, None, "respondPermission", &());
        let answered = self
            .lane
            .mutate(PermissionResponse { command, decision })
            .await;
        answered.expect("it is asked");
        self.tool().await?;
        self.runs[0].show(json!("writing"));
        self.settle().await?;
        self.runs.remove(0).end("written");
        self.point().await
    }

    async fn model(&mut self) -> Result<(), Reached> {
        let rig = Arc::clone(&self.rig);
        self.call = Some(self.reach(rig.model()).await?);
        Ok(())
    }

    async fn tool(&mut self) -> Result<(), Reached> {
        let rig = Arc::clone(&self.rig);
        let run = self.reach(rig.tool()).await?;
        self.runs.push(run);
        Ok(())
    }

    async fn fails(&mut self, error: ProviderError) -> Result<(), Reached> {
        self.model().await?;
        self.call.take().expect("called").fail(error).await;
        self.point().await
    }

    async fn says(&mut self, block: usize, deltas: &[&str]) -> Result<(), Reached> {
        for delta in deltas {
            let delta = (*delta).to_owned();
            self.chunk(ProviderEvent::Text { block, delta }).await?;
        }
        Ok(())
    }

    async fn done(&mut self, stop_reason: StopReason) -> Result<(), Reached> {
        let usage = Some(USAGE);
        self.chunk(ProviderEvent::Done {
            stop_reason,
            usage,
            charged: None,
            provider: None,
        })
        .await
    }

    async fn chunk(&mut self, event: ProviderEvent) -> Result<(), Reached> {
        self.call.as_ref().expect("called").event(event).await;
        self.point().await
    }

    /// A point before the engine has seen what it was given, and those that follow from it.
    async fn point(&mut self) -> Result<(), Reached> {
        self.passed()?;
        self.settle().await
    }

    async fn settle(&mut self) -> Result<(), Reached> {
        self.reach(sleep(SETTLED)).await
    }

    /// Waits for `wanted`. Every event on the way is a point.
    async fn reach<T>(&mut self, wanted: impl Future<Output = T>) -> Result<T, Reached> {
        let mut wanted = Box::pin(wanted);
        loop {
            let event: Value = tokio::select! {
                biased;
                event = self.follower.next() => event,
                found = &mut wanted => return Ok(found),
            };
            if event["seq"].is_u64() {
                self.passed()?;
            }
        }
    }

    /// Passes a point; at the last one the turn is cancelled.
    fn passed(&mut self) -> Result<(), Reached> {
        self.left -= 1;
        if self.left > 0 {
            return Ok(());
        }
        self.taken = self.lane.cancel(Some(self.turn));
        Err(Reached)
    }

    /// The turn ends in time. Its tools end late.
    async fn ends(&mut self) {
        let cancelled_at = Instant::now();
        let reason = self.reason().await;
        let took = cancelled_at.elapsed();
        assert!(took <= LIMIT, "{took:?}");
        let expected = if self.taken { "cancelled" } else { "completed" };
        assert_eq!(reason, expected);
    }

    async fn reason(&mut self) -> String {
        let rig = Arc::clone(&self.rig);
        for run in self.runs.drain(..) {
            tokio::spawn(end_late(run));
        }
        let tools = async {
            loop {
                tokio::spawn(end_late(rig.tool().await));
            }
        };
        let (follower, turn) = (&mut self.follower, Some(self.turn));
        let outcome = async {
            while follower.view.state.turn_id() == turn {
                follower.next().await;
            }
        };
        tokio::select! {
            () = outcome => {}
            () = tools => unreachable!("it has no end"),
        }
        let events = self.follower.events();
        let outcome = events.iter().rfind(|event| name(event) == "turn_outcome");
        text(outcome.expect("seen"), "reason").to_owned()
    }

    /// The requests of the next turns. A cancel pauses the queue; a message lets it go on.
    async fn next_requests(mut self) -> Vec<ModelRequest> {
        let mut turns = 1;
        if self.taken {
            let session = self.lane.session().expect("there");
            assert_eq!((session.queue.len(), session.queue_paused), (1, true));
            self.rig.say(self.id, "and now?").await;
            turns += 1;
        }
        let mut requests = Vec::new();
        while turns > 0 {
            let call = self.rig.model().await;
            if call.events.is_closed() {
                // The cancelled turn's last one.
                continue;
            }
            assert_no_call_dangles(&call.request.messages);
            requests.push(call.request.clone());
            let is_summary = asks_for_summary(&call);
            call.answer("they go on").await;
            if !is_summary {
                assert_eq!(self.follower.outcome().await, "completed");
                turns -= 1;
            }
        }
        self.rig.check(self.id).await;
        requests
    }
}

/// Providers would answer a dangling call in the request, so the endpoints do not tell.
fn assert_no_call_dangles(context: &Context) {
    let mut due: Vec<String> = Vec::new();
    for message in context {
        if let Message::ToolResult(message) = message {
            assert_eq!(due.remove(0), message.result().tool_use_id);
            continue;
        }
        assert_eq!(due, [""; 0], "calls without results");
        if let Message::Assistant(message) = message {
            due = tool_calls(message)
                .into_iter()
                .map(|call| call.id)
                .collect();
        }
    }
    assert_eq!(due, [""; 0], "calls without results");
}

async fn end_late(run: ToolRun) {
    run.interrupted().await;
    sleep(STUBBORN).await;
    run.end("what there was");
}

#[tokio::test(start_paused = true)]
async fn at_every_point_a_cancel_ends_the_turn_in_time_and_the_next_request_is_accepted() {
    let mut requests = Vec::new();
    let mut points = 0;
    loop {
        let mut turn = EventfulTurn::with_cancel_at(points + 1).await;
        let is_whole = turn.play().await.is_ok();
        if !is_whole {
            points += 1;
            turn.ends().await;
        }
        requests.extend(turn.next_requests().await);
        if is_whole {
            break;
        }
    }
    assert!(points >= 60, "{points}");
    assert_accepted(&requests).await;
}
