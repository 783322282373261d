use std::collections::BTreeMap;

use scorel_proto::{
    AgentTask, AgentTaskId, AgentTaskMetadata, AgentTaskStamp, AgentTaskStatus, Block, ClientId,
    DeliveredVia, EventId, Message, MessageBody, Meta, PersistentBody, PersistentEvent, ProjectId,
    QueueItem, QueueItemId, QueueItemMeta, QueueKind, QueueOp, QueueUpdateBody, ResultDelivery,
    RuntimeBoundSessionBody, RuntimeFinishedBody, RuntimeResultDeliveredBody, RuntimeSpawnedBody,
    RuntimeStatusChangedBody, Seq, SessionId, SessionView, UserMessage,
};

use crate::schedule::Task;

/// A session that gives tasks: its log and the fold of it.
#[derive(Debug)]
pub(super) struct Parent {
    pub(super) id: SessionId,
    project_id: ProjectId,
    pub(super) log: Vec<PersistentEvent>,
    pub(super) view: SessionView,
    clock: u64,
}

impl Parent {
    pub(super) fn new(project_id: ProjectId) -> Self {
        Self {
            id: SessionId::generate(),
            project_id,
            log: Vec::new(),
            view: SessionView::default(),
            clock: 0,
        }
    }

    pub(super) fn runtime(&self, id: AgentTaskId) -> &AgentTask {
        let known = self.view.state.runtimes.get(id);
        known.expect("a runtime of this session")
    }

    pub(super) fn unsettled(&self) -> Vec<AgentTaskId> {
        let unsettled = self.view.state.runtimes.unsettled();
        unsettled.map(|(id, _)| id).collect()
    }

    pub(super) fn tasks(&self) -> Vec<(AgentTaskId, Task)> {
        let unfinished = self.view.state.runtimes.unfinished();
        unfinished
            .map(|(id, runtime)| {
                let task = Task {
                    parent: self.id,
                    project_id: self.project_id,
                    agent_type: runtime.agent_type.clone(),
                    workflow_id: runtime.workflow_id.clone(),
                    session_id: runtime.session_id.filter(|_| runtime.bound),
                    status: runtime.status,
                    position: None,
                    started_at: runtime.started_at,
                    spawned_seq: runtime.spawned_seq.expect("spawned"),
                };
                (id, task)
            })
            .collect()
    }

    pub(super) fn spawn(
        &mut self,
        now: u64,
        (agent, workflow): (&str, Option<&str>),
        deliver: ResultDelivery,
    ) -> AgentTaskId {
        let id = AgentTaskId::generate();
        let body = RuntimeSpawnedBody {
            stamp: self.stamp(id, AgentTaskStatus::Queued),
            agent_type: agent.to_owned(),
            session_id: SessionId::generate(),
            continued: false,
            workflow_id: workflow.map(str::to_owned),
            title: "task".to_owned(),
            prompt: "do it".to_owned(),
            deliver,
            tool_call_id: None,
            started_at: now,
        };
        self.commit(PersistentBody::RuntimeSpawned(body));
        id
    }

    pub(super) fn bind(&mut self, id: AgentTaskId) {
        let session_id = self.runtime(id).session_id.expect("a session");
        let stamp = self.stamp(id, self.runtime(id).status);
        let body = RuntimeBoundSessionBody { stamp, session_id };
        self.commit(PersistentBody::RuntimeBoundSession(body));
    }

    pub(super) fn change(&mut self, id: AgentTaskId, status: AgentTaskStatus, stopping: bool) {
        let body = RuntimeStatusChangedBody {
            stamp: self.stamp(id, status),
            summary: None,
            waiting_for: None,
            stopping,
        };
        self.commit(PersistentBody::RuntimeStatusChanged(body));
    }

    /// Adds the result to the queue, as the lane does: once.
    pub(super) fn deliver(&mut self, id: AgentTaskId) {
        let runtime = self.runtime(id);
        let is_due = runtime.delivered.is_none() && runtime.offered.is_none();
        if !is_due || runtime.deliver == ResultDelivery::None {
            return;
        }
        let item = QueueItem {
            queue_item_id: QueueItemId::generate(),
            kind: QueueKind::FollowUp,
            content: vec![Block::text("result")],
            client_id: ClientId::Daemon,
            edited_by: None,
            meta: Some(QueueItemMeta {
                runtime_id: Some(id),
                ..QueueItemMeta::default()
            }),
            command_id: None,
            digest: None,
        };
        self.queue(QueueOp::append(item));
    }

    pub(super) fn queue(&mut self, op: QueueOp) {
        let body = QueueUpdateBody {
            version: self.view.state.queue.version + 1,
            ops: vec![op],
            cancel_turn_id: None,
            cancel_compaction_id: None,
            cancel_restore_id: None,
        };
        self.commit(PersistentBody::QueueUpdate(body));
    }

    /// The model reads the next result of the queue. Returns whether there was one.
    pub(super) fn take(&mut self) -> bool {
        let Some(item) = self.view.state.queue.items.first().cloned() else {
            return false;
        };
        let message = Message::User(UserMessage {
            content: item.content,
            meta: Meta {
                runtime_id: item.meta.and_then(|meta| meta.runtime_id),
                ..Meta::default()
            },
        });
        self.commit(PersistentBody::Message(MessageBody {
            queue_item_id: Some(item.queue_item_id),
            ..MessageBody::new(message)
        }));
        true
    }

    pub(super) fn finish(&mut self, id: AgentTaskId, status: AgentTaskStatus) {
        if self.runtime(id).finished_seq.is_some() {
            return;
        }
        let body = RuntimeFinishedBody {
            stamp: self.stamp(id, status),
            final_status: status,
            ended_at: 0,
            reason: "ended".to_owned(),
            last_message: String::new(),
            last_message_blob: None,
            metadata: AgentTaskMetadata::default(),
        };
        self.commit(PersistentBody::RuntimeFinished(body));
    }

    pub(super) fn record_delivery(&mut self, id: AgentTaskId) {
        let Some(event_id) = self.runtime(id).delivered else {
            return;
        };
        let body = RuntimeResultDeliveredBody {
            stamp: self.stamp(id, self.runtime(id).status),
            event_id,
            via: DeliveredVia::Message,
        };
        self.commit(PersistentBody::RuntimeResultDelivered(body));
    }

    /// How many messages hold the result of a runtime.
    pub(super) fn deliveries(&self) -> BTreeMap<AgentTaskId, u32> {
        let mut counts = BTreeMap::new();
        for event in &self.log {
            if let PersistentBody::Message(body) = &event.body
                && let Some(id) = body.message.meta().runtime_id
            {
                *counts.entry(id).or_default() += 1;
            }
        }
        counts
    }

    /// What the next daemon has: the fold of the log.
    pub(super) fn reload(&mut self) {
        let mut view = SessionView::default();
        for event in &self.log {
            view.apply_persistent(event);
        }
        assert_eq!(
            view.state, self.view.state,
            "the fold of the log is the live state"
        );
        self.view = view;
    }

    fn stamp(&self, runtime_id: AgentTaskId, status: AgentTaskStatus) -> AgentTaskStamp {
        AgentTaskStamp {
            runtime_id,
            version: self.view.state.runtimes.next_version(runtime_id),
            status,
            timestamp: self.clock,
        }
    }

    fn commit(&mut self, body: PersistentBody) {
        self.clock += 1;
        let seq = Seq::new(self.clock).expect("a number");
        let event = PersistentEvent {
            id: EventId::generate(),
            parent_id: None,
            seq,
            session_id: self.id,
            client_id: ClientId::Daemon,
            ts: self.clock,
            turn_id: None,
            command_id: None,
            digest: None,
            origin: None,
            body,
            prev: Some(seq.previous()),
        };
        self.view.apply_persistent(&event);
        self.log.push(event);
    }
}
