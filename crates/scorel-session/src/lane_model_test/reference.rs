//! The expected session, worked out from the steps of its history. Knows nothing of the lane: a queue, a
//! tree of labels and at most one job.

pub(super) mod commands;
mod files;
pub(super) mod path;
mod turn;

use std::collections::VecDeque;

use scorel_proto::{OutcomeReason, Phase, QueueKind};

use files::Files;

/// What a text says; each text of a history says something else.
pub(super) type Label = u32;

/// A message of the tree, by its place in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) parent: Option<usize>,
    pub(super) kind: Kind,
    pub(super) labels: Vec<Label>,
    /// The number of its turn; 0 outside one.
    pub(super) turn: usize,
    pub(super) ends_turn: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Steer,
    /// What the daemon tells the model after an interruption.
    Note,
    Answer,
    Result,
    /// It stands for everything up to a node.
    Summary(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// What it was when it was added: the name of the item.
    pub(super) key: Label,
    pub(super) label: Label,
    pub(super) kind: QueueKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Job {
    Turn(Turn),
    Compaction,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Turn {
    stopped: bool,
    resumed: bool,
    at: At,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum At {
    /// The model answers; the labels that were shown of its answer.
    Calling(Vec<Label>),
    /// The calls of the last answer that have no result.
    Tools(VecDeque<Call>),
    Waiting,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Call {
    key: Label,
    writes: bool,
    state: CallState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallState {
    Due,
    Asked,
    Running,
    /// What its result says.
    Ended(Label),
}

/// What the session waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Due {
    Nothing,
    Answer,
    /// The ends of these calls.
    Tools(Vec<Label>),
    Permission,
    Moment,
    Summary,
}

/// The reason why a command is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    Busy,
    QueuePaused,
    QueueChanged,
    InvalidParams,
    LeafMoved,
    InvalidTarget,
    Summarised,
    Conflict,
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    Began,
    Queued(QueueKind, usize),
}

#[derive(Debug, Clone)]
pub(super) struct Reference {
    pub(super) nodes: Vec<Node>,
    pub(super) leaf: Option<usize>,
    /// How often the leaf was moved by a record.
    pub(super) moves: usize,
    pub(super) queue: Vec<Item>,
    pub(super) paused: bool,
    /// A client paused it.
    held: bool,
    /// A message was added after a cancel.
    go_on: bool,
    pub(super) version: u64,
    job: Option<Job>,
    pub(super) turns: usize,
    /// How often the model was asked.
    pub(super) calls: usize,
    pub(super) outcomes: Vec<OutcomeReason>,
    asks: bool,
    resumes: bool,
    /// True if the session may write without being asked.
    allowed: bool,
    pub(super) files: Files,
}

impl Reference {
    pub(super) fn new(asks: bool, resumes: bool) -> Self {
        Self {
            nodes: Vec::new(),
            leaf: None,
            moves: 0,
            queue: Vec::new(),
            paused: false,
            held: false,
            go_on: false,
            version: 0,
            job: None,
            turns: 0,
            calls: 0,
            outcomes: Vec::new(),
            asks,
            resumes,
            allowed: false,
            files: Files::default(),
        }
    }

    pub(super) fn due(&self) -> Due {
        match &self.job {
            None => Due::Nothing,
            Some(Job::Compaction) => Due::Summary,
            Some(Job::Turn(turn)) => match &turn.at {
                At::Calling(_) => Due::Answer,
                At::Waiting => Due::Moment,
                At::Tools(calls) if calls[0].state == CallState::Asked => Due::Permission,
                At::Tools(calls) => {
                    let running = calls.iter().filter(|call| call.state == CallState::Running);
                    Due::Tools(running.map(|call| call.key).collect())
                }
            },
        }
    }

    pub(super) fn phase(&self) -> Phase {
        match (&self.job, self.due()) {
            (None, _) => Phase::Idle,
            (Some(Job::Compaction), _) => Phase::Preparing,
            (Some(Job::Turn(turn)), _) if turn.stopped => Phase::Cancelling,
            (_, Due::Moment) => Phase::Waiting,
            (_, Due::Permission) => Phase::AwaitingPermission,
            _ => Phase::Running,
        }
    }

    /// The number of the open turn.
    pub(super) const fn turn(&self) -> Option<usize> {
        match self.job {
            Some(Job::Turn(_)) => Some(self.turns),
            _ => None,
        }
    }

    /// Returns whether the running call with this key writes.
    pub(super) fn writes(&self, key: Label) -> bool {
        match self.running().map(|turn| &turn.at) {
            Some(At::Tools(calls)) => calls.iter().any(|call| call.key == key && call.writes),
            _ => false,
        }
    }

    /// How many labels the model has shown of its answer.
    pub(super) fn shown(&self) -> usize {
        match self.running().map(|turn| &turn.at) {
            Some(At::Calling(shown)) => shown.len(),
            _ => 0,
        }
    }

    fn running(&self) -> Option<&Turn> {
        match &self.job {
            Some(Job::Turn(turn)) => Some(turn),
            _ => None,
        }
    }

    fn running_mut(&mut self) -> &mut Turn {
        match &mut self.job {
            Some(Job::Turn(turn)) => turn,
            other => panic!("no turn, but {other:?}"),
        }
    }

    fn stopped(&self) -> bool {
        self.running().is_some_and(|turn| turn.stopped)
    }

    fn say(&mut self, kind: Kind, labels: Vec<Label>) {
        let node = Node {
            parent: self.leaf,
            kind,
            labels,
            turn: self.turn().unwrap_or(0),
            ends_turn: matches!(kind, Kind::Summary(_)),
        };
        self.leaf = Some(self.nodes.len());
        self.nodes.push(node);
    }

    /// Takes the first message of the queue, unless it has to wait.
    fn start_next(&mut self) {
        if self.job.is_none() && !self.paused && !self.queue.is_empty() {
            let item = self.take(0);
            self.start(item.label);
        }
    }

    fn take(&mut self, at: usize) -> Item {
        let item = self.queue.remove(at);
        self.version += 1;
        self.settle_queue();
        item
    }

    fn pause(&mut self, is_paused: bool) {
        (self.paused, self.held) = (is_paused, is_paused);
    }

    fn settle_queue(&mut self) {
        if self.queue.is_empty() {
            self.pause(false);
            self.go_on = false;
        }
    }

    /// A turn, or a compaction that was cancelled, has ended.
    fn queue_after(&mut self, completed: bool) {
        let go_on = std::mem::take(&mut self.go_on);
        let pauses = !completed && !go_on && !self.queue.is_empty() && !self.paused;
        let (mut queue, follow_ups): (Vec<Item>, Vec<Item>) = std::mem::take(&mut self.queue)
            .into_iter()
            .partition(|item| item.kind == QueueKind::Steer);
        let had_steers = !queue.is_empty();
        queue.extend(follow_ups);
        for item in &mut queue {
            item.kind = QueueKind::FollowUp;
        }
        self.queue = queue;
        self.paused |= pauses;
        self.version += u64::from(pauses || had_steers);
    }
}
