//! The promises of a session to a feature that another crate adds.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use scorel_proto::{
    Block, ClientId, CustomBody, Message, PersistentBody, PersistentEvent, QueueKind, Seq,
    SessionId, SessionState,
};
use scorel_session::{
    AppendData, CancelAndClear, EventDraft, MutationCommand, OpeningMessage, Section, SessionError,
    SessionFeature,
};
use serde_json::json;

use crate::rig::{Rig, message, settings};

/// A feature that follows all records, and leaves a record of its own wherever it is called.
#[derive(Debug, Default)]
struct Follower {
    seen: Mutex<Vec<Seq>>,
    removed: Mutex<Vec<SessionId>>,
    holds: AtomicBool,
}

impl Follower {
    fn seen(&self) -> Vec<Seq> {
        self.seen.lock().expect("not poisoned").clone()
    }
}

impl SessionFeature for Follower {
    fn committed(&self, section: &Section<'_>, event: &PersistentEvent) {
        let view = section.view();
        assert_eq!(view.state.last_persistent_seq, event.seq, "it is folded");
        self.seen.lock().expect("not poisoned").push(event.seq);
    }

    fn is_settled(&self, _: &SessionState) -> bool {
        !self.holds.load(Ordering::Relaxed)
    }

    fn recover(&self, section: &mut Section<'_>) -> Result<(), SessionError> {
        leave(section, "x.recovered")
    }

    fn stop(&self, section: &mut Section<'_>) -> Result<(), SessionError> {
        leave(section, "x.stopped")
    }

    fn check_delete(&self, _: &SessionState) -> Result<(), SessionError> {
        match self.holds.load(Ordering::Relaxed) {
            true => Err(SessionError::Conflict("the follower works".to_owned())),
            false => Ok(()),
        }
    }

    fn removed(&self, id: SessionId) {
        self.removed.lock().expect("not poisoned").push(id);
    }
}

fn leave(section: &mut Section<'_>, kind: &str) -> Result<(), SessionError> {
    let body = PersistentBody::Custom(custom(kind));
    section.commit(EventDraft::new(body)).map(drop)
}

fn custom(kind: &str) -> CustomBody {
    CustomBody {
        kind: kind.to_owned(),
        data: json!({}),
    }
}

fn kinds(rig: &Rig, id: SessionId) -> Vec<String> {
    let kind = |record: &&serde_json::Value| record["kind"].as_str().map(str::to_owned);
    rig.log(id).all("custom").iter().filter_map(kind).collect()
}

#[tokio::test]
async fn a_feature_learns_of_each_record_once_and_behind_the_fold() {
    let feature = Arc::new(Follower::default());
    let rig = Rig::new().with_feature(Arc::clone(&feature) as _);
    let id = rig.session().await;
    let lane = rig.lane(id).await;
    for _ in 0..3 {
        let append = AppendData {
            command: message("x").command,
            body: custom("x.note"),
        };
        lane.mutate(append).await.expect("recorded");
    }
    let seqs = |record: &serde_json::Value| Seq::new(record["seq"].as_u64()?);
    let logged: Vec<Seq> = rig.log(id).records.iter().filter_map(seqs).collect();
    assert_eq!(feature.seen(), logged);
}

#[tokio::test]
async fn a_feature_recovers_before_a_client_sees_the_session() {
    let rig = Rig::new();
    let id = rig.session().await;
    let feature = Arc::new(Follower::default());
    let next = rig.with_feature(Arc::clone(&feature) as _);
    let head = next.lane(id).await.session().expect("there").current_seq;
    assert_eq!(kinds(&next, id), ["x.recovered"]);
    assert_eq!(feature.seen().last(), Some(&head));
}

/// Cancels a turn in the section that shows its first record, as a quick client does, if that says `HASTY`.
#[derive(Debug, Default)]
struct Hasty {
    taken: Mutex<Vec<bool>>,
}

const HASTY: &str = "not this";

impl SessionFeature for Hasty {
    fn committed(&self, section: &Section<'_>, event: &PersistentEvent) {
        let PersistentBody::Message(body) = &event.body else {
            return;
        };
        if matches!(&body.message, Message::User(said) if said.content == [Block::text(HASTY)]) {
            let taken = section.lane().cancel(event.turn_id);
            self.taken.lock().expect("not poisoned").push(taken);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_can_be_cancelled_as_soon_as_its_first_record_is_seen() {
    let feature = Arc::new(Hasty::default());
    let rig = Rig::new().with_feature(Arc::clone(&feature) as _);
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, HASTY).await;
    assert_eq!(*feature.taken.lock().expect("not poisoned"), [true]);
    assert_eq!(follower.outcome().await, "cancelled");
}

#[tokio::test(start_paused = true)]
async fn so_can_the_next_turn_of_the_queue_while_the_last_one_closes() {
    let feature = Arc::new(Hasty::default());
    let rig = Rig::new().with_feature(Arc::clone(&feature) as _);
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    rig.say(id, HASTY).await;
    call.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    assert_eq!(follower.outcome().await, "cancelled");
    assert_eq!(*feature.taken.lock().expect("not poisoned"), [true]);
}

#[tokio::test]
async fn a_cancel_with_children_stops_the_features_in_its_section() {
    let rig = Rig::new().with_feature(Arc::new(Follower::default()));
    let id = rig.session().await;
    let lane = rig.lane(id).await;
    let cancel = |stops_children| CancelAndClear {
        command: message("x").command,
        expected: None,
        clears: true,
        stops_children,
    };
    lane.mutate(cancel(false)).await.expect("cleared");
    assert!(kinds(&rig, id).is_empty());
    let cancelled = lane.mutate(cancel(true)).await.expect("stopped");
    assert_eq!(kinds(&rig, id), ["x.stopped"]);
    assert_eq!(
        cancelled.seq,
        Some(lane.session().expect("there").last_persistent_seq)
    );
}

#[tokio::test]
async fn a_feature_keeps_its_session_from_being_deleted_and_learns_of_the_end() {
    let feature = Arc::new(Follower::default());
    let rig = Rig::new().with_feature(Arc::clone(&feature) as _);
    let id = rig.session().await;
    feature.holds.store(true, Ordering::Relaxed);
    let refused = rig.sessions.delete(id).await;
    assert!(matches!(refused, Err(SessionError::Conflict(_))));
    feature.holds.store(false, Ordering::Relaxed);
    rig.sessions.delete(id).await.expect("deleted");
    assert_eq!(*feature.removed.lock().expect("not poisoned"), [id]);
}

#[tokio::test(start_paused = true)]
async fn an_unsettled_feature_keeps_its_session_on_the_list_of_the_next_daemon() {
    let feature = Arc::new(Follower::default());
    let rig = Rig::new().with_feature(Arc::clone(&feature) as _);
    // The file is written once the sessions of the last daemon are known.
    Arc::clone(&rig.sessions).recover().await;
    let id = rig.session().await;
    let lane = rig.lane(id).await;
    let entered = lane.section(|section| section.enter_active()).await;
    entered.expect("it runs").expect("on the list");
    let listed = async || {
        tokio::time::advance(settings().idle_unload).await;
        rig.sessions.sweep().await;
        let list = fs::read_to_string(rig.home().join("active"));
        list.expect("readable").contains(&id.to_string())
    };
    drop(lane);
    feature.holds.store(true, Ordering::Relaxed);
    assert!(listed().await);
    feature.holds.store(false, Ordering::Relaxed);
    assert!(!listed().await);
}

/// Puts words before those of a person that begin a turn, and a record and one more message behind the first outcome.
#[derive(Debug, Default)]
struct Words {
    rests: Mutex<u32>,
}

impl SessionFeature for Words {
    fn worded(
        &self,
        _: &mut Section<'_>,
        mut content: Vec<Block>,
        message: OpeningMessage,
    ) -> Result<Vec<Block>, SessionError> {
        if message.is_typed {
            content.insert(0, Block::text("told"));
        }
        Ok(content)
    }

    fn at_rest(&self, section: &mut Section<'_>) -> Result<(), SessionError> {
        let mut rests = self.rests.lock().expect("not poisoned");
        *rests += 1;
        if *rests > 1 {
            return Ok(());
        }
        leave(section, "x.rests")?;
        let command = MutationCommand::new(ClientId::Daemon, None, "go on", &());
        let item = command.queue_item(QueueKind::FollowUp, vec![Block::text("go on")]);
        section.add_to_queue(item, false, false).map(drop)
    }
}

fn said(rig: &Rig, id: SessionId) -> Vec<Vec<String>> {
    let log = rig.log(id);
    let messages = log.all("user");
    let texts = messages.iter().map(|it| {
        let content = it["message"]["content"].as_array().expect("blocks");
        let texts = content
            .iter()
            .map(|it| it["text"].as_str().expect("text").to_owned());
        texts.collect()
    });
    texts.collect()
}

#[tokio::test(start_paused = true)]
async fn a_feature_words_the_messages_that_begin_turns_and_acts_between_turns() {
    let feature = Arc::new(Words::default());
    let rig = Rig::new().with_feature(Arc::clone(&feature) as _);
    let id = rig.session().await;
    let mut follower = rig.follow(id).await;
    rig.begin(id, "go").await;
    let call = rig.model().await;
    call.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    let call = rig.model().await;
    call.answer("done").await;
    assert_eq!(follower.outcome().await, "completed");
    assert_eq!(said(&rig, id), [["told", "go"], ["told", "go on"]]);
    assert_eq!(kinds(&rig, id), ["x.rests"]);
    let log = rig.log(id);
    let names: Vec<&str> = log
        .records
        .iter()
        .filter_map(|it| it["type"].as_str())
        .collect();
    let outcome = names
        .iter()
        .position(|it| *it == "turn_outcome")
        .expect("one");
    assert_eq!(names[outcome + 1..outcome + 3], ["custom", "queue_update"]);
}
