//! The clients that are attached while the daemon is killed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use scorel_client::{ClientAnchors, ClientError, Connection, EventNovelty};
use scorel_proto::{
    ClientId, CommandId, Event, SendMessage, SendMessageParams, SendMessageResult, SessionId,
    SubscribeEventsParams, SyncMarker, SyncMode,
};
use scorel_testkit::{CheckedLog, SeededDice, Sightings};

use crate::under_test::{connect, message};

/// A client that records every event.
pub(super) struct RecordingClient {
    session: SessionId,
    /// Whether it resumes at its cursor, or starts over after each restart.
    keeps_its_place: bool,
    anchors: ClientAnchors,
    /// Its copy of the log, built by the protocol's rules.
    records: BTreeMap<u64, String>,
    seen: Arc<Mutex<Sightings>>,
}

impl RecordingClient {
    pub(super) fn new(
        session: SessionId,
        keeps_its_place: bool,
        seen: &Arc<Mutex<Sightings>>,
    ) -> Self {
        Self {
            session,
            keeps_its_place,
            anchors: ClientAnchors::default(),
            records: BTreeMap::new(),
            seen: Arc::clone(seen),
        }
    }

    /// Reads until the daemon dies.
    pub(super) async fn run(&mut self, socket: &Path) {
        self.run_until(socket, |_| false).await;
    }

    /// Reads up to the last event that the sender was acknowledged.
    pub(super) async fn run_until_idle(&mut self, socket: &Path, sender: &Sender) {
        let last = sender.last_seq;
        self.run_until(socket, |records| {
            records.keys().last().is_some_and(|seq| *seq >= last)
        })
        .await;
    }

    async fn run_until(&mut self, socket: &Path, done: impl Fn(&BTreeMap<u64, String>) -> bool) {
        if !self.keeps_its_place {
            self.anchors = ClientAnchors::default();
            self.records.clear();
        }
        let connection = connect(socket).await;
        let params = SubscribeEventsParams {
            session_id: self.session,
            persistent_last_seq: Some(self.anchors.persistent()),
            stream_last_seq: self.anchors.stream(),
            persistent_last_id: self.anchors.persistent_id(),
        };
        let subscription = connection.subscribe_events(&params).await;
        let Ok(mut subscription) = subscription else {
            return;
        };
        while !done(&self.records) {
            let Some(item) = subscription.next().await else {
                return;
            };
            self.take(item.get());
        }
    }

    fn take(&mut self, text: &str) {
        self.seen
            .lock()
            .unwrap()
            .note(text)
            .unwrap_or_else(|fault| panic!("{fault}"));
        if let Ok(marker) = serde_json::from_str::<SyncMarker>(text) {
            if let SyncMarker::SyncStart {
                mode: SyncMode::FullReload,
                reason,
                ..
            } = &marker
            {
                assert_eq!(*reason, None, "the place of a client is lost");
                self.records.clear();
            }
            self.anchors.marker(&marker);
            return;
        }
        let event = Event::decode(text).unwrap();
        let verdict = self.anchors.event(&event);
        if event.is_persistent() {
            assert_eq!(verdict, EventNovelty::New, "not the next record: {text}");
            self.records.insert(event.seq().get(), text.to_owned());
        }
    }

    /// Checks that its copy equals the log, up to its cursor.
    pub(super) fn check(&self, log: &CheckedLog) {
        let last = self.records.keys().last().copied().unwrap_or_default();
        let expected = log.records().iter().take_while(|record| record.seq <= last);
        let expected: Vec<&str> = expected.map(|record| record.line.as_str()).collect();
        let found: Vec<&str> = self.records.values().map(String::as_str).collect();
        assert!(found == expected, "a copy differs from the log");
    }
}

/// A client that sends messages and retries those that were not acknowledged.
pub(super) struct Sender {
    dice: SeededDice,
    session: SessionId,
    client_id: ClientId,
    sent: usize,
    unanswered: Option<SendMessageParams>,
    answers: Vec<(SendMessageParams, SendMessageResult)>,
    last_seq: u64,
}

impl Sender {
    pub(super) fn new(dice: SeededDice, session: SessionId) -> Self {
        Self {
            dice,
            session,
            client_id: ClientId::generate(),
            sent: 0,
            unanswered: None,
            answers: Vec::new(),
            last_seq: 0,
        }
    }

    pub(super) fn acknowledged(&self) -> usize {
        self.answers.len()
    }

    pub(super) async fn run(&mut self, socket: &Path) {
        let client = connect(socket).await;
        let count = self.dice.roll(1..8);
        for _ in 0..count {
            if self.send_one(&client).await.is_err() {
                return;
            }
        }
        // The connection stays open until the daemon dies.
        client.closed().await;
    }

    async fn send_one(&mut self, client: &Connection) -> Result<(), ClientError> {
        client.hello(Some(self.client_id)).await?;
        let params = self
            .unanswered
            .take()
            .unwrap_or_else(|| self.next_message());
        self.unanswered = Some(params.clone());
        let result = client.call::<SendMessage>(&params).await;
        match result {
            Ok(result) => {
                self.unanswered = None;
                self.answers.push((params, result));
                Ok(())
            }
            Err(ClientError::Rpc(error)) => panic!("a send was refused: {error:?}"),
            Err(error) => Err(error),
        }
    }

    fn next_message(&mut self) -> SendMessageParams {
        self.sent += 1;
        let len = if self.dice.chance(10) {
            60_000
        } else {
            self.dice.index(1..200)
        };
        let text = format!("{} {}", self.sent, self.dice.text(len));
        let command: CommandId = format!("command-{}", self.sent).parse().unwrap();
        SendMessageParams {
            command_id: Some(command),
            ..message(self.session, &text)
        }
    }

    /// Sends the rest and one further message, and waits until the session is idle.
    pub(super) async fn finish(&mut self, socket: &Path) {
        let client = connect(socket).await;
        while self.unanswered.is_some() {
            self.send_one(&client).await.unwrap();
        }
        // A subscription that is not read blocks the calls on its connection, so it gets its own.
        let watching = connect(socket).await;
        let mut watch = crate::under_test::Watch::from_start(&watching, self.session).await;
        self.send_one(&client).await.unwrap();
        loop {
            watch.until("turn_outcome").await;
            let session = crate::under_test::session(&client, self.session).await;
            if session.queue.is_empty() && session.turn_id.is_none() {
                self.last_seq = session.last_persistent_seq.get();
                return;
            }
            assert!(!session.queue_paused, "the queue goes on");
        }
    }

    /// Checks that everything acknowledged is in the log as acknowledged, and that nothing was
    /// stored twice.
    pub(super) fn check(&self, log: &CheckedLog) {
        for (params, result) in &self.answers {
            match result {
                SendMessageResult::Accepted {
                    user_event_id,
                    turn_id,
                    seq,
                } => {
                    let record = log.record(seq.get()).expect("an acknowledged message");
                    assert_eq!(record.value["id"], user_event_id.to_string());
                    assert_eq!(record.value["turnId"], turn_id.to_string());
                    assert_eq!(record.text(), said(params));
                }
                SendMessageResult::Queued {
                    queue_item_id, seq, ..
                } => {
                    let record = log.record(seq.get()).expect("an acknowledged queue item");
                    assert!(record.line.contains(&queue_item_id.to_string()));
                    self.check_queued(log, &queue_item_id.to_string());
                }
            }
        }
        let mut added: Vec<String> = log
            .queued()
            .map(|item| item["commandId"].to_string())
            .collect();
        let direct = log.records().iter().filter(|record| {
            record.value["commandId"].is_string() && record.value["queueItemId"].is_null()
        });
        added.extend(direct.map(|record| record.value["commandId"].to_string()));
        let count = added.len();
        added.sort_unstable();
        added.dedup();
        assert_eq!(added.len(), count, "a command was carried out twice");
    }

    /// A queue item becomes exactly one message.
    fn check_queued(&self, log: &CheckedLog, item: &str) {
        let queue = &log.view().state.queue.items;
        let waiting = queue
            .iter()
            .filter(|queued| queued.queue_item_id.to_string() == item)
            .count();
        let said = log
            .records()
            .iter()
            .filter(|record| record.value["queueItemId"] == item)
            .count();
        assert_eq!(
            waiting + said,
            1,
            "{item} waits {waiting} times, was said {said} times"
        );
    }

    /// Every message is in the log exactly once.
    pub(super) fn check_all_said(&self, log: &CheckedLog) {
        let mut texts: Vec<String> = log.user_texts().collect();
        let mut sent: Vec<String> = self
            .answers
            .iter()
            .map(|(params, _)| said(params))
            .collect();
        texts.sort_unstable();
        sent.sort_unstable();
        assert!(
            texts == sent,
            "{} messages for {} sends",
            texts.len(),
            sent.len()
        );
    }
}

fn said(params: &SendMessageParams) -> String {
    match &params.content.0[..] {
        [scorel_proto::Block::Text { text, .. }] => text.clone(),
        blocks => panic!("not one block of text: {blocks:?}"),
    }
}
