//! A session that much happens to, and the clients that follow it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use scorel_client::{ClientAnchors, ClientError, Connection};
use scorel_proto::{
    Cancel, CancelParams, Compact, CompactParams, EventId, Method, PermissionDecision, QueueEdit,
    QueueKind, RespondPermission, RespondPermissionParams, Rewind, RewindParams, RewriteQueue,
    RewriteQueueParams, SendMessage, SendMessageParams, Session, SessionId, SessionView,
    WhileRunning,
};
use scorel_testkit::{CheckedLog, DaemonUnderTest, ModelServer, SeededDice};

use super::follower::{Follower, of_the_log, read};
use super::model::{HALF, Held};
use super::way::Way;
use crate::under_test::{SCORELD, append, connect, message, new_session, session, title};

/// Something that happens.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Say,
    Hold,
    Ask,
    Flood,
    Steer,
    FollowUp,
    EditQueue,
    Cancel,
    Release,
    Answer,
    Rewind,
    Compact,
    Title,
    Kill,
    Stall,
    Pass,
    Cut,
}

pub(super) const STEPS: [Step; 17] = [
    Step::Say,
    Step::Hold,
    Step::Ask,
    Step::Flood,
    Step::Steer,
    Step::FollowUp,
    Step::EditQueue,
    Step::Cancel,
    Step::Release,
    Step::Answer,
    Step::Rewind,
    Step::Compact,
    Step::Title,
    Step::Kill,
    Step::Stall,
    Step::Pass,
    Step::Cut,
];

pub(super) struct History {
    dice: SeededDice,
    daemon: DaemonUnderTest,
    _model: ModelServer,
    held: Held,
    id: SessionId,
    hands: Connection,
    /// The client that changes what others have queued.
    second: Connection,
    way: Way,
    /// Connected directly.
    near: Follower,
    /// Connected by the way that stalls and breaks.
    far: Follower,
    /// The steps that were possible.
    pub(super) taken: Vec<Step>,
    stall: Duration,
}

impl History {
    /// A stalled way stays so for at least this time.
    pub(super) async fn new(dice: SeededDice, stall: Duration) -> Self {
        let model = ModelServer::start().await.unwrap();
        let held = Held::default();
        let answers = held.clone();
        model.answer_with(move |request| answers.answer(request));
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.configure_model(&model.base_url());
        daemon.configure_more("contextWindow = 60000\nmaxTokens = 4000\n");
        daemon.configure_more("[permissions]\nask = [\"Write(**)\"]\n");
        daemon.spawn().await;
        let (hands, id) = new_session(&daemon).await;
        let second = connect(&daemon.socket()).await;
        let way = Way::new(daemon.root().join("way.sock"), daemon.socket());
        let near = Follower::new(&daemon.socket(), id, ClientAnchors::default()).await;
        let far = Follower::new(way.path(), id, ClientAnchors::default()).await;
        Self {
            dice,
            daemon,
            _model: model,
            held,
            id,
            hands,
            second,
            way,
            near,
            far,
            taken: Vec::new(),
            stall,
        }
    }

    /// Takes one of the steps that are possible now.
    pub(super) async fn take_any(&mut self) {
        let is_possible = |step: &Step| self.is_possible(*step);
        let possible: Vec<Step> = STEPS.into_iter().filter(is_possible).collect();
        let step = possible[self.dice.index(0..possible.len())];
        self.take(step).await;
    }

    /// Takes a step if the session is in a state for it, and compares the clients with the log.
    pub(super) async fn take(&mut self, step: Step) {
        if !self.is_possible(step) {
            return;
        }
        self.taken.push(step);
        self.act(step).await;
        self.settle().await;
        self.compare().await;
    }

    /// Ends all that is open, and compares for the last time.
    pub(super) async fn end(&mut self) {
        self.way.pass();
        for step in [Step::Release, Step::Answer, Step::Say] {
            self.take(step).await;
        }
        assert!(is_at_rest(self.far.view()));
        assert!(self.far.view().open.is_empty());
    }

    fn is_possible(&self, step: Step) -> bool {
        let view = self.near.view();
        let state = &view.state;
        let has_turn = state.turn.is_some();
        match step {
            Step::Say | Step::Hold | Step::Ask | Step::Rewind | Step::Compact => is_at_rest(view),
            // Waiting messages would come after it, for which the context is too small.
            Step::Flood => is_at_rest(view) && state.queue.items.is_empty(),
            Step::Steer | Step::FollowUp | Step::Cancel => has_turn,
            Step::EditQueue => !state.queue.items.is_empty(),
            Step::Release => has_turn && state.permissions.is_empty(),
            Step::Answer => !state.permissions.is_empty(),
            Step::Title | Step::Kill | Step::Cut => true,
            Step::Stall => !self.way.is_stalled(),
            Step::Pass => self.way.is_stalled(),
        }
    }

    async fn act(&mut self, step: Step) {
        let number = self.taken.len();
        match step {
            Step::Say => self.say(&format!("say {number}"), None).await,
            Step::Hold => self.say(&format!("please hold {number}"), None).await,
            Step::Ask => self.say(&format!("please ask {number}"), None).await,
            Step::Flood => self.flood().await,
            Step::Steer => self.say("and this", Some(WhileRunning::Steer)).await,
            Step::FollowUp => self.say("then that", Some(WhileRunning::FollowUp)).await,
            Step::EditQueue => self.edit_queue().await,
            Step::Cancel => self.cancel().await,
            Step::Release => self.release().await,
            Step::Answer => self.answer().await,
            Step::Rewind => self.rewind().await,
            Step::Compact => self.compact().await,
            Step::Title => title(&self.second, self.id, &format!("title {number}")).await,
            Step::Kill => self.kill().await,
            Step::Stall => self.stall().await,
            Step::Pass => self.way.pass(),
            Step::Cut => self.way.cut(),
        }
    }

    async fn say(&self, text: &str, while_running: Option<WhileRunning>) {
        let params = SendMessageParams {
            while_running,
            ..message(self.id, text)
        };
        self.hands.call::<SendMessage>(&params).await.unwrap();
    }

    /// A turn beside the conversation, with more text than the way holds while it is stalled.
    async fn flood(&mut self) {
        let leaf = self.now().await.active_leaf_id;
        let params = SendMessageParams {
            parent_event_id: Some(None),
            ..message(self.id, "please flood")
        };
        // Impossible once a summary is at the beginning.
        tried::<SendMessage>(&self.hands, &params).await;
        self.settle().await;
        self.rewind_to(leaf).await;
    }

    async fn edit_queue(&mut self) {
        let queue = self.now().await;
        let Some(last) = queue.queue.len().checked_sub(1) else {
            return;
        };
        let queue_item_id = queue.queue[self.dice.index(0..last + 1)].queue_item_id;
        let op = match self.dice.index(0..8) {
            0 => QueueEdit::Edit {
                queue_item_id,
                content: "changed".into(),
            },
            1 => QueueEdit::Move {
                queue_item_id,
                position: 0,
            },
            2 => QueueEdit::Remove { queue_item_id },
            3 => QueueEdit::Convert {
                queue_item_id,
                kind: QueueKind::Steer,
            },
            4 => QueueEdit::Convert {
                queue_item_id,
                kind: QueueKind::FollowUp,
            },
            5 => QueueEdit::Add {
                kind: QueueKind::FollowUp,
                content: "one more".into(),
                position: Some(0),
                hold: Some(self.dice.chance(50)),
            },
            6 => QueueEdit::Pause {},
            _ => QueueEdit::Resume {},
        };
        let params = RewriteQueueParams {
            session_id: self.id,
            expected_version: queue.queue_version,
            ops: vec![op],
            command_id: None,
        };
        tried::<RewriteQueue>(&self.second, &params).await;
    }

    async fn release(&mut self) {
        self.held.release();
        self.near.until(|view| !is_held(view)).await;
    }

    async fn cancel(&mut self) {
        let turn = self.near.view().state.turn_id();
        let params = CancelParams {
            session_id: self.id,
            expected_turn_id: None,
            clear_queue: None,
            children: None,
            command_id: None,
        };
        self.hands.call::<Cancel>(&params).await.unwrap();
        self.near.until(|view| view.state.turn_id() != turn).await;
    }

    async fn answer(&mut self) {
        let allows = self.dice.chance(50);
        let params = RespondPermissionParams {
            session_id: self.id,
            request_id: self.near.view().state.permissions[0].request_id,
            decision: match allows {
                true => PermissionDecision::Once,
                false => PermissionDecision::Deny,
            },
            reason: None,
            command_id: None,
        };
        self.second
            .call::<RespondPermission>(&params)
            .await
            .unwrap();
    }

    async fn rewind(&mut self) {
        let log = read(&self.log_path());
        let is_message = |role: Option<&str>| role == Some("user");
        let messages = log.records().iter().filter(|it| is_message(it.role()));
        let parents: Vec<Option<EventId>> = messages
            .map(|it| it.value["parentId"].as_str().map(|id| id.parse().unwrap()))
            .collect();
        if !parents.is_empty() {
            let target = parents[self.dice.index(0..parents.len())];
            self.rewind_to(target).await;
        }
    }

    async fn rewind_to(&self, target_event_id: Option<EventId>) {
        let params = RewindParams {
            session_id: self.id,
            target_event_id,
            expected_leaf_id: self.now().await.active_leaf_id,
            restore_files: None,
            command_id: None,
        };
        tried::<Rewind>(&self.hands, &params).await;
    }

    async fn compact(&self) {
        for part in 0..5 {
            let text = format!("part {part} {}", "x".repeat(40_000));
            append(&self.hands, self.id, text).await;
        }
        let params = CompactParams {
            session_id: self.id,
            instructions: None,
            command_id: None,
        };
        tried::<Compact>(&self.hands, &params).await;
    }

    async fn kill(&mut self) {
        self.daemon.kill().await;
        self.daemon.spawn().await;
        self.hands = connect(&self.daemon.socket()).await;
        self.second = connect(&self.daemon.socket()).await;
        self.near.until_caught_up().await;
    }

    async fn stall(&self) {
        self.way.stall();
        // The other steps go on meanwhile, and it ends with one of them.
        tokio::time::sleep(self.stall).await;
    }

    async fn now(&self) -> Session {
        session(&self.hands, self.id).await
    }

    fn log_path(&self) -> PathBuf {
        self.daemon.log_path(&self.id.to_string())
    }

    /// Waits until only another step goes on with the session.
    async fn settle(&mut self) {
        let last = self.now().await.last_persistent_seq;
        let has_settled = |view: &SessionView| {
            let asks = !view.state.permissions.is_empty();
            view.state.last_persistent_seq >= last && (asks || is_at_rest(view) || is_held(view))
        };
        self.near.until(has_settled).await;
    }

    async fn compare(&mut self) {
        let path = self.log_path();
        let mut log = self.near.until_it_has(read(&path), &path).await;
        is_the_fold(&self.near, &log, &self.taken);
        if !self.way.is_stalled() {
            log = self.far.until_it_has(log, &path).await;
            is_the_fold(&self.far, &log, &self.taken);
            // The message that is not in the log yet: its text comes piece by piece.
            let open = &self.near.view().open;
            self.far.until(|view| view.open == *open).await;
        }
        self.compare_newcomer(log, &path).await;
    }

    /// One that comes now knows what the interactive client shows of a session besides its history.
    async fn compare_newcomer(&mut self, log: CheckedLog, path: &Path) {
        let mut newcomer = Follower::joining(&self.daemon.socket(), self.id, &log).await;
        let log = newcomer.until_it_has(log, path).await;
        let (state, folded) = (&newcomer.view().state, &log.view().state);
        assert_eq!(state.queue, folded.queue, "{:?}", self.taken);
        assert_eq!(state.permissions, folded.permissions, "{:?}", self.taken);
        assert_eq!(state.turn_id(), folded.turn_id(), "{:?}", self.taken);
        let open = &self.near.view().open;
        newcomer.until(|view| view.open == *open).await;
    }
}

/// Makes a call that the state of the session may forbid.
async fn tried<M: Method>(client: &Connection, params: &M::Params) {
    match client.call::<M>(params).await {
        Ok(_) | Err(ClientError::Rpc(_)) => {}
        Err(error) => panic!("no answer: {error}"),
    }
}

fn is_the_fold(client: &Follower, log: &CheckedLog, taken: &[Step]) {
    let (held, folded) = (of_the_log(client.view()), of_the_log(log.view()));
    assert_eq!(held.state, folded.state, "after {taken:?}");
    assert!(held == folded, "another tree after {taken:?}");
}

fn is_at_rest(view: &SessionView) -> bool {
    let queue = &view.state.queue;
    !view.state.has_job() && (queue.paused || queue.items.is_empty())
}

/// An answer waits at its gate.
fn is_held(view: &SessionView) -> bool {
    let text = format!("{:?}", view.open.messages);
    text.contains(HALF) && !text.contains(&format!("{HALF} and on"))
}
