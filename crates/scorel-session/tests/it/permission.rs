//! Calls that need permission.

mod grants;

use std::sync::Arc;
use std::time::Duration;

use scorel_engine::Question;
use scorel_proto::{
    ClientId, PermissionDecision, PermissionDecisionBody, PermissionRequestBody,
    PermissionRequestId, Phase, Seq, SessionChanges, SessionId, TurnId,
};
use scorel_session::{
    DamageAcceptance, MutationCommand, PermissionResponse, SessionError, UpdateRequest,
};

use crate::follower::{Follower, within};
use crate::log::text;
use crate::rig::{Rig, client};

const HOUR: Duration = Duration::from_secs(3600);

pub(crate) fn question() -> Question {
    Question {
        reason: "it writes".to_owned(),
        rules: vec!["write(*)".to_owned()],
        session_only: false,
        timeout: None,
        allow_at_timeout: false,
    }
}

/// A session whose turn waits for permission to run `c1`, the first of two calls.
pub(crate) async fn asking(question: Question) -> (Rig, SessionId, TurnId) {
    let rig = Rig::new();
    rig.plan(|plan| plan.question = Some(question));
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    let turn = rig.begin(id, "go").await;
    let model = rig.model().await;
    model.tools(&[("c1", "write"), ("c2", "look")]).await;
    follower.until("permission_request").await;
    (rig, id, turn)
}

/// The next daemon after a crash, which asks the same.
pub(crate) fn next(rig: &Rig) -> Rig {
    let again = rig.crashed();
    again.plan(|plan| plan.question = Some(question()));
    again
}

pub(crate) async fn request(rig: &Rig, id: SessionId) -> PermissionRequestBody {
    let view = rig.follow(id).await;
    view.view.state.permissions[0].clone()
}

fn decision(id: PermissionRequestId, decision: PermissionDecision) -> PermissionDecisionBody {
    PermissionDecisionBody {
        request_id: id,
        decision,
        reason: None,
        by: None,
    }
}

async fn respond(
    rig: &Rig,
    id: SessionId,
    decision: PermissionDecisionBody,
) -> Result<Seq, SessionError> {
    let command = MutationCommand::new(ClientId::Daemon, None, "respondPermission", &());
    within(
        rig.lane(id)
            .await
            .mutate(PermissionResponse { command, decision }),
    )
    .await
}

/// Runs the two calls, answers, and gives the outcome.
async fn go_on(rig: &Rig, follower: &mut Follower) -> String {
    rig.tool().await.end("written");
    rig.tool().await.end("seen");
    rig.model().await.answer("done").await;
    follower.outcome().await
}

#[tokio::test(start_paused = true)]
async fn the_first_answer_counts_and_the_call_runs_once() {
    let (rig, id, turn) = asking(question()).await;
    let lane = rig.lane(id).await;
    assert_eq!(lane.phase(), (Phase::AwaitingPermission, Some(turn)));
    let request = request(&rig, id).await;
    assert_eq!(request.tool_call_id, "c1");
    let mut follower = rig.follow(id).await;
    let once = decision(request.request_id, PermissionDecision::Once);
    let seq = respond(&rig, id, once).await.expect("taken");
    let late = decision(request.request_id, PermissionDecision::Deny);
    let late = respond(&rig, id, late).await;
    let Err(SessionError::Answered(answer)) = late else {
        panic!("{late:?}");
    };
    assert_eq!(answer.decision.decision, PermissionDecision::Once);
    assert_eq!(go_on(&rig, &mut follower).await, "completed");
    let log = rig.check(id).await;
    assert_eq!(log.only("permission_decision")["seq"], seq.get());
    assert_eq!(log.all("tool_started").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_refused_call_is_not_run_and_the_model_learns_why() {
    let (rig, id, _) = asking(question()).await;
    let request = request(&rig, id).await;
    let mut follower = rig.follow(id).await;
    let refused = PermissionDecisionBody {
        reason: Some("use the test database".to_owned()),
        ..decision(request.request_id, PermissionDecision::Deny)
    };
    respond(&rig, id, refused).await.expect("taken");
    let look = rig.tool().await;
    assert_eq!(look.call.id, "c2");
    look.end("seen");
    rig.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    let log = rig.check(id).await;
    let result = &log.all("tool_result")[0]["message"]["content"][0];
    assert_eq!(result["isError"], true);
    assert!(text(&result["content"][0], "text").contains("use the test database"));
}

#[tokio::test(start_paused = true)]
async fn a_question_survives_a_crash_and_an_orderly_stop_and_its_call_runs_once() {
    for orderly in [false, true] {
        let (rig, id, turn) = asking(question()).await;
        let asked = request(&rig, id).await;
        if orderly {
            assert!(rig.sessions.drain(Duration::from_secs(5)).await);
        }
        let again = next(&rig);
        again.sessions.clone().recover().await;
        let lane = again.lane(id).await;
        assert_eq!(lane.phase(), (Phase::AwaitingPermission, Some(turn)));
        assert_eq!(request(&again, id).await, asked);
        let mut follower = again.follow(id).await;
        let once = decision(asked.request_id, PermissionDecision::Once);
        respond(&again, id, once).await.expect("taken");
        assert_eq!(go_on(&again, &mut follower).await, "completed");
        let log = again.check(id).await;
        assert_eq!(log.all("permission_request").len(), 1);
        assert_eq!(log.all("tool_started").len(), 2);
        assert_eq!(log.only("turn_outcome")["turnId"], turn.to_string());
    }
}

/// The answer comes at another moment in each round, among changes that other clients make.
#[tokio::test(start_paused = true)]
async fn an_answer_while_the_next_daemon_takes_up_the_question_is_not_asked_for_again() {
    for yields in 0..100 {
        let (rig, id, _) = asking(question()).await;
        let asked = request(&rig, id).await;
        let again = next(&rig);
        let lane = again.lane(id).await;
        for _ in 0..20 {
            let lane = Arc::clone(&lane);
            tokio::spawn(async move {
                let command = MutationCommand::new(ClientId::Daemon, None, "updateSession", &());
                let changes = SessionChanges {
                    title: Some("renamed".to_owned()),
                    ..SessionChanges::default()
                };
                lane.mutate(UpdateRequest { command, changes })
                    .await
                    .expect("changed");
            });
            tokio::task::yield_now().await;
        }
        for _ in 0..yields {
            tokio::task::yield_now().await;
        }
        let session = decision(asked.request_id, PermissionDecision::Session);
        respond(&again, id, session).await.expect("taken");
        let mut follower = again.follow(id).await;
        assert_eq!(go_on(&again, &mut follower).await, "completed");
        assert_eq!(again.log(id).all("permission_request").len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_allowed_and_not_started_runs_after_a_crash() {
    let (rig, id, _) = asking(question()).await;
    let asked = request(&rig, id).await;
    // The daemon ends between the answer and the start of the tool.
    let before = rig.crashed();
    let lane = rig.lane(id).await;
    let command = MutationCommand::new(ClientId::Daemon, None, "respondPermission", &());
    let once = decision(asked.request_id, PermissionDecision::Once);
    within(lane.mutate(PermissionResponse {
        command,
        decision: once,
    }))
    .await
    .expect("taken");
    let log = std::fs::read_to_string(rig.dir(id).join("events.jsonl")).expect("a log");
    let mut kept = String::new();
    for line in log.split_inclusive('\n') {
        kept.push_str(line);
        if line.contains("permission_decision") {
            break;
        }
    }
    std::fs::write(before.dir(id).join("events.jsonl"), kept).expect("writable");
    let again = next(&before);
    let mut follower = again.follow(id).await;
    assert_eq!(go_on(&again, &mut follower).await, "completed");
    let log = again.check(id).await;
    assert_eq!(log.all("permission_request").len(), 1);
    assert_eq!(log.all("tool_started").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_unanswered_question_is_decided_at_its_deadline_also_in_the_next_daemon() {
    for allow in [false, true] {
        let with_deadline = Question {
            timeout: Some(HOUR),
            allow_at_timeout: allow,
            ..question()
        };
        let (rig, id, _) = asking(with_deadline).await;
        let again = next(&rig);
        let started = tokio::time::Instant::now();
        let mut follower = again.follow(id).await;
        if allow {
            again.tool().await.end("written");
        }
        again.tool().await.end("seen");
        assert!(started.elapsed() > HOUR - Duration::from_secs(60));
        again.model().await.answer("done").await;
        assert_eq!(follower.outcome().await, "completed");
        let log = again.check(id).await;
        let decided = if allow { "once" } else { "deny" };
        assert_eq!(log.only("permission_decision")["decision"], decided);
    }
}

#[tokio::test(start_paused = true)]
async fn cancelling_the_turn_ends_the_question() {
    for restarted in [false, true] {
        let (rig, id, turn) = asking(question()).await;
        let rig = if restarted { next(&rig) } else { rig };
        let mut follower = rig.follow(id).await;
        let lane = rig.lane(id).await;
        assert!(lane.cancel(Some(turn)));
        assert_eq!(follower.outcome().await, "cancelled");
        let log = rig.check(id).await;
        assert_eq!(log.only("permission_decision")["decision"], "cancelled");
        assert_eq!(log.all("tool_result").len(), 2);
        assert_eq!(log.all("tool_started").len(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_sent_again_gets_the_same_reply() {
    let (rig, id, _) = asking(question()).await;
    let asked = request(&rig, id).await;
    let once = decision(asked.request_id, PermissionDecision::Once);
    let id_of_command = "c1".parse().expect("an id");
    let command = MutationCommand::new(client(), Some(id_of_command), "respondPermission", &once);
    let lane = rig.lane(id).await;
    let first = within(lane.mutate(PermissionResponse {
        command: command.clone(),
        decision: once.clone(),
    }))
    .await;
    let again = within(lane.mutate(PermissionResponse {
        command: command.clone(),
        decision: once.clone(),
    }))
    .await;
    assert_eq!(first.expect("taken"), again.expect("the same"));
    rig.tool().await.end("written");
    let restarted = next(&rig);
    let lane = restarted.lane(id).await;
    within(lane.mutate(PermissionResponse {
        command,
        decision: once,
    }))
    .await
    .expect("the same");
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_another_question_than_the_next_daemon_has_does_not_count() {
    let (rig, id, _) = asking(question()).await;
    let asked = request(&rig, id).await;
    let again = rig.crashed();
    let other = Question {
        reason: "it writes without a sandbox".to_owned(),
        ..question()
    };
    again.plan(|plan| plan.question = Some(other));
    let mut follower = again.follow(id).await;
    let is_new = |reason: &str| reason.contains("without");
    let open = follower.view.state.permissions.first();
    if !open.is_some_and(|open| is_new(&open.reason)) {
        let next = follower.until("permission_request").await;
        assert!(is_new(text(&next, "reason")));
    }
    let old = decision(asked.request_id, PermissionDecision::Once);
    let late = respond(&again, id, old).await;
    assert!(matches!(late, Err(SessionError::Answered(_))), "{late:?}");
    let now = request(&again, id).await;
    let once = decision(now.request_id, PermissionDecision::Once);
    respond(&again, id, once).await.expect("taken");
    assert_eq!(go_on(&again, &mut follower).await, "completed");
    again.check(id).await;
}

#[tokio::test(start_paused = true)]
async fn a_question_about_a_later_call_survives_too() {
    let rig = Rig::new();
    rig.plan(|plan| plan.question = Some(question()));
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    let turn = rig.begin(id, "go").await;
    let model = rig.model().await;
    model.tools(&[("c1", "look"), ("c2", "write")]).await;
    rig.tool().await.end("seen");
    follower.until("permission_request").await;
    let again = next(&rig);
    let asked = request(&again, id).await;
    let lane = again.lane(id).await;
    assert_eq!(lane.phase(), (Phase::AwaitingPermission, Some(turn)));
    let mut follower = again.follow(id).await;
    let once = decision(asked.request_id, PermissionDecision::Once);
    respond(&again, id, once).await.expect("taken");
    again.tool().await.end("written");
    again.model().await.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_start_may_be_lost_in_damage_is_not_run_again() {
    let (rig, id, _) = asking(question()).await;
    let asked = request(&rig, id).await;
    let once = decision(asked.request_id, PermissionDecision::Once);
    respond(&rig, id, once).await.expect("taken");
    let running = rig.tool().await;
    let crashed = rig.crashed();
    let path = crashed.dir(id).join("events.jsonl");
    let log = std::fs::read_to_string(&path).expect("a log");
    let line = log.lines().find(|line| line.contains("tool_started"));
    let line = line.expect("it has started");
    let (offset, length) = (log.find(line).expect("there") as u64, line.len() as u64);
    std::fs::write(&path, log.replace("tool_started", "tool_startee")).expect("writable");

    let again = next(&crashed);
    let lane = again.lane(id).await;
    let command = MutationCommand::new(ClientId::Daemon, None, "acceptDamage", &());
    let accepted = lane
        .mutate(DamageAcceptance {
            command,
            offset,
            length,
        })
        .await;
    accepted.expect("accepted");
    let mut follower = again.follow(id).await;
    if lane.phase().0 != Phase::Idle {
        follower.until("turn_outcome").await;
    }
    assert_eq!(again.log(id).reasons(), ["interrupted"]);
    running.end("once");
}
