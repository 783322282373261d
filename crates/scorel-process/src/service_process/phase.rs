use std::sync::Arc;

use scorel_proto::ProcessState;
use tokio::time::Instant;

use crate::service_link::ServiceLink;
use crate::service_status::ServiceStatus;

/// A phase with the number of starts before it.
#[derive(Debug, Clone, Default)]
pub(super) struct PhaseChange {
    pub(super) phase: Phase,
    pub(super) starts: u64,
}

#[derive(Debug, Clone, Default)]
pub(super) enum Phase {
    #[default]
    Stopped,
    Starting,
    Ready(Arc<ServiceLink>),
    Backoff {
        until: Instant,
        reason: Arc<str>,
    },
    /// Waits for a call.
    Failed {
        reason: Arc<str>,
    },
    /// Stopped for good.
    Closed,
}

impl PhaseChange {
    pub(super) fn status(&self) -> ServiceStatus {
        let (state, reason, until) = match &self.phase {
            Phase::Stopped | Phase::Closed => (ProcessState::Stopped, None, None),
            Phase::Starting => (ProcessState::Starting, None, None),
            Phase::Ready(_) => (ProcessState::Ready, None, None),
            Phase::Backoff { until, reason } => (ProcessState::Backoff, Some(reason), Some(until)),
            Phase::Failed { reason } => (ProcessState::Failed, Some(reason), None),
        };
        let now = Instant::now();
        ServiceStatus {
            state,
            reason: reason.map(|reason| reason.to_string()),
            starts_in: until.map(|until| until.saturating_duration_since(now)),
            starts: self.starts,
        }
    }
}
