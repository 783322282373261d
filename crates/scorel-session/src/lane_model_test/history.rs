//! One random history of a session.

mod check;
mod commands;
mod daemon;
mod events;

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use scorel_journal::{Durability, EVENTS};
use scorel_proto::{ClientId, DeviceId, OnRestart, ProjectId, SessionId, SessionKind, TurnId};
use tokio::time::Instant;

use commands::Command;

use super::follower::Follower;
use super::observed::{Observed, PADDING};
use super::project::Project;
use super::reference::{Label, Reference};
use super::stage::{Stage, StageEnd, StagedCall, StagedRun};
use crate::model_test::dice::Dice;
use crate::model_test::disk::MemoryDisk;
use crate::{Lane, NewSession, SessionSettings, Sessions, WallClock};

/// Longer than anything that a history waits for. Time is paused, so waiting in vain costs nothing.
const FOREVER: Duration = Duration::from_secs(50_000);

/// 2026-11-22 12:00:00 UTC.
const NOON: u64 = 1_795_348_800_000;

const HOME: &str = "/home";

/// How one history differs from others from its beginning on.
#[derive(Debug, Clone, Copy)]
struct Traits {
    ring_bytes: usize,
    asks: bool,
    keep_tokens: u64,
    resumes: bool,
    began: Instant,
}

/// A session, everything that acts on it, and the reference that it must match.
pub(super) struct History {
    dice: Dice,
    traits: Traits,
    project: Option<Arc<Project>>,
    disk: MemoryDisk,
    sessions: Arc<Sessions>,
    id: SessionId,
    lane: Option<Arc<Lane>>,
    end: StageEnd,
    call: Option<StagedCall>,
    /// The number of the call that is held.
    calls: usize,
    runs: Vec<StagedRun>,
    reference: Reference,
    observed: Observed,
    /// The turns that the log has, in order.
    turns: Vec<TurnId>,
    clients: [Follower; 2],
    labels: Label,
    /// Commands that took effect, with their answers.
    done: Vec<(Command, String)>,
    /// What belongs to daemons that died: their tasks wait for ever.
    dead: Vec<Box<dyn Any>>,
}

impl History {
    pub(super) async fn begin(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let traits = Traits {
            ring_bytes: dice.pick(&[1, 3_000, 20_000, 1 << 20]),
            asks: dice.one_in(2),
            keep_tokens: dice.pick(&[1, 30, 80]),
            resumes: dice.one_in(3),
            began: Instant::now(),
        };
        let disk = MemoryDisk::default();
        let project = dice.one_in(20).then(|| Arc::new(Project::new()));
        let (sessions, end) = daemon(traits, &disk, project.clone());
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
        Self {
            dice,
            traits,
            project,
            disk,
            lane: Some(sessions.get(id).await.expect("there")),
            sessions,
            id,
            end,
            call: None,
            calls: 0,
            runs: Vec::new(),
            reference: Reference::new(traits.asks, traits.resumes),
            observed: Observed::default(),
            turns: Vec::new(),
            clients: <[Follower; 2]>::default(),
            labels: 0,
            done: Vec::new(),
            dead: Vec::new(),
        }
    }

    pub(super) async fn run(&mut self) {
        let steps = 4 + self.dice.below(13);
        for _ in 0..steps {
            self.step().await;
            self.settle().await;
        }
        self.rest().await;
    }

    async fn step(&mut self) {
        match self.dice.below(100) {
            0..40 => self.go_on().await,
            40..58 => self.send().await,
            58..68 => self.rewrite().await,
            68..76 => self.cancel().await,
            76..83 => self.travel().await,
            83..84 if self.project.is_some() => self.restore().await,
            83..84 => self.travel().await,
            84..91 => self.compact().await,
            91..94 => self.repeat().await,
            94..97 => self.crash().await,
            97..98 => self.stop().await,
            98..99 => self.unload().await,
            _ if self.project.is_some() => self.restore().await,
            _ => self.end_wait().await,
        }
    }

    /// Everything that waits is answered, until the session is idle and its queue empty.
    async fn rest(&mut self) {
        while self.reference.is_busy() {
            if self.reference.due() == super::reference::Due::Nothing {
                self.resume_queue().await;
            } else {
                self.go_on().await;
            }
            self.settle().await;
        }
        for client in &mut self.clients {
            client.disconnected();
        }
        self.check_rest().await;
    }

    fn lane(&self) -> Arc<Lane> {
        Arc::clone(self.lane.as_ref().expect("loaded"))
    }

    fn label(&mut self) -> Label {
        self.labels += 1;
        self.labels
    }

    fn log(&self) -> Vec<u8> {
        let dir = std::path::Path::new(HOME).join("sessions");
        let path = dir.join(self.id.to_string()).join(EVENTS);
        self.disk.read(&path).expect("a log")
    }
}

/// Prints the reference's state and the log of a history that failed.
impl Drop for History {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let due = self.reference.due();
            eprintln!("due: {due:?}, queue: {:?}", self.reference.queue);
            let log = String::from_utf8_lossy(&self.log()).into_owned();
            for line in log.lines().skip(1) {
                eprintln!("{}", line.replace(PADDING, ""));
            }
        }
    }
}

/// A daemon on a disk.
fn daemon(
    traits: Traits,
    disk: &MemoryDisk,
    project: Option<Arc<Project>>,
) -> (Arc<Sessions>, StageEnd) {
    let (stage, end) = Stage::new((traits.asks, traits.keep_tokens), project);
    let began = traits.began;
    let now = move || NOON + u64::try_from(began.elapsed().as_millis()).expect("short");
    let settings = SessionSettings {
        durability: Durability::Flush,
        ring_bytes: traits.ring_bytes,
        idle_unload: Duration::ZERO,
        on_restart: if traits.resumes {
            OnRestart::Resume
        } else {
            OnRestart::Mark
        },
        wall_clock: WallClock::new(now),
        ..SessionSettings::default()
    };
    let home = std::path::Path::new(HOME);
    let sessions = Sessions::new(
        home.join("sessions"),
        (home.join("index"), home.join("active")),
        (DeviceId::generate(), "0.0.0".to_owned()),
        disk.storage(),
        settings,
        stage,
        Vec::new(),
    );
    (sessions, end)
}
