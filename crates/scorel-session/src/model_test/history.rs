//! One random history of a session.

mod clients;
mod crash;
mod damage;
mod turn;

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::BoxFuture;
use scorel_journal::Durability;
use scorel_proto::{
    ClientId, DeviceId, Event, ProjectId, Seq, SessionId, SessionKind, SessionView, TransientBody,
    TransientEvent, TurnError,
};

use super::WINDOWS;
use super::dice::Dice;
use super::disk::Trouble;
use super::home::HistoryHome;
use super::reference::Reference;
use crate::clock::now_ms;
use crate::lane::{EventDraft, Section};
use crate::{
    Lane, NewSession, PreparedTurn, SessionError, SessionHeader, SessionResources, SessionSettings,
    Sessions, TitleAnswer, TitleRequest, TurnRequest, TurnSetup,
};

use clients::Watcher;

/// A session, its clients, and what must be true of them.
pub(super) struct History {
    dice: Dice,
    home: HistoryHome,
    sessions: Arc<Sessions>,
    id: SessionId,
    lane: Option<Arc<Lane>>,
    reference: Reference,
    /// The published part of the log, in bytes.
    log_end: usize,
    watchers: Vec<Watcher>,
    /// How much of the log the last checkpoint covers.
    checkpointed: usize,
    /// True if the spool has everything that was shown of the open message.
    spooled: bool,
    /// True if only the daemon has ever changed the log.
    pristine: bool,
    /// True if the daemon came upon damage that was not there when it loaded the session: if a sync
    /// fails then, there is no whole copy of the published records to move to.
    found_alive: bool,
    /// Decides the steps that were added to histories later, so that those that failed once stay
    /// as they were.
    twists: Option<Dice>,
}

/// No turn runs in these histories: they do themselves what turns do.
#[derive(Debug)]
struct NoTurns;

impl TurnSetup for NoTurns {
    fn resources(self: Arc<Self>, _: &SessionHeader) -> Arc<dyn SessionResources> {
        self
    }

    fn title(&self, _: TitleRequest) -> BoxFuture<'static, Option<TitleAnswer>> {
        Box::pin(std::future::ready(None))
    }

    fn allow_always(&self, _: ProjectId, _: &[String]) -> io::Result<()> {
        Ok(())
    }
}

impl SessionResources for NoTurns {
    fn prepare(
        self: Arc<Self>,
        _: TurnRequest,
    ) -> BoxFuture<'static, Result<PreparedTurn, TurnError>> {
        unreachable!("the sessions are stopping")
    }

    fn leaf_moved(&self) {}

    fn files(&self) -> io::Result<Arc<scorel_files::FileRecorder>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn end(&self) {}
}

const RING_BYTES: [usize; 5] = [1, 800, 2_000, 8_000, 1 << 20];

impl History {
    pub(super) async fn begin(seed: u64, home: HistoryHome, twisted: bool) -> Self {
        let mut dice = Dice::new(seed);
        let ring_bytes = dice.pick(&RING_BYTES);
        let sessions = sessions(&home, ring_bytes);
        let new = NewSession {
            agent: None,
            run: None,
            worktree: None,
            runner: None,
            project_id: ProjectId::generate(),
            kind: SessionKind::User,
            parent: None,
            client_id: ClientId::Daemon,
            title: None,
            model: None,
            thinking_level: None,
            tools: None,
        };
        let id = sessions.create(new).await.expect("created").session_id;
        let lane = sessions.get(id).await.expect("there");
        lane.start_draining();
        let log_end = home.log(id).len();
        Self {
            watchers: (0..=dice.below(3)).map(|_| Watcher::default()).collect(),
            dice,
            home,
            sessions,
            id,
            lane: Some(lane),
            reference: Reference::new(ring_bytes),
            log_end,
            checkpointed: 0,
            spooled: true,
            pristine: true,
            found_alive: false,
            twists: twisted.then(|| Dice::new(!seed)),
        }
    }

    pub(super) async fn run(&mut self) {
        let steps = 15 + self.dice.below(25);
        for _ in 0..steps {
            self.step().await;
            self.check().await;
            self.twist().await;
        }
        self.end().await;
    }

    async fn twist(&mut self) {
        let Some(twists) = &mut self.twists else {
            return;
        };
        let count = 5 + twists.below(25);
        match twists.below(24) {
            0..2 => self.fall_behind(count).await,
            2 => self.damage_alive().await,
            3..6 if self.reference.damaged => self.accept_damage(usize::MAX).await,
            _ => return,
        }
        self.check().await;
    }

    /// A client is up to date, reads nothing for a while, and catches up.
    async fn fall_behind(&mut self, count: usize) {
        if self.home.is_off() {
            return;
        }
        let at = count % self.watchers.len();
        self.catch_up(at).await;
        for _ in 0..count {
            self.write().await;
        }
        self.catch_up(at).await;
    }

    async fn step(&mut self) {
        match self.dice.below(100) {
            0..45 => self.write_some().await,
            45..76 => self.watch().await,
            76..83 => self.probe().await,
            83..89 => self.tidy().await,
            89..95 => self.crash().await,
            95..99 => self.fail_once().await,
            _ => self.use_up_numbers().await,
        }
    }

    async fn write_some(&mut self) {
        for _ in 0..=self.dice.below(6) {
            self.write().await;
        }
    }

    /// The disk refuses one write or one sync; the session goes on.
    async fn fail_once(&mut self) {
        let trouble = if self.dice.one_in(2) && !self.found_alive {
            Trouble::NoSync
        } else {
            Trouble::NoSpace(self.dice.below(200))
        };
        self.home.expect(trouble);
        self.spooled = false;
        self.write().await;
        self.home.expect(Trouble::None);
        self.spooled = false;
    }

    /// Almost all numbers that the last record reserves are issued and never shown.
    async fn use_up_numbers(&mut self) {
        let lane = self.lane().await;
        let mut locked = lane.lock().await;
        let mut section = locked.section();
        let journal = section.journal().expect("writable");
        let left = journal
            .reserved_through()
            .get()
            .saturating_sub(journal.last_seq().get());
        for _ in self.dice.below(4) as u64..left {
            if journal.next_transient().is_err() {
                return;
            }
        }
    }

    /// The periodic work of the daemon: the ring shrinks, and an unused session leaves memory with
    /// a checkpoint.
    async fn tidy(&mut self) {
        if self.reference.view.state.turn.is_none() {
            self.lane = None;
        }
        let used = self.lane.is_some() || self.watchers.iter().any(Watcher::is_subscribed);
        self.sessions.sweep().await;
        let unloaded = self.sessions.loaded_count() == 0;
        assert!(!unloaded || !used, "in memory while in use");
        self.reference.shrink();
        if unloaded {
            self.checkpointed = self.log_end;
            self.load().await;
        }
    }

    /// The session, loaded since the history began or the last crash.
    async fn lane(&mut self) -> Arc<Lane> {
        if self.lane.is_none() {
            self.lane = Some(self.sessions.get(self.id).await.expect("loaded"));
        }
        let lane = Arc::clone(self.lane.as_ref().expect("just set"));
        // A turn that recovery leaves open has a task, which finds that the sessions are stopping.
        while lane.has_job() {
            tokio::task::yield_now().await;
        }
        lane
    }

    /// Does something to the session and takes note of the records that it published.
    async fn act<R>(
        &mut self,
        f: impl FnOnce(&mut Section<'_>) -> Result<R, SessionError>,
        shown: Option<(scorel_proto::TurnId, TransientBody)>,
    ) -> bool {
        let lane = self.lane().await;
        let mut locked = lane.lock().await;
        let mut section = locked.section();
        let before = section.last_seq();
        let done = f(&mut section);
        let end = section.log_end();
        let mut lines = self.new_lines(end);
        self.log_end = end;
        let Some((turn_id, body)) = shown else {
            self.publish(&lines);
            return done.is_ok();
        };
        // A record that had to make room for the number comes first.
        let behind = lines.split_off(
            lines
                .iter()
                .take_while(|(_, line)| is_reserve(line))
                .count(),
        );
        self.publish(&lines);
        if done.is_ok() {
            let reserve = lines.last().map(|(_, line)| super::reference::seq_of(line));
            let seq = reserve.unwrap_or(before).next();
            self.reference
                .publish_transient(self.transient(seq, turn_id, body));
        }
        self.publish(&behind);
        done.is_ok()
    }

    fn transient(
        &self,
        seq: Seq,
        turn_id: scorel_proto::TurnId,
        body: TransientBody,
    ) -> TransientEvent {
        TransientEvent {
            seq,
            session_id: self.id,
            client_id: ClientId::Daemon,
            ts: now_ms(),
            turn_id: Some(turn_id),
            body,
        }
    }

    async fn commit(&mut self, draft: EventDraft) -> bool {
        self.act(|section| section.commit(draft), None).await
    }

    async fn show(&mut self, turn_id: scorel_proto::TurnId, body: TransientBody) -> bool {
        if matches!(body, TransientBody::MessageStart(_)) {
            self.spooled = true;
        }
        let shown = body.clone();
        self.act(
            |section| section.show(turn_id, shown),
            Some((turn_id, body)),
        )
        .await
    }

    /// The whole lines of the log between its published part and `end`, with their places.
    fn new_lines(&self, end: usize) -> Vec<(usize, Vec<u8>)> {
        if end == self.log_end {
            return Vec::new();
        }
        let tail = self.home.log_from(self.id, self.log_end);
        lines(&tail, self.log_end, end)
    }

    fn publish(&mut self, lines: &[(usize, Vec<u8>)]) {
        for (offset, line) in lines {
            self.reference.publish_record(*offset, line);
        }
    }

    /// What must be true between any two steps.
    async fn check(&mut self) {
        let lane = self.lane().await;
        // Reading a damaged log would find the damage at another moment than the history expects.
        if self.pristine && !self.home.is_off() {
            let _ = lane.context().await;
        }
        let mut locked = lane.lock().await;
        let section = locked.section();
        assert_eq!(lane.head(), self.reference.head);
        assert_eq!(section.damage().is_empty(), !self.reference.damaged);
        assert_eq!(*section.view(), self.reference.view);
        if let Some(window) = section.window() {
            assert_eq!(window, self.reference.window());
            WINDOWS.fetch_add(usize::from(!window.context().is_empty()), Ordering::Relaxed);
        }
        for watcher in &self.watchers {
            watcher.client.check(&self.reference);
        }
    }

    /// All clients reconnect and catch up, and the log folds into the state of the daemon.
    async fn end(&mut self) {
        self.accept_damage(usize::MAX).await;
        self.check().await;
        for at in 0..self.watchers.len() {
            self.catch_up(at).await;
        }
        if self.pristine && self.reference.view.state.turn.is_none() {
            self.check_log();
        }
    }

    /// A program that knows nothing of checksums and checkpoints reads the same state from the log.
    fn check_log(&self) {
        let log = String::from_utf8(self.home.log(self.id)).expect("text");
        let mut folded = SessionView::default();
        for line in log.lines().skip(1) {
            folded.apply(&Event::decode(line).expect("a record is an event"));
        }
        assert_eq!(
            folded, self.reference.view,
            "the log folds into what is live"
        );
    }
}

fn sessions(home: &HistoryHome, ring_bytes: usize) -> Arc<Sessions> {
    let settings = SessionSettings {
        durability: Durability::Sync,
        ring_bytes,
        idle_unload: Duration::ZERO,
        ..SessionSettings::default()
    };
    let path = home.path();
    Sessions::new(
        path.join("sessions"),
        (path.join("index"), path.join("active")),
        (DeviceId::generate(), "0.0.0".to_owned()),
        home.storage(),
        settings,
        Arc::new(NoTurns),
        Vec::new(),
    )
}

/// The whole lines up to `end` in the part of a log that begins at `from`, each with its offset and
/// its newline.
fn lines(part: &[u8], from: usize, end: usize) -> Vec<(usize, Vec<u8>)> {
    let mut offset = from;
    let mut lines = Vec::new();
    for line in part[..end - from].split_inclusive(|byte| *byte == b'\n') {
        if line.ends_with(b"\n") {
            lines.push((offset, line.to_vec()));
        }
        offset += line.len();
    }
    lines
}

fn is_reserve(line: &[u8]) -> bool {
    String::from_utf8_lossy(line).contains("\"type\":\"seq_reserve\"")
}
