//! Hooks at the points of a turn: what they change is in the log, and the model reads the fold of it.

mod again;
mod beginnings;
mod histories;
mod room;

use std::fmt;
use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, pending, ready};
use scorel_engine::{HookChain, Hooks, Moment, MomentAnswer, MomentVerdict, Occasion};
use scorel_proto::{
    Block, CompactionTrigger, Context, ContextOp, CustomMessageBody, EventId, HookPoint, Message,
    OnRestart, Role, SessionId,
};
use scorel_session::{AppendMessage, MutationCommand, SessionSettings};
use serde_json::json;

use crate::compaction::{WINDOW, asks_for_summary, long, plain};
use crate::follower::within;
use crate::log::text;
use crate::rig::{Rig, client, settings};
use crate::stage::{limited, provider_error};

type Answer = Box<dyn Fn(&Moment) -> MomentAnswer + Send + Sync>;

/// A hook that answers as a test says, and keeps what it sees.
struct Hook {
    name: &'static str,
    points: &'static [HookPoint],
    /// `None` never answers.
    answer: Option<Answer>,
    seen: Arc<Mutex<Vec<Moment>>>,
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Hooks for Hook {
    fn name(&self) -> &str {
        self.name
    }

    fn attends(&self, point: HookPoint) -> bool {
        self.points.contains(&point)
    }

    fn attends_beginnings(&self) -> bool {
        self.points.is_empty()
    }

    fn at(&self, moment: &Moment) -> BoxFuture<'static, MomentAnswer> {
        self.seen.lock().expect("it is").push(moment.clone());
        match &self.answer {
            Some(answer) => Box::pin(ready(answer(moment))),
            None => Box::pin(pending()),
        }
    }
}

type Seen = Arc<Mutex<Vec<Moment>>>;

fn hook(
    name: &'static str,
    points: &'static [HookPoint],
    answer: impl Fn(&Moment) -> MomentAnswer + Send + Sync + 'static,
) -> (HookChain, Seen) {
    let seen = Seen::default();
    let hook = Hook {
        name,
        points,
        answer: Some(Box::new(answer)),
        seen: Arc::clone(&seen),
    };
    (HookChain::new(vec![Arc::new(hook)]), seen)
}

fn inject(text: &str) -> MomentAnswer {
    MomentAnswer {
        inject: Some(text.to_owned()),
        ..MomentAnswer::default()
    }
}

fn verdict(verdict: MomentVerdict) -> MomentAnswer {
    MomentAnswer {
        verdict,
        ..MomentAnswer::default()
    }
}

fn edits(edits: Vec<ContextOp>) -> MomentAnswer {
    MomentAnswer {
        edits,
        ..MomentAnswer::default()
    }
}

/// Replaces a word in every message.
fn redacts(moment: &Moment, word: &str) -> MomentAnswer {
    let with = moment.messages.iter().filter(|it| it.text.contains(word));
    edits(
        with.map(|it| ContextOp::replace(it.event_id, it.text.replace(word, "[gone]")))
            .collect(),
    )
}

async fn rig(hooks: HookChain) -> (Rig, SessionId) {
    let rig = Rig::new();
    rig.plan(|plan| plan.hooks = hooks);
    let id = rig.session().await;
    (rig, id)
}

fn texts(context: &Context) -> Vec<String> {
    let text = |message: &Message| Block::plain_text_of(message.content());
    context.iter().map(text).collect()
}

const REMEMBER: &str = "<system-reminder>\nremember\n</system-reminder>";

#[tokio::test(start_paused = true)]
async fn what_a_hook_injects_is_a_message_or_part_of_the_result_before_it() {
    let (hooks, seen) = hook("remind", &[HookPoint::Start, HookPoint::Call], |_| {
        inject("remember")
    });
    let (rig, id) = rig(hooks).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let model = rig.model().await;
    assert_eq!(texts(&model.request.messages), ["go", REMEMBER]);
    model.tools(&[("c1", "look")]).await;
    rig.tool().await.end("seen");
    let model = rig.model().await;
    let sent = texts(&model.request.messages);
    assert_eq!(sent[3..], [format!("seen\n{REMEMBER}")]);
    model.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    rig.begin(id, "more").await;
    rig.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = rig.check(id).await;
    let told = log.all("custom_message");
    let points: Vec<&str> = told.iter().map(|it| text(&it["data"], "point")).collect();
    assert_eq!(points, ["start", "call", "start"]);
    assert!(told.iter().all(|it| it["kind"] == "hook.remind"));
    let seen = seen.lock().expect("it is");
    let firsts: Vec<&Occasion> = seen.iter().map(|it| &it.occasion).collect();
    let start = |first_turn| Occasion::Start { first_turn };
    assert_eq!(firsts, [&start(true), &Occasion::Call, &start(false)]);
    let shown: Vec<&str> = seen.iter().map(|it| it.messages[0].text.as_str()).collect();
    assert_eq!(shown, ["go", "seen", "more"], "not the history");
    assert!(
        seen.iter()
            .all(|it| it.messages.len() == 1 && it.attempt == 1)
    );
    let result = &seen[1].messages[0];
    assert_eq!(
        (result.role, result.tool_name.as_deref()),
        (Role::ToolResult, Some("look"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_denied_turn_makes_no_call_and_no_later_one_has_its_message() {
    let (hooks, _) = hook("guard", &[HookPoint::Start], |moment| {
        let is_bad = moment.messages.iter().any(|it| it.text.contains("secret"));
        match is_bad {
            true => verdict(MomentVerdict::Deny("it names a secret".to_owned())),
            false => MomentAnswer::default(),
        }
    });
    let (rig, id) = rig(hooks).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "the secret is 42").await;
    assert_eq!(follower.outcome().await, "error");
    let log = rig.check(id).await;
    let error = &log.only("turn_outcome")["error"];
    assert_eq!(error["code"], "hook_denied");
    assert_eq!(error["message"], "guard: it names a secret");
    rig.begin(id, "hello").await;
    let model = rig.model().await;
    let sent = texts(&model.request.messages);
    assert!(!sent.concat().contains("42"), "{sent:?}");
    assert!(sent[0].contains("guard denied it"), "{sent:?}");
    model.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    let lines = rig.log(id).lines.concat();
    assert!(lines.contains("secret is 42"), "the log has it");
}

#[tokio::test(start_paused = true)]
async fn hooks_make_a_turn_go_on_at_its_end_eight_times_at_most() {
    let (hooks, seen) = hook("tests", &[HookPoint::End], |_| {
        verdict(MomentVerdict::GoOn("the tests fail".to_owned()))
    });
    let (rig, id) = rig(hooks).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    for step in 0..9 {
        let model = rig.model().await;
        let last = texts(&model.request.messages).pop().expect("it is");
        assert_eq!(last.contains("the tests fail"), step > 0, "{last}");
        model.answer(&format!("done {step}")).await;
    }
    assert_eq!(follower.outcome().await, "completed");
    rig.check(id).await;
    let seen = seen.lock().expect("it is");
    let ends: Vec<&Occasion> = seen.iter().map(|it| &it.occasion).collect();
    let end = |went_on| Occasion::End {
        went_on,
        background: Arc::default(),
    };
    assert_eq!(ends.len(), 8);
    assert_eq!((ends[0], ends[7]), (&end(0), &end(7)));
    assert_eq!(seen[7].messages.len(), 1);
    assert_eq!(seen[7].messages[0].text, "done 7");
}

#[tokio::test(start_paused = true)]
async fn a_hook_can_end_a_turn_as_completed() {
    let (hooks, _) = hook("enough", &[HookPoint::Call], |_| {
        verdict(MomentVerdict::Stop("enough".to_owned()))
    });
    let (rig, id) = rig(hooks).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    rig.model().await.tools(&[("c1", "look")]).await;
    rig.tool().await.end("seen");
    assert_eq!(follower.outcome().await, "completed");
    rig.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn what_no_request_has_had_can_be_edited_and_nothing_else() {
    let sent: Arc<Mutex<Vec<ContextOp>>> = Arc::default();
    let later = Arc::clone(&sent);
    let (hooks, seen) = hook("edit", &[HookPoint::Call], move |moment| {
        let result = moment.messages[0].event_id;
        let mut earlier = later.lock().expect("it is");
        match earlier.len() {
            // A result is not hidden, so nothing of this counts.
            0 => {
                earlier.push(ContextOp::replace(result, "late"));
                edits(vec![
                    ContextOp::replace(result, "in vain"),
                    ContextOp::hide(result),
                ])
            }
            1 => {
                earlier.push(ContextOp::replace(result, "late"));
                edits(vec![
                    ContextOp::hide(result),
                    ContextOp::replace(result, "two"),
                ])
            }
            // It was sent.
            _ => edits(earlier.clone()),
        }
    });
    let (rig, id) = rig(hooks).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    for name in ["one", "zwei", "three"] {
        rig.model().await.tools(&[(name, "look")]).await;
        rig.tool().await.end(name);
    }
    let model = rig.model().await;
    let context = texts(&model.request.messages);
    let results: Vec<&str> = [2, 4, 6].map(|at| context[at].as_str()).to_vec();
    assert_eq!(results, ["one", "two", "three"]);
    model.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = rig.check(id).await;
    let edit = log.only("context_edit");
    assert_eq!(edit["by"], "edit");
    assert_eq!(
        edit["ops"].as_array().expect("it is").len(),
        1,
        "the last one counts"
    );
    assert_eq!(seen.lock().expect("it is").len(), 3);
    // The next daemon builds the same context, and so does a clone.
    let next = rig.restarted();
    next.begin(id, "and now").await;
    let again = texts(&next.model().await.request.messages);
    assert_eq!(again[..7], context[..]);
}

#[tokio::test(start_paused = true)]
async fn each_message_is_shown_before_it_is_sent_also_one_that_is_merged() {
    let (hooks, seen) = hook("redact", &[HookPoint::Send], |moment| {
        redacts(moment, "K3Y")
    });
    let (rig, id) = rig(hooks).await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "use K3Y").await;
    let model = rig.model().await;
    assert_eq!(texts(&model.request.messages), ["use [gone]"]);
    model.tools(&[("c1", "look")]).await;
    rig.steer(id, "not K3Y but another").await;
    rig.tool().await.end("found K3Y");
    let model = rig.model().await;
    let last = texts(&model.request.messages).pop().expect("it is");
    assert!(last.starts_with("found [gone]\n"), "{last}");
    assert!(last.contains("not [gone] but another"), "{last}");
    assert_eq!(last.matches("<system-reminder>").count(), 1, "{last}");
    model.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    rig.check(id).await;
    assert_eq!(seen.lock().expect("it is").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_fails_before_a_request_ends_the_turn() {
    let (fails, _) = hook("redact", &[HookPoint::Send], |_| {
        verdict(MomentVerdict::Fail("it timed out".to_owned()))
    });
    let (edits_wrongly, _) = hook("redact", &[HookPoint::Send], |_| {
        edits(vec![ContextOp::hide(EventId::generate())])
    });
    for hooks in [fails, edits_wrongly] {
        let (rig, id) = rig(hooks).await;
        let mut follower = rig.follow(id).await;
        rig.begin(id, "go").await;
        assert_eq!(follower.outcome().await, "error");
        let log = rig.check(id).await;
        let error = &log.only("turn_outcome")["error"];
        assert_eq!(error["code"], "hook_failed");
        assert!(text(error, "message").starts_with("redact: "));
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancel_while_a_hook_looks_leaves_nothing_of_it() {
    for point in [
        &[HookPoint::Start][..],
        &[HookPoint::Send],
        &[HookPoint::End],
    ] {
        let seen = Seen::default();
        let stuck = Hook {
            name: "stuck",
            points: point,
            answer: None,
            seen: Arc::clone(&seen),
        };
        let (rig, id) = rig(HookChain::new(vec![Arc::new(stuck)])).await;
        let mut follower = rig.follow(id).await;
        let turn = rig.begin(id, "go").await;
        if point == [HookPoint::End] {
            rig.model().await.answer("done").await;
        }
        within(async {
            while seen.lock().expect("it is").is_empty() {
                tokio::task::yield_now().await;
            }
        })
        .await;
        assert!(rig.lane(id).await.cancel(Some(turn)));
        assert_eq!(follower.outcome().await, "cancelled");
        let log = rig.check(id).await;
        assert!(log.all("custom_message").is_empty() && log.all("context_edit").is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_the_point_comes_again_and_what_was_recorded_stays() {
    let (hooks, _) = hook("remind", &[HookPoint::Start], |_| inject("remember"));
    let (rig, id) = rig(hooks).await;
    rig.begin(id, "go").await;
    let _call = rig.model().await;
    let again = rig.crashed().restarted_with(SessionSettings {
        on_restart: OnRestart::Resume,
        ..settings()
    });
    let (hooks, seen) = hook("remind", &[HookPoint::Start], |moment| {
        match moment.attempt {
            1 => inject("remember"),
            _ => MomentAnswer::default(),
        }
    });
    again.plan(|plan| plan.hooks = hooks);
    let mut follower = again.follow(id).await;
    let model = again.model().await;
    let sent = texts(&model.request.messages).concat();
    assert_eq!(sent.matches("remember").count(), 1, "{sent}");
    model.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    assert_eq!(seen.lock().expect("it is")[0].attempt, 2);
    let log = again.check(id).await;
    assert_eq!(log.all("custom_message").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_no_request_has_had_can_be_hidden_but_not_the_first_of_a_turn() {
    let (hooks, _) = hook("hide", &[HookPoint::Start], |moment| {
        edits(vec![ContextOp::hide(moment.messages[0].event_id)])
    });
    let (rig, id) = rig(hooks).await;
    let mut follower = rig.follow(id).await;
    let lane = rig.lane(id).await;
    let note = AppendMessage {
        command: MutationCommand::new(client(), None, "m", &json!(1)),
        body: CustomMessageBody {
            kind: "board.note".to_owned(),
            message: Message::user("a note"),
            data: None,
            queue_item_id: None,
        },
    };
    lane.mutate(note).await.expect("it is");
    for sent in [&["go"][..], &["go", "done", "more"]] {
        rig.begin(id, sent[sent.len() - 1]).await;
        let model = rig.model().await;
        assert_eq!(texts(&model.request.messages), sent);
        model.answer("done").await;
        assert_eq!(follower.outcome().await, "completed");
    }
    assert_eq!(rig.check(id).await.all("context_edit").len(), 1);
}
