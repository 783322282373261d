//! What the model is told besides the conversation: the snapshot, and messages of the daemon.

use scorel_proto::{
    Block, ClientId, CustomMessageBody, INSTRUCTIONS_KIND, InstructionPart, InternalMessage,
    Message, Meta, SKILLS_KIND, SessionChanges,
};
use scorel_session::{Guidance, MutationCommand, SendRequest, UpdateRequest};
use serde_json::{Value, json};

use crate::rig::Rig;

fn message(kind: &str, text: &str, data: Value) -> CustomMessageBody {
    CustomMessageBody {
        kind: kind.to_owned(),
        message: Message::Internal(InternalMessage {
            content: vec![Block::text(text)],
            meta: Meta::default(),
        }),
        data: Some(data),
        queue_item_id: None,
    }
}

fn snapshot(text: &str) -> Option<Vec<InstructionPart>> {
    let part = InstructionPart {
        source: "base".to_owned(),
        text: text.to_owned(),
        ..InstructionPart::default()
    };
    Some(vec![part])
}

fn plan(rig: &Rig, guidance: Guidance) {
    rig.plan(|plan| plan.guidance.push_back(guidance));
}

#[tokio::test(start_paused = true)]
async fn messages_to_the_model_follow_the_users_and_are_known_to_the_next_turn() {
    let rig = Rig::new();
    let id = rig.session().await;
    let messages = vec![message(SKILLS_KIND, "a skill", json!({"skills": ["a"]}))];
    plan(
        &rig,
        Guidance {
            snapshot: snapshot("one"),
            messages,
            ..Guidance::default()
        },
    );
    let mut follower = rig.follow(id).await;
    rig.begin(id, "hello").await;
    let call = rig.model().await;
    assert_eq!(call.request.system, "one");
    let told = "<system-reminder>\na skill\n</system-reminder>";
    let context = vec![Message::user("hello"), Message::user(told)];
    assert_eq!(call.request.messages, context.into());
    call.answer("hi").await;
    follower.outcome().await;

    let changed = message(INSTRUCTIONS_KIND, "changed", json!({"parts": []}));
    let guidance = Guidance {
        messages: vec![changed],
        ..Guidance::default()
    };
    plan(&rig, guidance);
    for text in ["again", "and again"] {
        rig.begin(id, text).await;
        let call = rig.model().await;
        assert_eq!(call.request.system, "one", "the prefix stays");
        call.answer("hi").await;
        follower.outcome().await;
    }
    let known = rig.script.known.lock().unwrap().clone();
    assert_eq!((&known[0].snapshot, &known[0].skills), (&None, &None));
    assert_eq!(known[1].snapshot, snapshot("one"));
    assert_eq!(known[1].skills, Some(json!({"skills": ["a"]})));
    assert_eq!(known[1].changes, None);
    assert_eq!(known[2].changes, Some(json!({"parts": []})));
    let log = rig.check(id).await;
    assert_eq!(
        log.outline()[..4],
        [
            "user",
            "instruction_snapshot",
            "custom_message",
            "assistant"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_refresh_is_known_until_a_snapshot_follows() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    rig.model().await.answer("hi").await;
    follower.outcome().await;
    let changes = SessionChanges {
        refresh_instructions: Some(true),
        ..SessionChanges::default()
    };
    let lane = rig.lane(id).await;
    let command = MutationCommand::new(ClientId::Daemon, None, "updateSession", &());
    lane.mutate(UpdateRequest { command, changes })
        .await
        .unwrap();
    plan(
        &rig,
        Guidance {
            snapshot: snapshot("renewed"),
            ..Guidance::default()
        },
    );
    for text in ["two", "three"] {
        rig.begin(id, text).await;
        let call = rig.model().await;
        assert_eq!(call.request.system, "renewed");
        call.answer("hi").await;
        follower.outcome().await;
    }
    let known = rig.script.known.lock().unwrap();
    let refresh: Vec<bool> = known.iter().map(|known| known.refresh).collect();
    assert_eq!(refresh, [false, true, false]);
}

#[tokio::test(start_paused = true)]
async fn what_was_told_on_another_branch_is_not_known() {
    let rig = Rig::new();
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "one").await;
    rig.model().await.answer("hi").await;
    follower.outcome().await;
    let first_end = rig.lane(id).await.session().unwrap().active_leaf_id;
    let guidance = Guidance {
        messages: vec![message(SKILLS_KIND, "a skill", json!({}))],
        ..Guidance::default()
    };
    plan(&rig, guidance);
    rig.begin(id, "two").await;
    rig.model().await.answer("hi").await;
    follower.outcome().await;
    let instead = SendRequest {
        parent_event_id: Some(first_end),
        ..crate::rig::message("instead of two")
    };
    rig.send(id, instead).await.unwrap();
    rig.model().await.answer("hi").await;
    follower.outcome().await;
    let known = rig.script.known.lock().unwrap();
    assert_eq!(known[2].skills, None, "the leaf moved past the message");
    assert_eq!(known[2].epoch, known[1].epoch + 1);
    assert!(known[2].snapshot.is_some(), "the snapshot is on no branch");
}
