use std::time::Duration;

use scorel_engine::{PlanEntry, PlanStatus};
use scorel_proto::{CustomBody, PersistentBody};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::SessionError;
use crate::turn::task::TurnTask;

/// The kind of the record.
const KIND: &str = "scorel.plan";

/// The time between two records: a runner may tell its plan with every step.
const INTERVAL: Duration = Duration::from_secs(2);

/// A runner's plan, which replaces the one before, as records beside the conversation.
pub(super) struct PlanRecord {
    task: TurnTask,
    /// Not written yet.
    newest: Option<Vec<PlanEntry>>,
    written_at: Option<Instant>,
}

impl PlanRecord {
    pub(super) const fn new(task: TurnTask) -> Self {
        Self {
            task,
            newest: None,
            written_at: None,
        }
    }

    pub(super) async fn set(&mut self, entries: Vec<PlanEntry>) -> Result<(), SessionError> {
        self.newest = Some(entries);
        self.write_if_due().await
    }

    pub(super) async fn write_if_due(&mut self) -> Result<(), SessionError> {
        match self.written_at {
            Some(at) if at.elapsed() < INTERVAL => Ok(()),
            _ => self.write().await,
        }
    }

    /// Writes the plan, unless it is written.
    pub(super) async fn write(&mut self) -> Result<(), SessionError> {
        let Some(entries) = self.newest.take() else {
            return Ok(());
        };
        self.written_at = Some(Instant::now());
        let body = PersistentBody::Custom(CustomBody {
            kind: KIND.to_owned(),
            data: json!({ "entries": entries.iter().map(entry).collect::<Vec<_>>() }),
        });
        self.task.commit(body).await
    }
}

fn entry(entry: &PlanEntry) -> Value {
    let status = match entry.status {
        PlanStatus::Pending => "pending",
        PlanStatus::InProgress => "in_progress",
        PlanStatus::Completed => "completed",
    };
    json!({"text": entry.text, "status": status})
}
