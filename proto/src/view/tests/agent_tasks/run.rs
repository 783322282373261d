use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::Rng;
use proptest::test_runner::TestRng;

use super::delivery::offer;
use super::task::Task;
use crate::view::tests::log::{Log, message};
use crate::{AgentTaskId, AgentTaskStatus, Event, EventId, OutcomeReason, PersistentEvent};
use AgentTaskStatus::{Completed, Failed, Interrupted, Queued, Running, WaitingInput};

/// Random choices that a seed repeats.
pub(super) struct Dice(pub(super) TestRng);

impl Dice {
    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).expect("64 bits");
        usize::try_from(self.0.next_u64() % bound).expect("below a usize")
    }

    pub(super) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

/// The state of a task.
enum Stage {
    Unbound,
    Waits,
    Works(AgentTaskStatus),
    Ended(AgentTaskStatus),
    Told(AgentTaskStatus, EventId),
    Settled(AgentTaskStatus),
}

impl Stage {
    const fn status(&self) -> AgentTaskStatus {
        match self {
            Self::Unbound | Self::Waits => Queued,
            Self::Works(status)
            | Self::Ended(status)
            | Self::Told(status, _)
            | Self::Settled(status) => *status,
        }
    }
}

/// The log of a session that gives tasks to agents, as the daemon writes it.
pub(super) struct Run {
    pub(super) records: Vec<PersistentEvent>,
    /// The status of each runtime at the end of the log.
    pub(super) truth: BTreeMap<AgentTaskId, AgentTaskStatus>,
    /// The places of the last events of the runtimes.
    pub(super) last: BTreeSet<usize>,
}

/// A run that is being made.
struct Making<'a> {
    dice: &'a mut Dice,
    log: Log,
    tasks: Vec<(Task, Stage)>,
    last: BTreeMap<AgentTaskId, usize>,
}

impl Run {
    /// Two to six tasks, of which some have not ended.
    pub(super) fn random(dice: &mut Dice) -> Self {
        let mut making = Making {
            log: Log::new(),
            tasks: Vec::new(),
            last: BTreeMap::new(),
            dice,
        };
        making.log.begin();
        making.log.user("q");
        for _ in 0..2 + making.dice.below(5) {
            making.spawn();
            making.steps();
        }
        if making.dice.one_in(3) {
            making.log.outcome(OutcomeReason::Cancelled);
        }
        for _ in 0..3 {
            making.steps();
        }
        making.done()
    }
}

impl Making<'_> {
    fn spawn(&mut self) {
        let mut task = Task::new();
        self.log.push(task.spawned());
        self.tasks.push((task, Stage::Unbound));
        self.touched(self.tasks.len() - 1);
    }

    /// The last record is of this task.
    fn touched(&mut self, index: usize) {
        let place = self.log.records.len() - 1;
        self.last.insert(self.tasks[index].0.id, place);
    }

    fn steps(&mut self) {
        for _ in 0..self.dice.below(8) {
            let index = self.dice.below(self.tasks.len());
            self.step(index);
        }
    }

    fn step(&mut self, index: usize) {
        let dice = &mut *self.dice;
        let (task, stage) = &mut self.tasks[index];
        let (body, next) = match stage {
            Stage::Unbound => (task.bound(Queued), Stage::Waits),
            Stage::Waits if dice.one_in(2) => return self.place(),
            Stage::Waits if dice.one_in(4) => (task.ends(Interrupted), Stage::Ended(Interrupted)),
            Stage::Waits => (task.becomes(Running), Stage::Works(Running)),
            Stage::Works(status) => work(dice, task, *status),
            Stage::Ended(status) => {
                let status = *status;
                return self.tell(index, status);
            }
            Stage::Told(status, told) => {
                (task.is_delivered(*status, *told), Stage::Settled(*status))
            }
            Stage::Settled(_) => return,
        };
        *stage = next;
        self.log.push(body);
        self.touched(index);
    }

    /// All that wait have other places: one record.
    fn place(&mut self) {
        let all = self.tasks.iter_mut().enumerate();
        let waiting = all.filter(|(_, (_, stage))| stage.status() == Queued);
        let (places, mut tasks): (Vec<usize>, Vec<&mut Task>) =
            waiting.map(|(place, (task, _))| (place, task)).unzip();
        self.dice.shuffle(&mut tasks);
        let Some((first, others)) = tasks.split_first_mut() else {
            return;
        };
        let body = first.is_placed(others);
        self.log.push(body);
        for place in places {
            self.touched(place);
        }
    }

    /// The model gets a result. No runtime's version counts that.
    fn tell(&mut self, index: usize, status: AgentTaskStatus) {
        let (task, stage) = &mut self.tasks[index];
        offer(&mut self.log, task);
        let told = self.log.push(message(task.result()));
        *stage = Stage::Told(status, told);
    }

    fn done(self) -> Run {
        let records = self
            .log
            .records
            .into_iter()
            .filter_map(|event| match event {
                Event::Persistent(event) => Some(*event),
                _ => None,
            });
        let truth = self.tasks.iter();
        Run {
            records: records.collect(),
            truth: truth
                .map(|(task, stage)| (task.id, stage.status()))
                .collect(),
            last: self.last.into_values().collect(),
        }
    }
}

/// The work of a task that has begun.
fn work(
    dice: &mut Dice,
    task: &mut Task,
    status: AgentTaskStatus,
) -> (crate::PersistentBody, Stage) {
    match dice.below(6) {
        0 => (task.asks(), Stage::Works(WaitingInput)),
        1 => (task.becomes(Running), Stage::Works(Running)),
        2 => (task.is_stopped(status), Stage::Works(status)),
        3 => (task.does(status, "Read"), Stage::Works(status)),
        _ => {
            let ended = [Completed, Failed, Interrupted][dice.below(3)];
            (task.ends(ended), Stage::Ended(ended))
        }
    }
}
