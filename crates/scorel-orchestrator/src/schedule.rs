//! Which runtimes may begin.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use scorel_proto::{AgentTaskId, AgentTaskStatus, ProjectId, Seq, SessionId};

use crate::agents::{AgentPolicy, ProjectAgents};

/// The runtimes of all sessions that have not ended, and the order in which those that wait may begin.
///
/// It only decides: it uses no lane, no clock and no file. Its state is derived from folds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Schedule {
    entries: BTreeMap<AgentTaskId, Entry>,
    /// The agents' sessions that wait for runtimes of their own.
    resting: BTreeSet<SessionId>,
    /// The rank of the next runtime; a smaller one begins first.
    next_rank: u64,
}

/// A runtime that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) task: Task,
    rank: u64,
    state: EntryState,
}

/// What the fold of the parent says of a runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) parent: SessionId,
    pub(crate) project_id: ProjectId,
    pub(crate) agent_type: String,
    pub(crate) workflow_id: Option<String>,
    /// The session of the agent, once it exists.
    pub(crate) session_id: Option<SessionId>,
    pub(crate) status: AgentTaskStatus,
    /// The place that it was told last, from 1.
    pub(crate) position: Option<u32>,
    pub(crate) started_at: u64,
    pub(crate) spawned_seq: Seq,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryState {
    Waits,
    /// It may begin; its parent does not say so yet.
    Admitted,
    Runs,
}

/// The runtimes that wait for each other: those of an agent in a project, or of one workflow there if the
/// policy names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Bucket {
    pub(crate) project_id: ProjectId,
    pub(crate) agent_type: String,
    pub(crate) workflow_id: Option<String>,
}

/// How many runtimes run.
#[derive(Debug, Default)]
struct Running {
    buckets: HashMap<Bucket, u32>,
    /// Of all buckets of an agent.
    agents: HashMap<(ProjectId, String), u32>,
    total: u32,
}

impl Running {
    fn add(&mut self, bucket: Bucket) {
        let agent = (bucket.project_id, bucket.agent_type.clone());
        *self.agents.entry(agent).or_default() += 1;
        *self.buckets.entry(bucket).or_default() += 1;
        self.total += 1;
    }

    /// How many more of a bucket may run.
    fn room(&self, project: &ProjectAgents, bucket: &Bucket) -> u32 {
        let agent = (bucket.project_id, bucket.agent_type.clone());
        let policy = project.agents.get(&bucket.agent_type);
        let of_agent = policy.map_or(0, AgentPolicy::most);
        let count = |count: Option<&u32>| count.copied().unwrap_or_default();
        let rooms = [
            quota(project, bucket).saturating_sub(count(self.buckets.get(bucket))),
            of_agent.saturating_sub(count(self.agents.get(&agent))),
            project.limits.max_running.saturating_sub(self.total),
        ];
        rooms.into_iter().min().unwrap_or_default()
    }
}

/// The places in one bucket: the runtimes that wait, the next first.
pub(crate) type Places = BTreeMap<Bucket, Vec<AgentTaskId>>;

/// The configuration of the projects that a decision is about.
pub(crate) type Rules = HashMap<ProjectId, ProjectAgents>;

impl Schedule {
    /// Takes what the fold of `parent` says: all its runtimes that have not ended.
    pub(crate) fn refresh(&mut self, parent: SessionId, tasks: Vec<(AgentTaskId, Task)>) {
        let open: BTreeSet<AgentTaskId> = tasks.iter().map(|(id, _)| *id).collect();
        self.entries
            .retain(|id, entry| entry.task.parent != parent || open.contains(id));
        let mut new = Vec::new();
        for (id, task) in tasks {
            let state = match task.status {
                AgentTaskStatus::Queued => EntryState::Waits,
                _ => EntryState::Runs,
            };
            match self.entries.get_mut(&id) {
                Some(known) => {
                    let is_ahead =
                        known.state == EntryState::Admitted && state == EntryState::Waits;
                    if !is_ahead {
                        known.state = state;
                    }
                    known.task = task;
                }
                None => new.push((id, task, state)),
            }
        }
        // As they were spawned, but for those that an earlier daemon had told their places.
        new.sort_by_key(|(_, task, _)| (task.position.unwrap_or(u32::MAX), task.spawned_seq));
        for (id, task, state) in new {
            let rank = self.rank_of(&task);
            self.entries.insert(id, Entry { task, rank, state });
        }
    }

    /// The rank of a new entry: last, unless it is older than a queued one. That happens only at
    /// startup, when parents are loaded one after the other.
    fn rank_of(&mut self, new: &Task) -> u64 {
        let key = |task: &Task| (task.position.unwrap_or(u32::MAX), task.started_at);
        let is_later = |entry: &&Entry| {
            entry.task.parent != new.parent
                && entry.state == EntryState::Waits
                && entry.task.project_id == new.project_id
                && entry.task.agent_type == new.agent_type
                && key(&entry.task) > key(new)
        };
        let later = self.entries.values().filter(is_later);
        let first_later = later.map(|entry| entry.rank).min();
        let rank = first_later.unwrap_or(self.next_rank);
        for entry in self.entries.values_mut().filter(|entry| entry.rank >= rank) {
            entry.rank += 1;
        }
        self.next_rank += 1;
        rank
    }

    pub(crate) fn remove(&mut self, id: AgentTaskId) {
        self.entries.remove(&id);
    }

    pub(crate) fn forget(&mut self, parent: SessionId) {
        self.entries.retain(|_, entry| entry.task.parent != parent);
    }

    /// Returns whether it has a runtime of this session.
    pub(crate) fn has_of(&self, parent: SessionId) -> bool {
        let mut entries = self.entries.values();
        entries.any(|entry| entry.task.parent == parent)
    }

    /// The sessions that gave the tasks.
    pub(crate) fn parents(&self) -> BTreeSet<SessionId> {
        self.tasks().map(|(_, task)| task.parent).collect()
    }

    /// The agents' sessions that have runtimes of their own.
    pub(crate) fn delegating(&self) -> BTreeSet<SessionId> {
        let parents = self.parents();
        let sessions = self.tasks().filter_map(|(_, task)| task.session_id);
        sessions.filter(|id| parents.contains(id)).collect()
    }

    /// Which of [`delegating`](Self::delegating) only wait for their runtimes. Replaces what it was told
    /// before.
    pub(crate) fn set_resting(&mut self, resting: BTreeSet<SessionId>) {
        self.resting = resting;
    }

    pub(crate) fn task(&self, id: AgentTaskId) -> Option<&Task> {
        self.entries.get(&id).map(|entry| &entry.task)
    }

    pub(crate) fn tasks(&self) -> impl Iterator<Item = (AgentTaskId, &Task)> {
        self.entries.iter().map(|(id, entry)| (*id, &entry.task))
    }

    /// Returns whether the runtime may begin.
    pub(crate) fn is_admitted(&self, id: AgentTaskId) -> bool {
        self.entries
            .get(&id)
            .is_some_and(|entry| entry.state != EntryState::Waits)
    }

    /// The projects that have runtimes.
    pub(crate) fn projects(&self) -> BTreeSet<ProjectId> {
        let tasks = self.entries.values().map(|entry| &entry.task);
        tasks.map(|task| task.project_id).collect()
    }

    /// Admits the runtimes that may start, and returns their parents.
    ///
    /// Oldest first, within a bucket and overall. If the oldest of a bucket has no session yet, those
    /// behind it in the bucket wait for it.
    pub(crate) fn admit(&mut self, rules: &Rules) -> BTreeSet<SessionId> {
        let mut admitted = BTreeSet::new();
        let mut running = self.running(rules);
        let mut closed: BTreeSet<Bucket> = BTreeSet::new();
        for id in self.waiting() {
            let Some(entry) = self.entries.get_mut(&id) else {
                continue;
            };
            let bucket = bucket(&entry.task, rules);
            let Some(project) = rules.get(&bucket.project_id) else {
                continue;
            };
            let is_full = running.room(project, &bucket) == 0;
            if is_full || entry.task.session_id.is_none() {
                closed.insert(bucket.clone());
            }
            if closed.contains(&bucket) {
                continue;
            }
            entry.state = EntryState::Admitted;
            admitted.insert(entry.task.parent);
            running.add(bucket);
        }
        admitted
    }

    /// Those that wait, the oldest first.
    fn waiting(&self) -> Vec<AgentTaskId> {
        let entries = self.entries.iter();
        let waiting = entries.filter(|(_, entry)| entry.state == EntryState::Waits);
        let mut waiting: Vec<(u64, AgentTaskId)> =
            waiting.map(|(id, entry)| (entry.rank, *id)).collect();
        waiting.sort_unstable();
        waiting.into_iter().map(|(_, id)| id).collect()
    }

    /// What runs. A runtime that waits for tasks of its own does not count: with a quota of one it would
    /// deadlock.
    fn running(&self, rules: &Rules) -> Running {
        let delegating = self.delegating();
        let rests =
            |session: SessionId| delegating.contains(&session) && self.resting.contains(&session);
        let mut running = Running::default();
        for entry in self.entries.values() {
            let is_waiting = entry.task.session_id.is_some_and(rests);
            if entry.state != EntryState::Waits && !is_waiting {
                running.add(bucket(&entry.task, rules));
            }
        }
        running
    }

    /// Those that wait, by bucket, the next first.
    pub(crate) fn places(&self, rules: &Rules) -> Places {
        let mut places = Places::new();
        for id in self.waiting() {
            if let Some(task) = self.task(id) {
                places.entry(bucket(task, rules)).or_default().push(id);
            }
        }
        places
    }

    /// The place of a runtime that waits, from 1.
    pub(crate) fn place_of(&self, id: AgentTaskId, rules: &Rules) -> Option<u32> {
        let places = self.places(rules);
        let mut queues = places.values();
        let place = queues.find_map(|queue| queue.iter().position(|other| *other == id))?;
        u32::try_from(place + 1).ok()
    }

    /// Moves a runtime that waits to a place of its bucket, from 1. Returns whether it waits.
    pub(crate) fn shift(&mut self, id: AgentTaskId, position: u32, rules: &Rules) -> bool {
        let Some(mut queue) = self
            .places(rules)
            .into_values()
            .find(|queue| queue.contains(&id))
        else {
            return false;
        };
        let mut ranks: Vec<u64> = queue
            .iter()
            .filter_map(|id| Some(self.entries.get(id)?.rank))
            .collect();
        ranks.sort_unstable();
        queue.retain(|other| *other != id);
        let place = (position.max(1) as usize - 1).min(queue.len());
        queue.insert(place, id);
        for (id, rank) in queue.into_iter().zip(ranks) {
            if let Some(entry) = self.entries.get_mut(&id) {
                entry.rank = rank;
            }
        }
        true
    }

    /// How many would be queued in a bucket once `more` are added and all that the quota allows are
    /// admitted.
    pub(crate) fn queued_with(&self, wanted: &Bucket, more: usize, rules: &Rules) -> usize {
        let queued = self.places(rules).get(wanted).map_or(0, Vec::len) + more;
        let Some(project) = rules.get(&wanted.project_id) else {
            return queued;
        };
        let free = self.running(rules).room(project, wanted);
        queued.saturating_sub(free as usize)
    }

    /// How many of an agent's run, and wait; in one project or in all.
    pub(crate) fn counts(&self, project_id: Option<ProjectId>, agent_type: &str) -> (u32, u32) {
        let mut counts = (0, 0);
        for entry in self.entries.values() {
            let is_in = project_id.is_none_or(|id| id == entry.task.project_id);
            if !is_in || entry.task.agent_type != agent_type {
                continue;
            }
            match entry.state {
                EntryState::Waits => counts.1 += 1,
                EntryState::Admitted | EntryState::Runs => counts.0 += 1,
            }
        }
        counts
    }
}

/// The bucket of a task.
pub(crate) fn bucket(task: &Task, rules: &Rules) -> Bucket {
    let project = rules.get(&task.project_id);
    bucket_of(
        project,
        task.project_id,
        &task.agent_type,
        task.workflow_id.as_deref(),
    )
}

/// The bucket of an agent's tasks for a workflow.
pub(crate) fn bucket_of(
    project: Option<&ProjectAgents>,
    project_id: ProjectId,
    agent_type: &str,
    workflow_id: Option<&str>,
) -> Bucket {
    let policy = project.and_then(|project| project.agents.get(agent_type));
    let named = workflow_id
        .filter(|id| policy.is_some_and(|policy| policy.quota.workflow.contains_key(*id)));
    Bucket {
        project_id,
        agent_type: agent_type.to_owned(),
        workflow_id: named.map(str::to_owned),
    }
}

/// A disabled agent begins nothing more, as with a quota of 0.
fn quota(project: &ProjectAgents, bucket: &Bucket) -> u32 {
    let policy = project.agents.get(&bucket.agent_type);
    policy.map_or(0, |policy| match policy.config.enabled {
        true => policy.effective(bucket.workflow_id.as_deref()).effective,
        false => 0,
    })
}

#[cfg(test)]
mod tests;
