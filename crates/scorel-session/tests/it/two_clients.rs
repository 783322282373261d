//! Two clients that change the same thing at once, while turns end.

use std::collections::{BTreeSet, HashMap};

use scorel_proto::{
    ClientId, Content, Event, EventId, Phase, QueueEdit, QueueItem, QueueItemId, QueueKind,
    RewriteQueueResult, SendMessageResult, Seq, SessionId, SessionView, WhileRunning,
};
use scorel_session::{
    LeafTarget, MoveLeaf, MutationCommand, QueueRewrite, SendRequest, SessionError,
};

use crate::follower::{Follower, within};
use crate::log::{Log, name, text};
use crate::rig::{Rig, client, message};
use crate::travel::leaf;

const ROUNDS: usize = 1_000;

/// A session, the two that follow it, and what they did.
struct Table {
    rig: Rig,
    id: SessionId,
    clients: [Follower; 2],
    names: [ClientId; 2],
    added: BTreeSet<QueueItemId>,
    removed: BTreeSet<QueueItemId>,
    /// The states that conflicts told.
    told: Vec<(u64, Vec<QueueItem>)>,
    /// How often both were refused, because a turn was faster.
    both_lost: usize,
    /// How often the leaf was moved before the other began a turn, and how often it was too late.
    moves: usize,
    busy: usize,
}

/// Lets others go first.
async fn after<T>(yields: usize, what: impl Future<Output = T>) -> T {
    for _ in 0..yields {
        tokio::task::yield_now().await;
    }
    what.await
}

impl Table {
    async fn new() -> Self {
        let rig = Rig::new();
        let id = rig.session().await;
        Self {
            clients: [rig.follow(id).await, rig.follow(id).await],
            names: [client(), client()],
            id,
            rig,
            added: BTreeSet::new(),
            removed: BTreeSet::new(),
            told: Vec::new(),
            both_lost: 0,
            moves: 0,
            busy: 0,
        }
    }

    fn command(&self, at: usize, method: &str) -> MutationCommand {
        MutationCommand::new(self.names[at], None, method, &())
    }

    async fn queue(&mut self, text: &str, while_running: WhileRunning) {
        let request = SendRequest {
            while_running,
            ..message(text)
        };
        let sent = self.rig.send(self.id, request).await.expect("accepted");
        let SendMessageResult::Queued { queue_item_id, .. } = sent else {
            panic!("a turn runs");
        };
        self.added.insert(queue_item_id);
    }

    async fn rewrite(
        &self,
        at: usize,
        version: u64,
        edit: QueueEdit,
    ) -> Result<RewriteQueueResult, SessionError> {
        let lane = self.rig.lane(self.id).await;
        let command = self.command(at, "rewriteQueue");
        within(lane.mutate(QueueRewrite {
            command,
            expected_version: version,
            edits: vec![edit],
        }))
        .await
    }

    async fn rewind(
        &self,
        at: usize,
        target: Option<EventId>,
        expected: Option<EventId>,
    ) -> Result<Seq, SessionError> {
        let lane = self.rig.lane(self.id).await;
        within(lane.mutate(MoveLeaf {
            command: self.command(at, "rewind"),
            target: LeafTarget::Ancestor(target),
            expected_leaf: expected,
        }))
        .await
    }

    /// Answers the model until the session is idle and nothing waits.
    async fn rest(&mut self) {
        let lane = self.rig.lane(self.id).await;
        loop {
            let session = lane.session().expect("there");
            if session.phase != Phase::Idle {
                tokio::select! {
                    biased;
                    _ = self.clients[0].next() => {}
                    call = self.rig.model() => call.answer("done").await,
                }
            } else if session.queue.is_empty() {
                break;
            } else {
                let resumed = self
                    .rewrite(0, session.queue_version, QueueEdit::Resume {})
                    .await;
                resumed.expect("nothing runs");
            }
        }
        let last = lane.session().expect("there").last_persistent_seq;
        for client in &mut self.clients {
            while client.anchors.persistent_last_seq < last {
                client.next().await;
            }
        }
    }

    /// Both edit the queue that both have seen, while the turn ends or is cancelled.
    async fn edit_at_once(&mut self, round: usize) {
        self.rig.begin(self.id, "go").await;
        let call = self.rig.model().await;
        for (number, kind) in [
            WhileRunning::FollowUp,
            WhileRunning::Steer,
            WhileRunning::FollowUp,
        ]
        .into_iter()
        .enumerate()
        .take(1 + round % 3)
        {
            self.queue(&number.to_string(), kind).await;
        }
        let lane = self.rig.lane(self.id).await;
        let seen = lane.session().expect("there");
        let items: Vec<QueueItemId> = seen.queue.iter().map(|item| item.queue_item_id).collect();
        let (first, last) = (items[0], items[items.len() - 1]);
        let remove = QueueEdit::Remove {
            queue_item_id: first,
        };
        let other = match round % 4 {
            0 => QueueEdit::Remove {
                queue_item_id: last,
            },
            1 => QueueEdit::Edit {
                queue_item_id: first,
                content: Content::from("edited"),
            },
            2 => QueueEdit::Move {
                queue_item_id: last,
                position: 0,
            },
            _ => QueueEdit::Convert {
                queue_item_id: first,
                kind: QueueKind::Steer,
            },
        };
        let end = async {
            if round.is_multiple_of(5) {
                assert!(lane.cancel(None));
            } else {
                call.answer("done").await;
            }
        };
        let (a, b, ()) = tokio::join!(
            after(round % 7, self.rewrite(0, seen.queue_version, remove)),
            after(round / 7 % 7, self.rewrite(1, seen.queue_version, other)),
            after(round / 49 % 7, end),
        );
        assert!(a.is_err() || b.is_err(), "{round}: both won");
        if a.is_ok() {
            self.removed.insert(first);
        }
        if b.is_ok() && round.is_multiple_of(4) {
            self.removed.insert(last);
        }
        self.both_lost += usize::from(a.is_err() && b.is_err());
        for lost in [a, b].into_iter().filter_map(Result::err) {
            let SessionError::QueueChanged { version, items } = lost else {
                panic!("{round}: {lost:?}");
            };
            assert!(version > seen.queue_version, "{round}");
            self.told.push((version, items));
        }
        self.rest().await;
    }

    /// Both move the leaf that both have seen.
    async fn move_at_once(&mut self, round: usize) {
        self.rig.begin(self.id, "go").await;
        self.rest().await;
        let view = &self.clients[0].view;
        let seen = view.leaf();
        let path = view.tree.path(seen);
        let first = path.iter().find(|node| node.turn_end);
        let first = first.map(|node| node.id).filter(|id| Some(*id) != seen);
        let (a, b) = tokio::join!(
            after(round % 3, self.rewind(0, None, seen)),
            after(round / 3 % 3, self.rewind(1, first, seen)),
        );
        let winner = leaf(&self.rig, self.id).await;
        match (a, b) {
            (Ok(_), Err(lost)) | (Err(lost), Ok(_)) => {
                let SessionError::LeafMoved { active } = lost else {
                    panic!("{round}: {lost:?}");
                };
                assert_eq!(active, winner, "{round}");
            }
            other => panic!("{round}: {other:?}"),
        }
    }

    /// A turn ends; at once one sends the session on, and the other moves its leaf.
    async fn go_on_and_move_at_once(&mut self, round: usize) {
        self.rig.begin(self.id, "go").await;
        self.rig.model().await.answer("done").await;
        for client in &mut self.clients {
            assert_eq!(client.outcome().await, "completed");
        }
        let seen = self.clients[1].view.clone();
        let version = seen.state.queue.version;
        let add = QueueEdit::Add {
            kind: QueueKind::FollowUp,
            content: Content::from("more"),
            position: None,
            hold: None,
        };
        let (added, moved) = tokio::join!(
            after(round % 5, self.rewrite(0, version, add)),
            after(round / 5 % 5, self.rewind(1, None, seen.leaf())),
        );
        added.expect("no other edit");
        let goes_on_from = match moved {
            Ok(_) => {
                self.moves += 1;
                None
            }
            Err(SessionError::Busy { .. }) => {
                self.busy += 1;
                seen.leaf()
            }
            Err(lost) => panic!("{round}: {lost:?}"),
        };
        self.clients[1].taken.clear();
        self.rest().await;
        let mut events = self.clients[1].events().into_iter();
        let user = events.find(|event| name(event) == "user");
        let user = user.expect("the message");
        self.added
            .insert(text(&user, "queueItemId").parse().expect("an id"));
        let goes_on_from = goes_on_from.map(|id| id.to_string());
        assert_eq!(
            user["parentId"].as_str(),
            goes_on_from.as_deref(),
            "{round}"
        );
    }
}

/// The queue at each of its versions.
fn versions(log: &Log) -> HashMap<u64, Vec<QueueItem>> {
    let mut view = SessionView::default();
    let mut versions = HashMap::new();
    for line in &log.lines {
        view.apply(&Event::decode(line).expect("a record is an event"));
        let queue = &view.state.queue;
        versions.insert(queue.version, queue.items.clone());
    }
    versions
}

#[tokio::test(start_paused = true)]
async fn of_two_clients_one_wins_and_nothing_is_lost_doubled_or_run_after_its_removal() {
    let mut table = Table::new().await;
    for round in 0..ROUNDS {
        match round % 5 {
            0..3 => table.edit_at_once(round).await,
            3 => table.go_on_and_move_at_once(round).await,
            _ => table.move_at_once(round).await,
        }
    }
    let log = table.rig.check(table.id).await;
    let versions = versions(&log);
    for (version, items) in &table.told {
        assert_eq!(
            Some(items),
            versions.get(version),
            "the state of a conflict"
        );
    }
    table.rest().await;
    for client in &table.clients {
        assert_eq!(client.view, log.fold(), "what a client sees");
    }
    let ran = log.all("user").into_iter();
    let ran = ran.filter_map(|user| user["queueItemId"].as_str());
    let mut ran: Vec<QueueItemId> = ran.map(|id| id.parse().expect("an id")).collect();
    ran.sort_unstable();
    let kept: Vec<QueueItemId> = table.added.difference(&table.removed).copied().collect();
    assert_eq!(ran, kept);
    assert!(table.both_lost > 0, "a turn was never faster than both");
    assert!(table.moves > 0 && table.busy > 0, "one was always faster");
}
