//! Logs that are damaged.

use std::fs;

use scorel_proto::{ErrorCode, Phase, Seq, SessionChanges, SessionId};
use scorel_session::{DamageAcceptance, SessionError, UpdateRequest};

use crate::rig::{Rig, message};

/// A session with three exchanges, and the same with a flipped bit in its fifth record.
async fn damaged() -> (Rig, SessionId, Vec<String>) {
    let rig = Rig::new();
    let id = rig.session().await;
    for question in ["one", "two", "three"] {
        rig.exchange(id, question).await;
    }
    let lines = rig.log(id).lines;
    let crashed = rig.crashed();
    let path = crashed.dir(id).join("events.jsonl");
    let text = fs::read_to_string(&path).expect("a log");
    let place = text.find(&lines[4]).expect("the line") + 20;
    let mut bytes = text.into_bytes();
    bytes[place] ^= 1;
    fs::write(&path, bytes).expect("writable");
    (crashed, id, lines)
}

#[tokio::test(start_paused = true)]
async fn a_damaged_session_can_be_read_and_not_written() {
    let (rig, id, lines) = damaged().await;
    let before = fs::read(rig.dir(id).join("events.jsonl")).expect("readable");
    let lane = rig.lane(id).await;
    let session = lane.session().expect("there");
    assert_eq!(session.phase, Phase::Failed);
    assert!(
        session
            .problem
            .expect("a problem")
            .contains("damaged at offset")
    );

    let refused = rig.send(id, message("four")).await.expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::SessionFailed);
    let changes = SessionChanges {
        archived: Some(true),
        ..SessionChanges::default()
    };
    let refused = lane
        .mutate(UpdateRequest {
            command: message("x").command,
            changes,
        })
        .await
        .expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::SessionFailed);

    let read = lane
        .events(None, None, 1000)
        .await
        .expect("readable")
        .events;
    let mut intact = lines.clone();
    intact.remove(4);
    let texts: Vec<&str> = read.iter().map(scorel_proto::EncodedEvent::text).collect();
    assert_eq!(texts, intact, "everything around the damage is served");
    lane.tree(Seq::ZERO, 1000).expect("readable");
    let follower = rig.follow(id).await;
    assert_eq!(follower.taken.len(), intact.len() + 3);
    assert_eq!(
        fs::read(rig.dir(id).join("events.jsonl")).expect("readable"),
        before
    );
}

#[tokio::test(start_paused = true)]
async fn a_session_goes_on_when_each_damaged_place_is_accepted() {
    let (rig, id, lines) = damaged().await;
    let lane = rig.lane(id).await;
    let refused = rig.send(id, message("four")).await.expect_err("refused");
    let SessionError::Damaged { places, .. } = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(places.len(), 1, "one flipped bit is one place: {places:?}");
    assert_eq!(places[0].length, lines[4].len() as u64);
    for place in &places {
        let (offset, length) = (place.offset, place.length);
        let accept = |offset| {
            lane.mutate(DamageAcceptance {
                command: message("accept").command,
                offset,
                length,
            })
        };
        let wrong = accept(offset + 1).await.expect_err("refused");
        assert_eq!(wrong.code(), ErrorCode::Conflict);
        rig.send(id, message("four"))
            .await
            .expect_err("still damaged");
        accept(offset).await.expect("accepted");
    }
    drop(lane);
    rig.exchange(id, "four").await;
    let again = rig.restarted();
    again.exchange(id, "five").await;
    let events = again.lane(id).await.events(None, None, 100).await;
    let events = events.expect("readable").events;
    let accepted = events
        .iter()
        .filter(|event| event.text().contains("damage_accepted"));
    assert_eq!(accepted.count(), places.len(), "once and for all");
}

#[tokio::test(start_paused = true)]
async fn damage_in_one_session_does_not_affect_another() {
    let (rig, id, _) = damaged().await;
    rig.lane(id).await;
    let other = rig.session().await;
    rig.exchange(other, "fine").await;
    rig.check(other).await;
    let sessions = rig
        .sessions
        .list(Default::default())
        .await
        .expect("listed")
        .sessions;
    assert_eq!(sessions.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_another_program_changes_fails_and_is_left_alone() {
    let rig = Rig::new();
    let id = rig.session().await;
    rig.exchange(id, "one").await;
    let mut follower = rig.follow(id).await;
    let path = rig.dir(id).join("events.jsonl");
    let mut bytes = fs::read(&path).expect("readable");
    bytes.extend_from_slice(b"{\"not\":\"ours\"}\n");
    fs::write(&path, &bytes).expect("writable");
    let refused = rig.send(id, message("two")).await.expect_err("refused");
    assert_eq!(refused.code(), ErrorCode::SessionFailed);
    assert_eq!(fs::read(&path).expect("readable"), bytes);
    let session = rig.lane(id).await.session().expect("there");
    assert_eq!(session.phase, Phase::Failed);
    let end = follower.until("end").await;
    assert_eq!(end["reason"], "failed");
}

#[tokio::test(start_paused = true)]
async fn a_log_without_a_usable_header_fails_with_its_reason_and_can_be_deleted() {
    for content in [
        "",
        "{}\n",
        "not json\n",
        "{\"type\":\"session\",\"format\":99}\n",
    ] {
        let rig = Rig::new();
        let id = rig.session().await;
        let rig = rig.crashed();
        fs::write(rig.dir(id).join("events.jsonl"), content).expect("writable");
        let refused = rig.sessions.get(id).await.expect_err("refused");
        assert_eq!(refused.code(), ErrorCode::SessionFailed, "{content:?}");
        assert_eq!(
            fs::read_to_string(rig.dir(id).join("events.jsonl")).expect("there"),
            content
        );
        rig.sessions.delete(id).await.expect("deleted");
        assert!(!rig.dir(id).exists());
    }
}
