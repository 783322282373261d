use std::collections::{BTreeMap, BTreeSet};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use scorel_proto::{
    AgentTaskId, AgentTaskStatus, OutcomeReason, ProjectId, QuotaPolicy, QuotaStrategy,
    ResultDelivery, SessionId,
};

use super::agent_session::AgentSession;
use super::parent::Parent;
use crate::agents::{AgentPolicy, OrchestratorLimits, ProjectAgents};
use crate::schedule::{Bucket, Rules, Schedule, bucket};
use crate::step::{ChildObservation, NextStep, Observations};

const AGENTS: [&str; 2] = ["developer", "reviewer"];

/// Everything that a history is about.
pub(super) struct World {
    dice: StdRng,
    project: ProjectId,
    rules: Rules,
    parents: Vec<Parent>,
    sessions: BTreeMap<SessionId, AgentSession>,
    /// What a crash takes.
    memory: Memory,
    clock: u64,
}

#[derive(Default)]
struct Memory {
    schedule: Schedule,
    prompted: BTreeSet<AgentTaskId>,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let mut dice = StdRng::seed_from_u64(seed);
        let project = ProjectId::generate();
        let parents = (0..dice.random_range(1..4)).map(|_| Parent::new(project));
        let parents = parents.collect();
        let mut world = Self {
            dice,
            project,
            rules: Rules::new(),
            parents,
            sessions: BTreeMap::new(),
            memory: Memory::default(),
            clock: 0,
        };
        world.other_quotas();
        world
    }

    pub(super) fn play(mut self) {
        for _ in 0..self.dice.random_range(20..80) {
            self.clock += 1;
            match self.dice.random_range(0..20) {
                0..5 => self.spawn(),
                5..9 => self.something_ends(),
                9 => self.other_quotas(),
                10 => self.stop(),
                11 => self.crash(),
                12 => self.delete(),
                13 => self.drop_result(),
                14 => self.take(),
                _ => self.some_steps(),
            }
            self.check();
        }
        self.come_to_rest();
    }

    fn spawn(&mut self) {
        let deliver = match self.dice.random_range(0..4) {
            0 => ResultDelivery::None,
            _ => ResultDelivery::Turn,
        };
        let agent = AGENTS[self.dice.random_range(0..2)];
        let workflow = [None, Some("release"), Some("nightly")][self.dice.random_range(0..3)];
        let clock = self.clock;
        self.parent().spawn(clock, (agent, workflow), deliver);
    }

    fn something_ends(&mut self) {
        let reason = [
            OutcomeReason::Completed,
            OutcomeReason::Completed,
            OutcomeReason::Error,
            OutcomeReason::Cancelled,
        ][self.dice.random_range(0..4)];
        let with_turn: Vec<SessionId> = self
            .sessions
            .iter()
            .filter(|(_, session)| session.has_turn)
            .map(|(id, _)| *id)
            .collect();
        if let Some(id) = self.one_of(&with_turn)
            && let Some(session) = self.sessions.get_mut(&id)
        {
            session.end(reason);
        }
    }

    fn other_quotas(&mut self) {
        let agents = AGENTS.map(|name| (name.to_owned(), self.policy()));
        let project = ProjectAgents {
            agents: agents.into_iter().collect(),
            limits: OrchestratorLimits {
                max_running: self.dice.random_range(1..6),
                ..OrchestratorLimits::default()
            },
        };
        self.rules = Rules::from([(self.project, project)]);
    }

    fn policy(&mut self) -> AgentPolicy {
        let dice = &mut self.dice;
        let mut quota = QuotaPolicy::default();
        if dice.random() {
            quota.project = Some(dice.random_range(0..4));
        }
        if dice.random() {
            let number = dice.random_range(0..3);
            quota.workflow.insert("release".to_owned(), number);
        }
        if dice.random_range(0..4) == 0 {
            quota.strategy = QuotaStrategy::Serial;
        }
        let mut policy = AgentPolicy::for_test(dice.random_range(0..3), quota);
        policy.config.enabled = dice.random_range(0..8) > 0;
        if dice.random_range(0..4) == 0 {
            policy.cap = Some(dice.random_range(0..3));
        }
        policy
    }

    fn stop(&mut self) {
        let index = self.dice.random_range(0..self.parents.len());
        let unsettled = self.parents[index].unsettled();
        let Some(id) = self.one_of(&unsettled) else {
            return;
        };
        let parent = &mut self.parents[index];
        match parent.runtime(id).status {
            AgentTaskStatus::Queued => parent.finish(id, AgentTaskStatus::Interrupted),
            status if status.is_final() => {}
            status => parent.change(id, status, true),
        }
    }

    /// The next daemon: turns were interrupted, memory is empty.
    fn crash(&mut self) {
        self.memory = Memory::default();
        for session in self.sessions.values_mut() {
            session.end(OutcomeReason::Interrupted);
        }
        for parent in &mut self.parents {
            parent.reload();
        }
    }

    /// Deletes the session of a runtime that has ended.
    fn delete(&mut self) {
        let ended: Vec<SessionId> = self
            .parents
            .iter()
            .flat_map(|parent| parent.view.state.runtimes.iter())
            .filter(|(_, runtime)| runtime.status.is_final())
            .filter_map(|(_, runtime)| runtime.session_id)
            .collect();
        if let Some(id) = self.one_of(&ended) {
            self.sessions.remove(&id);
        }
    }

    /// A person removes a result from the queue.
    fn drop_result(&mut self) {
        let parent = self.parent();
        if let Some(item) = parent.view.state.queue.items.first() {
            let queue_item_id = item.queue_item_id;
            parent.queue(scorel_proto::QueueOp::Remove { queue_item_id });
        }
    }

    fn take(&mut self) {
        let _taken = self.parent().take();
    }

    fn some_steps(&mut self) {
        for _ in 0..self.dice.random_range(1..6) {
            let index = self.dice.random_range(0..self.parents.len());
            self.look_at(index);
        }
    }

    /// One look at a parent, with one step for each of its runtimes.
    fn look_at(&mut self, index: usize) -> bool {
        let parent = &self.parents[index];
        let (id, tasks) = (parent.id, parent.tasks());
        self.memory.schedule.refresh(id, tasks);
        let mut has_done = false;
        for runtime in self.parents[index].unsettled() {
            has_done |= self.step(index, runtime);
        }
        let parent = &self.parents[index];
        let (id, tasks) = (parent.id, parent.tasks());
        self.memory.schedule.refresh(id, tasks);
        self.admit() || has_done
    }

    fn admit(&mut self) -> bool {
        // Not before every parent is known.
        for parent in &self.parents {
            self.memory.schedule.refresh(parent.id, parent.tasks());
        }
        let before = self.running();
        let admitted = self.memory.schedule.admit(&self.rules);
        let after = self.running();
        let project = &self.rules[&self.project];
        for (bucket, count) in &after {
            let policy = &project.agents[&bucket.agent_type];
            let workflow = bucket.workflow_id.as_deref();
            let quota = match policy.config.enabled {
                true => policy.effective(workflow).effective,
                false => 0,
            };
            let had = before.get(bucket).copied().unwrap_or_default();
            assert!(
                *count <= quota.max(had),
                "{bucket:?}: {count} run, {quota} may"
            );
        }
        for (name, policy) in &project.agents {
            let of_agent = |running: &BTreeMap<Bucket, u32>| -> u32 {
                let own = running.iter();
                let own = own.filter(|(bucket, _)| bucket.agent_type == *name);
                own.map(|(_, count)| count).sum()
            };
            let (count, had) = (of_agent(&after), of_agent(&before));
            assert!(count <= policy.most().max(had), "{name}: {count} run");
        }
        let (total, had): (u32, u32) = (after.values().sum(), before.values().sum());
        assert!(total <= project.limits.max_running.max(had));
        !admitted.is_empty()
    }

    fn running(&self) -> BTreeMap<Bucket, u32> {
        let mut running = BTreeMap::new();
        let schedule = &self.memory.schedule;
        for (id, task) in schedule.tasks() {
            if schedule.is_admitted(id) {
                *running.entry(bucket(task, &self.rules)).or_default() += 1;
            }
        }
        running
    }

    /// Takes the next step of a runtime; a step of two records may lose the second to a crash.
    fn step(&mut self, index: usize, id: AgentTaskId) -> bool {
        let runtime = self.parents[index].runtime(id).clone();
        let session_id = runtime.session_id.expect("a session");
        let state = self.sessions.get(&session_id).map(AgentSession::state);
        let seen = Observations {
            admitted: self.memory.schedule.is_admitted(id),
            claimed: false,
            child: match &state {
                None => ChildObservation::Missing,
                Some(state) => ChildObservation::There {
                    prompted: self.memory.prompted.contains(&id),
                    state,
                },
            },
        };
        let step = NextStep::of(&runtime, &seen);
        let parent = &mut self.parents[index];
        match step {
            NextStep::Wait => {}
            NextStep::MakeSession => {
                self.sessions.entry(session_id).or_default();
            }
            NextStep::Bind => parent.bind(id),
            NextStep::Begin => parent.change(id, AgentTaskStatus::Running, false),
            NextStep::Prompt => {
                let session = self.sessions.get_mut(&session_id).expect("there");
                session.send(id);
                self.memory.prompted.insert(id);
            }
            NextStep::Stop => {
                let session = self.sessions.get_mut(&session_id).expect("there");
                session.end(OutcomeReason::Cancelled);
            }
            NextStep::Describe => {}
            NextStep::EndUnbegun => self.end(index, id, AgentTaskStatus::Interrupted),
            NextStep::EndLost => self.end(index, id, AgentTaskStatus::Failed),
            NextStep::End => {
                let outcome = state.and_then(|state| state.last_outcome);
                let status = match outcome {
                    Some(OutcomeReason::Completed) => AgentTaskStatus::Completed,
                    Some(OutcomeReason::Error | OutcomeReason::Limit) => AgentTaskStatus::Failed,
                    _ => AgentTaskStatus::Interrupted,
                };
                self.end(index, id, status);
            }
            NextStep::Deliver => parent.deliver(id),
            NextStep::RecordDelivery => parent.record_delivery(id),
        }
        !matches!(step, NextStep::Wait | NextStep::Describe)
    }

    fn end(&mut self, index: usize, id: AgentTaskId, status: AgentTaskStatus) {
        self.parents[index].deliver(id);
        if self.dice.random_range(0..8) == 0 {
            return self.crash();
        }
        self.parents[index].finish(id, status);
    }

    fn check(&self) {
        for parent in &self.parents {
            for (id, count) in parent.deliveries() {
                assert_eq!(count, 1, "{id} was delivered {count} times");
            }
        }
        for session in self.sessions.values() {
            assert!(
                session.prompts <= 1,
                "a task was given {} times",
                session.prompts
            );
        }
    }

    /// All ends, and nothing is left: with room for all, every task runs, and every result arrives.
    fn come_to_rest(mut self) {
        let limits = OrchestratorLimits::default();
        let quota = QuotaPolicy {
            project: Some(2),
            ..QuotaPolicy::default()
        };
        for name in AGENTS {
            let mut policy = self.policy();
            policy.config.enabled = true;
            policy.quota = quota.clone();
            policy.cap = None;
            let project = self.rules.get_mut(&self.project).expect("the project");
            project.limits = limits;
            project.agents.insert(name.to_owned(), policy);
        }
        for _ in 0..2_000 {
            let mut has_done = false;
            for index in 0..self.parents.len() {
                has_done |= self.look_at(index);
                has_done |= self.parents[index].take();
            }
            if !has_done {
                self.is_full();
                for session in self.sessions.values_mut() {
                    has_done |= session.has_turn;
                    session.end(OutcomeReason::Completed);
                }
            }
            if !has_done {
                break;
            }
        }
        self.check();
        for parent in &mut self.parents {
            parent.reload();
            let left: Vec<_> = parent.view.state.runtimes.unsettled().collect();
            assert!(left.is_empty(), "{left:?} are left");
        }
    }

    /// Nothing waits while it may run.
    fn is_full(&self) {
        let (running, schedule) = (self.running(), &self.memory.schedule);
        let total: u32 = running.values().sum();
        for bucket in schedule.places(&self.rules).keys() {
            let count = running.get(bucket).copied().unwrap_or_default();
            assert!(
                count >= 2 || total >= 8,
                "{bucket:?} waits with {count} running"
            );
        }
    }

    fn parent(&mut self) -> &mut Parent {
        let index = self.dice.random_range(0..self.parents.len());
        &mut self.parents[index]
    }

    fn one_of<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        match from {
            [] => None,
            from => Some(from[self.dice.random_range(0..from.len())]),
        }
    }
}
