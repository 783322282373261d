//! Sessions that begin as a copy of another one's conversation.

use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use scorel_proto::{
    AppendCustomMessageResult, Block, ClientId, ContextTrimBody, CustomBody, CustomMessageBody,
    ErrorCode, EventId, Message, PersistentBody, Seq, SessionChanges, SessionId, Usage,
};
use scorel_session::{
    AppendData, AppendMessage, CloneRequest, LeafTarget, MoveLeaf, SendRequest, SessionError,
    UpdateRequest,
};
use serde_json::{Value, json};

use crate::log::text;
use crate::rig::{Rig, message};
use crate::travel::{asked, leaf, plain, summarise, turns, write};

pub(crate) async fn clone(
    rig: &Rig,
    source: SessionId,
    event_id: Option<EventId>,
) -> Result<SessionId, SessionError> {
    let request = CloneRequest {
        source,
        event_id,
        client_id: ClientId::Daemon,
    };
    let id = SessionId::generate();
    rig.sessions.clone_as(id, request).await.map(|session| {
        assert_eq!(session.session_id, id);
        id
    })
}

/// The copy of an event in a clone.
fn copy_of(rig: &Rig, clone: SessionId, original: EventId) -> Value {
    let log = rig.log(clone);
    let is_copy = |record: &&Value| record["origin"]["eventId"] == original.to_string();
    log.records
        .iter()
        .find(is_copy)
        .expect("a copy of the event")
        .clone()
}

#[tokio::test(start_paused = true)]
async fn a_clone_has_the_path_and_nothing_of_what_ran() {
    let rig = Rig::new();
    let (id, ends) = turns(&rig, &["one", "two"]).await;
    let lane = rig.lane(id).await;
    let changes = SessionChanges {
        title: Some("a title".to_owned()),
        model: Some("other".to_owned()),
        ..SessionChanges::default()
    };
    lane.mutate(UpdateRequest {
        command: plain(),
        changes,
    })
    .await
    .expect("changed");
    lane.mutate(MoveLeaf {
        command: plain(),
        target: LeafTarget::Ancestor(Some(ends[0])),
        expected_leaf: Some(ends[1]),
    })
    .await
    .expect("moved");
    rig.exchange(id, "aside").await;
    // The source runs and has a queue.
    rig.begin(id, "three").await;
    let call = rig.model().await;
    rig.say(id, "four").await;
    let archived = SessionChanges {
        archived: Some(true),
        ..SessionChanges::default()
    };
    lane.mutate(UpdateRequest {
        command: plain(),
        changes: archived,
    })
    .await
    .expect("archived");

    let copy = clone(&rig, id, Some(ends[1])).await.expect("cloned");
    let session = rig.lane(copy).await.session().expect("there");
    assert_eq!(session.title.as_deref(), Some("a title"));
    assert_eq!(session.model.as_deref(), Some("other"));
    assert_eq!((session.usage, session.archived), (Usage::default(), false));
    assert_eq!((session.queue.len(), session.turn_id), (0, None));
    let parent = session.parent.expect("a parent");
    assert_eq!((parent.session_id, parent.event_id), (id, Some(ends[1])));
    let log = rig.check(copy).await;
    let outline = [
        "session_info",
        "user",
        "instruction_snapshot",
        "assistant",
        "turn_outcome",
        "user",
        "assistant",
        "turn_outcome",
    ];
    assert_eq!(log.outline(), outline);
    for (number, record) in (1..).zip(&log.records) {
        assert_eq!(record["seq"], number);
        assert_eq!(record["commandId"], Value::Null);
        if number > 1 {
            assert_eq!(text(&record["origin"], "sessionId"), id.to_string());
        }
    }
    let end = copy_of(&rig, copy, ends[1]);
    assert_eq!(
        session.active_leaf_id.map(|id| id.to_string()).as_deref(),
        end["id"].as_str()
    );
    // Both go on, each for itself.
    let restarted = rig.crashed();
    let texts = asked(&restarted, copy, message("five")).await;
    assert_eq!(texts, ["one", "to one", "two", "to two", "five"]);
    let view = restarted.log(copy).fold();
    let user = text(&copy_of(&restarted, copy, ends[0]), "id").to_owned();
    assert!(view.tree.is_turn_end(user.parse().expect("an id")));
    call.answer("done").await;
    rig.model().await.answer("done").await;
}

#[tokio::test(start_paused = true)]
async fn references_and_what_stands_beside_the_path_are_copied() {
    let rig = Rig::new();
    let (id, ends) = turns(&rig, &["one", "two"]).await;
    let lane = rig.lane(id).await;
    let custom = |kind: &str| CustomBody {
        kind: kind.to_owned(),
        data: json!({ "n": 1 }),
    };
    lane.mutate(AppendData {
        command: plain(),
        body: custom("x.mine"),
    })
    .await
    .expect("stored");
    let rig = rig.restarted();
    let trim = ContextTrimBody {
        event_ids: vec![ends[0], EventId::generate()],
        keep_chars: 400,
    };
    write(&rig, id, PersistentBody::ContextTrim(trim));
    let compact = summarise(&rig, id, ends[0]);

    let copy = clone(&rig, id, Some(compact)).await.expect("cloned");
    let log = rig.check(copy).await;
    let end_of_one = copy_of(&rig, copy, ends[0])["id"].clone();
    let end_of_two = copy_of(&rig, copy, ends[1])["id"].clone();
    assert_eq!(log.only("compact")["compactedThrough"], end_of_one);
    assert_eq!(log.only("context_trim")["eventIds"], json!([end_of_one]));
    let aside = log.only("custom");
    assert_eq!(aside["parentId"], end_of_two);
    assert_eq!(aside["data"], json!({ "n": 1 }));
    let texts = asked(&rig, copy, message("three")).await;
    assert_eq!(texts.len(), 4);
    assert_eq!(texts[1..], ["two", "to two", "three"]);

    // Before the compaction, where no rewind goes, there are whole messages.
    let early = clone(&rig, id, Some(ends[0])).await.expect("cloned");
    assert_eq!(
        asked(&rig, early, message("x")).await,
        ["one", "to one", "x"]
    );
    assert_eq!(rig.log(early).all("custom").len(), 0);
    // A clone of a clone names the one that it was made from.
    let again = copy_of(&rig, copy, ends[1])["id"].clone();
    let again: EventId = again
        .as_str()
        .and_then(|id| id.parse().ok())
        .expect("an id");
    let second = clone(&rig, copy, Some(again)).await.expect("cloned");
    let origin = copy_of(&rig, second, again)["origin"].clone();
    assert_eq!(origin["sessionId"], copy.to_string());
}

#[tokio::test(start_paused = true)]
async fn blobs_are_shared_as_files() {
    let rig = Rig::new();
    let id = rig.session().await;
    let lane = rig.lane(id).await;
    let blob = lane.blobs().put(b"a picture").expect("stored");
    let other = lane.blobs().put(b"not in the path").expect("stored");
    let image = Block::Image {
        media_type: "image/png".to_owned(),
        blob: blob.clone(),
    };
    let request = SendRequest {
        content: vec![Block::text("look"), image],
        ..message("look")
    };
    asked(&rig, id, request).await;
    let end = leaf(&rig, id).await;
    let copy = clone(&rig, id, end).await.expect("cloned");
    let file = rig.dir(copy).join("blobs").join(blob.as_str());
    assert_eq!(std::fs::metadata(&file).expect("there").nlink(), 2);
    assert!(!rig.dir(copy).join("blobs").join(other.as_str()).exists());
    rig.sessions.delete(id).await.expect("deleted");
    let lane = rig.lane(copy).await;
    assert_eq!(
        lane.blobs().get(&blob).expect("there"),
        "a picture".as_bytes()
    );
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_cloned_leaves_nothing() {
    let rig = Rig::new();
    let id = rig.session().await;
    let user = rig.exchange(id, "one").await;
    for wrong in [user, EventId::generate()] {
        let refused = clone(&rig, id, Some(wrong)).await.expect_err("refused");
        assert_eq!(refused.code(), ErrorCode::InvalidEventId);
    }
    let gone = clone(&rig, SessionId::generate(), None).await;
    assert_eq!(gone.expect_err("gone").code(), ErrorCode::SessionNotFound);
    let names = std::fs::read_dir(rig.home().join("sessions")).expect("readable");
    assert_eq!(names.count(), 1);

    // A retry after a crash finds the clone that was made.
    let end = leaf(&rig, id).await;
    let request = CloneRequest {
        source: id,
        event_id: end,
        client_id: ClientId::Daemon,
    };
    let made = SessionId::generate();
    rig.sessions.clone_as(made, request).await.expect("cloned");
    let before = rig.log(made).lines;
    let crashed = rig.crashed();
    crashed
        .sessions
        .clone_as(made, request)
        .await
        .expect("there");
    assert_eq!(crashed.log(made).lines, before);
    let empty = clone(&rig, id, None).await.expect("cloned");
    assert_eq!(rig.check(empty).await.lines.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_clients_append_is_there_once_and_the_model_reads_the_messages() {
    let rig = Rig::new();
    let (id, _) = turns(&rig, &["one"]).await;
    let note = |text: &str| CustomMessageBody {
        kind: "board.note".to_owned(),
        message: Message::user(text),
        data: Some(json!(7)),
        queue_item_id: None,
    };
    let lane = rig.lane(id).await;
    let command = |name: &str| {
        let mut command = plain();
        command.id = Some(name.parse().expect("an id"));
        command
    };
    let mut answers = Vec::new();
    for _ in 0..2 {
        let made = lane
            .mutate(AppendMessage {
                command: command("a"),
                body: note("moved"),
            })
            .await;
        answers.push(made.expect("added"));
    }
    assert_eq!(answers[0], answers[1]);
    let AppendCustomMessageResult::Appended {
        event_id: noted, ..
    } = answers[0]
    else {
        panic!("the session is idle");
    };
    assert_eq!(leaf(&rig, id).await, Some(noted));
    let texts = asked(&rig, id, message("two")).await;
    assert_eq!(texts, ["one", "to one", "moved", "two"]);
    // It is as good as the end of a turn.
    let end = leaf(&rig, id).await;
    lane.mutate(MoveLeaf {
        command: plain(),
        target: LeafTarget::Ancestor(Some(noted)),
        expected_leaf: end,
    })
    .await
    .expect("moved");

    rig.begin(id, "three").await;
    let call = rig.model().await;
    let data = CustomBody {
        kind: "x".to_owned(),
        data: json!({}),
    };
    let stored = lane
        .mutate(AppendData {
            command: command("b"),
            body: data.clone(),
        })
        .await;
    let again = lane
        .mutate(AppendData {
            command: command("b"),
            body: data,
        })
        .await
        .expect("there");
    assert_eq!(stored.expect("stored"), again);
    let mut follower = rig.follow(id).await;
    call.answer("done").await;
    follower.outcome().await;
    let log = rig.check(id).await;
    assert_eq!(
        (log.all("custom").len(), log.all("custom_message").len()),
        (1, 1)
    );
}

#[tokio::test(start_paused = true)]
async fn previews_tell_what_the_turns_were_about() {
    let rig = Rig::new();
    let (id, ends) = turns(&rig, &["one\nmore", "two"]).await;
    let lane = rig.lane(id).await;
    lane.mutate(MoveLeaf {
        command: plain(),
        target: LeafTarget::Ancestor(Some(ends[0])),
        expected_leaf: Some(ends[1]),
    })
    .await
    .expect("moved");
    let turn = rig.begin(id, "other").await;
    let call = rig.model().await;
    rig.say(id, "queued").await;
    let mut follower = rig.follow(id).await;
    assert!(lane.cancel(Some(turn)));
    call.ended().await;
    follower.outcome().await;
    let body = CustomMessageBody {
        kind: "x".to_owned(),
        message: Message::user("a note"),
        data: None,
        queue_item_id: None,
    };
    lane.mutate(AppendMessage {
        command: plain(),
        body,
    })
    .await
    .expect("added");
    let page = lane.tree_with_previews(Seq::ZERO, 100).await.expect("read");
    let plain_page = lane.tree(Seq::ZERO, 100).expect("read");
    assert_eq!(page.nodes.len(), plain_page.nodes.len());
    let ends: Vec<_> = page.nodes.iter().filter(|node| node.turn_end).collect();
    let told: Vec<Value> = ends
        .iter()
        .map(|node| json!([node.preview, node.outcome]))
        .collect();
    let expected = [
        json!(["one", "completed"]),
        json!(["two", "completed"]),
        json!(["other", "cancelled"]),
        json!(["a note", null]),
    ];
    assert_eq!(told, expected);
    assert_eq!(ends[2].turn_id, Some(turn));
    let user = ends[1].user_event_id.expect("a message");
    let node = page.nodes.iter().find(|node| node.id == user);
    assert_eq!(node.expect("there").parent_id, Some(ends[0].id));
    assert_eq!((ends[3].turn_id, ends[3].user_event_id), (None, None));
    let others = page.nodes.iter().filter(|node| !node.turn_end);
    assert!(others.map(|node| &node.preview).all(Option::is_none));
    // Page by page it is the same.
    let mut nodes = Vec::new();
    let mut after = Seq::ZERO;
    loop {
        let part = lane.tree_with_previews(after, 2).await.expect("read");
        after = part.nodes.last().map_or(after, |node| node.seq);
        nodes.extend(part.nodes);
        if !part.more {
            break;
        }
    }
    assert_eq!(nodes, page.nodes);
    drop(Arc::clone(&lane));
}
