//! Conversations that get too long.

mod auxiliary;
mod counted;
mod failing;
mod fixed;
mod former;
mod images;
mod meanwhile;
mod step;
mod stopped;
mod trim;

use scorel_proto::{
    Block, CompactionFacts, Context, Message, Phase, SendMessageResult, SessionId, StopReason,
    Usage,
};
use scorel_session::{MutationCommand, SessionError};

use crate::follower::Follower;
use crate::log::{Log, text};
use crate::rig::{Rig, client};
use crate::stage::{ModelCall, overflow, provider_error};

/// A window of 20,000 tokens: 5,000 of them for the answer, so the budget is 15,000. A fourth may stay.
pub(crate) const WINDOW: u64 = 20_000;

/// The characters of 3,360 tokens.
const LONG: usize = 12_000;

struct Scene {
    rig: Rig,
    id: SessionId,
    follower: Follower,
}

impl Scene {
    /// A conversation of so many long questions with short answers.
    async fn with(questions: usize) -> Self {
        let rig = Rig::new();
        rig.plan(|plan| plan.window = Some(WINDOW));
        let id = rig.session().await;
        let follower = rig.follow(id).await;
        let mut scene = Self { rig, id, follower };
        scene.ask(questions).await;
        scene
    }

    async fn ask(&mut self, questions: usize) {
        for number in 0..questions {
            self.rig.begin(self.id, &long(&number.to_string())).await;
            self.rig.model().await.answer_uncounted("yes").await;
            assert_eq!(self.follower.outcome().await, "completed");
        }
    }

    /// The next question, which is one too many; the call for a summary.
    async fn one_too_many(&self) -> ModelCall {
        self.rig.begin(self.id, &long("last")).await;
        let call = self.rig.model().await;
        assert!(asks_for_summary(&call), "{:?}", call.request);
        call
    }

    async fn compact(&self) -> Result<(), SessionError> {
        let lane = self.rig.lane(self.id).await;
        lane.compact(plain(), None).await.map(drop)
    }
}

pub(crate) fn long(name: &str) -> String {
    format!("{name} {}", "x".repeat(LONG))
}

pub(crate) fn plain() -> MutationCommand {
    MutationCommand::new(client(), None, "compact", &())
}

pub(crate) fn asks_for_summary(call: &ModelCall) -> bool {
    last_text(call).is_some_and(|text| text.contains("## Next step"))
}

/// The text of the last message, if that is a user's.
fn last_text(call: &ModelCall) -> Option<String> {
    match call.request.messages.last() {
        Some(Message::User(message)) => Some(Block::plain_text_of(&message.content)),
        _ => None,
    }
}

/// The first words of each message.
fn outline(context: &Context) -> Vec<String> {
    let words = |message: &Message| {
        let content = match message {
            Message::User(message) => &message.content,
            Message::Assistant(message) => &message.content,
            Message::ToolResult(message) => &message.result().content,
            Message::Internal(message) => &message.content,
        };
        let text = Block::plain_text_of(content);
        text.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    context.iter().map(words).collect()
}

fn states(log: &Log) -> Vec<&str> {
    let all = log.all("compaction");
    all.iter().map(|record| text(record, "state")).collect()
}

#[tokio::test(start_paused = true)]
async fn over_budget_a_summary_takes_the_place_of_the_older_messages() {
    let mut scene = Scene::with(4).await;
    scene.rig.plan(|plan| {
        plan.facts = CompactionFacts {
            files: vec!["src/a.rs".to_owned()],
            ..CompactionFacts::default()
        };
    });
    let summary = scene.one_too_many().await;
    assert_eq!(
        outline(&summary.request.messages)[..7],
        ["0", "yes", "1", "yes", "2", "yes", "3"]
    );
    assert_eq!(
        summary.request.tools.len(),
        3,
        "the endpoint has them in its cache"
    );
    summary.answer("they said yes").await;
    let call = scene.rig.model().await;
    assert_eq!(
        outline(&call.request.messages),
        ["<system-reminder>", "yes", "last"]
    );
    let reminder = Block::plain_text_of(match &call.request.messages[0] {
        Message::User(message) => &message.content,
        other => panic!("{other:?}"),
    });
    assert!(
        reminder.contains("they said yes") && reminder.contains("- src/a.rs"),
        "{reminder}"
    );
    call.answer("done").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    let log = scene.rig.check(scene.id).await;
    assert_eq!(states(&log), ["started"]);
    let (started, compact) = (log.only("compaction"), log.only("compact"));
    assert_eq!(started["compactionId"], compact["compactionId"]);
    assert_eq!(started["trigger"], "threshold");
    assert_eq!(compact["model"], "script:script-1");
    assert_eq!(compact["usage"]["inputTokens"], 10);
    assert!(compact["tokensAfter"].as_u64() < compact["tokensBefore"].as_u64());
    let outcome = log.all("turn_outcome");
    let usage = &outcome.last().expect("an outcome")["usage"];
    assert_eq!(usage["inputTokens"], 20, "the summary counts for the turn");
}

#[tokio::test(start_paused = true)]
async fn the_size_that_an_endpoint_reports_counts() {
    let mut scene = Scene::with(1).await;
    scene.rig.begin(scene.id, "short").await;
    let usage = Usage {
        input_tokens: 14_990,
        output_tokens: 20,
        ..Usage::default()
    };
    scene.rig.model().await.answer_counted("yes", usage).await;
    assert_eq!(scene.follower.outcome().await, "completed");
    scene.rig.begin(scene.id, "again").await;
    let summary = scene.rig.model().await;
    assert!(asks_for_summary(&summary));
    summary.answer("all").await;
    scene.rig.model().await.answer("done").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    scene.rig.check(scene.id).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_no_summary_is_asked_for_once_more() {
    let mut scene = Scene::with(4).await;
    let summary = scene.one_too_many().await;
    summary.tools(&[("c1", "look")]).await;
    let again = scene.rig.model().await;
    assert!(asks_for_summary(&again));
    again.answer("the second try").await;
    scene.rig.model().await.answer("done").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    let log = scene.rig.check(scene.id).await;
    assert_eq!(text(log.only("compact"), "summary"), "the second try");
    assert_eq!(log.only("compact")["usage"]["inputTokens"], 20);
}

#[tokio::test(start_paused = true)]
async fn without_a_summary_the_turn_goes_on_while_a_call_has_room() {
    for how in ["empty", "cut off", "larger", "refused"] {
        let mut scene = Scene::with(4).await;
        refuse(scene.one_too_many().await, how).await;
        if how != "refused" {
            let again = scene.rig.model().await;
            assert!(asks_for_summary(&again), "{how}");
            refuse(again, how).await;
        }
        let call = scene.rig.model().await;
        assert!(!asks_for_summary(&call), "{how}");
        call.answer("done").await;
        assert_eq!(scene.follower.outcome().await, "completed", "{how}");
        let log = scene.rig.check(scene.id).await;
        assert_eq!(states(&log), ["started", "failed"], "{how}");
    }
}

async fn refuse(summary: ModelCall, how: &str) {
    match how {
        "empty" => summary.answer(" ").await,
        "cut off" => {
            summary.text("half").await;
            summary.done(StopReason::MaxTokens).await;
        }
        "larger" => summary.answer(&"y".repeat(60_000)).await,
        _ => summary.fail(provider_error(false)).await,
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_passes_costs_a_retry_and_no_attempt() {
    let mut scene = Scene::with(4).await;
    scene.one_too_many().await.fail(provider_error(true)).await;
    let again = scene.rig.model().await;
    assert!(asks_for_summary(&again));
    again.answer("all").await;
    scene.rig.model().await.answer("done").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    assert_eq!(states(&scene.rig.check(scene.id).await), ["started"]);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_made_smaller_is_an_error_that_names_the_sizes() {
    let rig = Rig::new();
    rig.plan(|plan| plan.window = Some(WINDOW));
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, &"x".repeat(80_000)).await;
    assert_eq!(follower.outcome().await, "error");
    let log = rig.check(id).await;
    let error = &log.only("turn_outcome")["error"];
    assert_eq!(error["code"], "context_overflow");
    let message = text(error, "message");
    for part in ["20000", "instructions", "tools", "messages 22"] {
        assert!(message.contains(part), "{message}");
    }
    let sizes = &error["sizes"];
    assert_eq!(
        (sizes["window"].as_u64(), sizes["kept"].as_u64()),
        (Some(WINDOW), Some(22_408))
    );
    assert_eq!(states(&log), [""; 0], "there is nothing to summarise");
}

#[tokio::test(start_paused = true)]
async fn two_summaries_in_vain_are_the_last() {
    let mut scene = Scene::with(4).await;
    // Even after a summary the endpoint counts more than the budget.
    let usage = Usage {
        input_tokens: 16_000,
        output_tokens: 10,
        ..Usage::default()
    };
    let mut summaries = 0;
    scene.rig.begin(scene.id, &long("last")).await;
    for _ in 0..4 {
        loop {
            let call = scene.rig.model().await;
            if !asks_for_summary(&call) {
                call.answer_counted("yes", usage).await;
                break;
            }
            summaries += 1;
            call.answer("all").await;
        }
        assert_eq!(scene.follower.outcome().await, "completed");
        scene.rig.begin(scene.id, "short").await;
    }
    let call = scene.rig.model().await;
    assert!(!asks_for_summary(&call));
    call.answer("done").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    assert_eq!(summaries, 2);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_refused_as_too_large_is_made_again_once() {
    let mut scene = Scene::with(3).await;
    scene.rig.begin(scene.id, "short").await;
    scene.rig.model().await.fail(overflow()).await;
    let summary = scene.rig.model().await;
    assert!(asks_for_summary(&summary));
    summary.answer("all").await;
    // The window is smaller than the estimate said, so the conversation is quoted in parts.
    let again = loop {
        let call = scene.rig.model().await;
        if !asks_for_summary(&call) {
            break call;
        }
        assert_eq!(call.request.messages.len(), 1);
        let text = last_text(&call).unwrap_or_default();
        assert!(
            text.starts_with("<summary>\nall"),
            "with the summary so far"
        );
        call.answer("all").await;
    };
    assert_eq!(
        outline(&again.request.messages).last().map(String::as_str),
        Some("short")
    );
    again.fail(overflow()).await;
    assert_eq!(scene.follower.outcome().await, "error");
    let log = scene.rig.check(scene.id).await;
    assert_eq!(log.only("compaction")["trigger"], "overflow");
    let outcome = log.all("turn_outcome");
    assert_eq!(
        outcome.last().expect("one")["error"]["code"],
        "context_overflow"
    );
}

#[tokio::test(start_paused = true)]
async fn a_user_can_ask_for_a_summary_and_send_meanwhile() {
    let mut scene = Scene::with(1).await;
    let short = scene.compact().await;
    assert!(
        matches!(short, Err(SessionError::NothingToCompact)),
        "{short:?}"
    );
    for name in ["1", "2"] {
        scene.rig.begin(scene.id, &long(name)).await;
        scene.rig.model().await.answer_uncounted("yes").await;
        scene.follower.outcome().await;
    }
    let lane = scene.rig.lane(scene.id).await;
    let command = MutationCommand::new(client(), Some("k".parse().unwrap()), "compact", &());
    let wanted = Some("name the files".to_owned());
    let begun = lane
        .compact(command.clone(), wanted.clone())
        .await
        .expect("it begins");
    assert_eq!(lane.phase().0, Phase::Preparing);
    let call = scene.rig.model().await;
    assert!(last_text(&call).is_some_and(|text| text.ends_with("name the files")));
    let busy = scene.compact().await;
    assert!(
        matches!(
            busy,
            Err(SessionError::Busy {
                phase: Phase::Preparing,
                ..
            })
        ),
        "{busy:?}"
    );
    let queued = scene.rig.say(scene.id, "meanwhile").await;
    assert!(matches!(queued, SendMessageResult::Queued { .. }));
    call.answer("all").await;
    let next = scene.rig.model().await;
    assert_eq!(
        outline(&next.request.messages),
        ["<system-reminder>", "yes", "2", "yes", "meanwhile"]
    );
    next.answer("done").await;
    assert_eq!(scene.follower.outcome().await, "completed");
    let again = lane
        .compact(command, wanted)
        .await
        .expect("the same answer");
    assert_eq!(again, begun);
    let log = scene.rig.check(scene.id).await;
    assert_eq!(states(&log), ["started"]);
    assert_eq!(log.only("compaction")["trigger"], "manual");
    assert!(log.only("compact")["turnId"].is_null());
}

#[tokio::test(start_paused = true)]
async fn a_summary_of_a_summary_stands_alone() {
    let mut scene = Scene::with(3).await;
    for round in 0..2 {
        scene.compact().await.expect("it begins");
        let call = scene.rig.model().await;
        let first = &outline(&call.request.messages)[0];
        assert_eq!(
            first == "<system-reminder>",
            round > 0,
            "the older summary is rewritten"
        );
        call.answer("all").await;
        scene.follower.until("compact").await;
        scene.rig.begin(scene.id, &long("more")).await;
        let call = scene.rig.model().await;
        let summaries = outline(&call.request.messages);
        let count = summaries
            .iter()
            .filter(|word| *word == "<system-reminder>")
            .count();
        assert_eq!(count, 1, "{summaries:?}");
        call.answer_uncounted("yes").await;
        scene.follower.outcome().await;
    }
    scene.rig.check(scene.id).await;
}

#[tokio::test(start_paused = true)]
async fn a_long_turn_is_cut_between_its_steps_and_keeps_its_question() {
    let rig = Rig::new();
    rig.plan(|plan| plan.window = Some(WINDOW));
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "read it all").await;
    let mut summaries = 0;
    let mut step = 0;
    while step < 20 {
        let call = rig.model().await;
        if asks_for_summary(&call) {
            summaries += 1;
            call.answer("so far").await;
            continue;
        }
        let context = outline(&call.request.messages);
        assert!(context.iter().any(|word| word == "read"), "{context:?}");
        let name = format!("c{step}");
        call.tools_uncounted(&[(&name, "look")]).await;
        rig.tool().await.end(&long(&name));
        step += 1;
    }
    loop {
        let call = rig.model().await;
        if !asks_for_summary(&call) {
            call.answer("read").await;
            break;
        }
        call.answer("so far").await;
        summaries += 1;
    }
    assert_eq!(follower.outcome().await, "completed");
    assert!(summaries >= 4, "{summaries}");
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn the_context_is_described() {
    let scene = Scene::with(2).await;
    let lane = scene.rig.lane(scene.id).await;
    let report = lane.context_report().await.expect("readable");
    assert_eq!(report.model, "script:script-1");
    assert_eq!((report.context_window, report.budget), (20_000, 15_000));
    assert!(report.automatic && !report.measured);
    let kinds: Vec<&str> = report.parts.iter().map(|part| part.kind.as_str()).collect();
    assert_eq!(kinds, ["instructions", "tools", "user", "assistant"]);
    assert!((6_700..7_200).contains(&report.tokens), "{report:?}");
    assert_eq!(report.parts[2].count, 2);
}
