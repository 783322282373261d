use scorel_proto::QuotaPolicy;

/// The highest number of a policy.
const MAX_QUOTA: u32 = 1000;

/// Workflows with a number of their own.
const MAX_WORKFLOWS: usize = 256;

/// The longest id of a workflow.
const MAX_WORKFLOW_ID: usize = 128;

/// The reason why a policy is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuotaError {
    #[error("{number} runtimes at once are too many: at most {MAX_QUOTA} are allowed")]
    TooHigh { number: u32 },
    #[error("{count} workflows are too many: at most {MAX_WORKFLOWS} are allowed")]
    TooManyWorkflows { count: usize },
    #[error(
        "the id of a workflow has 1 to {MAX_WORKFLOW_ID} characters, which are visible and ASCII"
    )]
    WorkflowId,
}

/// Returns whether a policy is within its bounds.
pub fn check_policy(policy: &QuotaPolicy) -> Result<(), QuotaError> {
    let count = policy.workflow.len();
    if count > MAX_WORKFLOWS {
        return Err(QuotaError::TooManyWorkflows { count });
    }
    if !policy.workflow.keys().all(|id| is_workflow_id(id)) {
        return Err(QuotaError::WorkflowId);
    }
    let mut numbers = policy.workflow.values().chain(&policy.project);
    match numbers.find(|number| **number > MAX_QUOTA) {
        Some(&number) => Err(QuotaError::TooHigh { number }),
        None => Ok(()),
    }
}

fn is_workflow_id(id: &str) -> bool {
    (1..=MAX_WORKFLOW_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}
