use crate::{
    AgentTaskId, AgentTaskMetadata, AgentTaskQuestion, AgentTaskStamp, AgentTaskStatus, CostTotal,
    DeliveredVia, EventId, Message, Meta, PermissionRequestId, PersistentBody, ResultDelivery,
    RuntimeBoundSessionBody, RuntimeFinishedBody, RuntimeQueueChangedBody,
    RuntimeResultDeliveredBody, RuntimeSpawnedBody, RuntimeStatusChangedBody,
    RuntimeSummaryUpdatedBody, SessionId, UserMessage,
};

/// A runtime whose events are made one after the other, each with the next version.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) id: AgentTaskId,
    pub(super) child: SessionId,
    pub(super) version: u64,
}

impl Task {
    pub(super) fn new() -> Self {
        Self {
            id: AgentTaskId::generate(),
            child: SessionId::generate(),
            version: 0,
        }
    }

    pub(super) const fn stamp(&mut self, status: AgentTaskStatus) -> AgentTaskStamp {
        self.version += 1;
        AgentTaskStamp {
            runtime_id: self.id,
            version: self.version,
            status,
            timestamp: self.version,
        }
    }

    /// A task of the model's, whose result it gets.
    pub(super) fn spawned(&mut self) -> PersistentBody {
        PersistentBody::RuntimeSpawned(self.spawned_body())
    }

    pub(super) fn spawned_body(&mut self) -> RuntimeSpawnedBody {
        RuntimeSpawnedBody {
            stamp: self.stamp(AgentTaskStatus::Queued),
            agent_type: "reviewer".into(),
            session_id: self.child,
            continued: false,
            workflow_id: None,
            title: "look".into(),
            prompt: "look at it".into(),
            deliver: ResultDelivery::Turn,
            tool_call_id: Some("c1".into()),
            started_at: 1,
        }
    }

    pub(super) fn bound(&mut self, status: AgentTaskStatus) -> PersistentBody {
        PersistentBody::RuntimeBoundSession(RuntimeBoundSessionBody {
            stamp: self.stamp(status),
            session_id: self.child,
        })
    }

    pub(super) fn becomes(&mut self, status: AgentTaskStatus) -> PersistentBody {
        PersistentBody::RuntimeStatusChanged(self.change(status))
    }

    pub(super) const fn change(&mut self, status: AgentTaskStatus) -> RuntimeStatusChangedBody {
        RuntimeStatusChangedBody {
            stamp: self.stamp(status),
            summary: None,
            waiting_for: None,
            stopping: false,
        }
    }

    pub(super) fn asks(&mut self) -> PersistentBody {
        PersistentBody::RuntimeStatusChanged(RuntimeStatusChangedBody {
            waiting_for: Some(AgentTaskQuestion {
                session_id: self.child,
                request_id: PermissionRequestId::generate(),
                tool_name: "Bash".into(),
            }),
            ..self.change(AgentTaskStatus::WaitingInput)
        })
    }

    pub(super) fn is_stopped(&mut self, status: AgentTaskStatus) -> PersistentBody {
        PersistentBody::RuntimeStatusChanged(RuntimeStatusChangedBody {
            stopping: true,
            ..self.change(status)
        })
    }

    pub(super) fn does(&mut self, status: AgentTaskStatus, what: &str) -> PersistentBody {
        PersistentBody::RuntimeSummaryUpdated(RuntimeSummaryUpdatedBody {
            stamp: self.stamp(status),
            summary: what.into(),
            source_event: EventId::generate(),
        })
    }

    /// Its place in the queue, with the places of `others` that wait there too.
    pub(super) fn is_placed(&mut self, others: &mut [&mut Self]) -> PersistentBody {
        let stamp = self.stamp(AgentTaskStatus::Queued);
        let queued_count = 1 + u32::try_from(others.len()).expect("a few");
        let places = others.iter_mut().zip(2..).map(|(other, place)| {
            let version = other.stamp(AgentTaskStatus::Queued).version;
            (other.id, (place, version))
        });
        PersistentBody::RuntimeQueueChanged(RuntimeQueueChangedBody {
            stamp,
            agent_type: "reviewer".into(),
            queue_position: 1,
            queued_count,
            positions: places.collect(),
        })
    }

    pub(super) fn ends(&mut self, status: AgentTaskStatus) -> PersistentBody {
        let stamp = self.stamp(status);
        PersistentBody::RuntimeFinished(RuntimeFinishedBody {
            stamp,
            final_status: status,
            ended_at: 9,
            reason: "it ended".into(),
            last_message: "it is fine".into(),
            last_message_blob: None,
            metadata: AgentTaskMetadata {
                cost: CostTotal {
                    micro_usd: 7,
                    unpriced: 0,
                },
                ..AgentTaskMetadata::default()
            },
        })
    }

    /// The record that the model has the result.
    pub(super) fn is_delivered(&mut self, status: AgentTaskStatus, by: EventId) -> PersistentBody {
        PersistentBody::RuntimeResultDelivered(RuntimeResultDeliveredBody {
            stamp: self.stamp(status),
            event_id: by,
            via: DeliveredVia::Message,
        })
    }

    /// The message that holds the result.
    pub(super) fn result(&self) -> Message {
        Message::User(UserMessage {
            content: vec![crate::Block::text("it is fine")],
            meta: Meta {
                runtime_id: Some(self.id),
                ..Meta::default()
            },
        })
    }
}
