use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use scorel_engine::{
    ArgumentError, ToolCall, ToolClass, ToolContext, ToolOutcome, ToolPlan, ToolSpec,
    parse_arguments,
};
use scorel_proto::{AgentTask, AgentTaskId, AgentTaskInfo, PersistentBody, ResultDelivery};
use scorel_session::Lane;
use serde::Deserialize;
use serde_json::{Value, json};

use super::session_tools::{AgentTools, plan_of, runtime_id};
use crate::error::OrchestratorError;
use crate::orchestrator::Orchestrator;
use crate::result_text::result_text;
use crate::task_lane::TaskLane as _;

const DESCRIPTION: &str = "\
Tells what the agents do that you have spawned, and gives their results. With waitSeconds it waits until \
one of them has ended, or until the user writes. A result that it gives does not come as a message.";

/// The longest wait, in seconds.
const MAX_WAIT: u64 = 600;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StatusArguments {
    /// The runtimes. Absent: all that have not ended or whose results you do not have.
    runtime_ids: Option<Vec<String>>,
    /// How long to wait for the end of one, in seconds: 0 to 600. Absent: not at all.
    wait_seconds: Option<u64>,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec::of::<StatusArguments>("AgentStatus", DESCRIPTION, ToolClass::Agents)
}

pub(super) fn plan(tools: AgentTools, call: ToolCall) -> Result<ToolPlan, ToolOutcome> {
    let arguments: StatusArguments = parse_arguments(call.input)?;
    let seconds = arguments.wait_seconds.unwrap_or(0);
    if seconds > MAX_WAIT {
        return Err(ArgumentError::of("waitSeconds", "is more than 600").into());
    }
    let ids = arguments.runtime_ids.map(|ids| {
        let ids = ids.iter().map(|id| runtime_id("runtimeIds", id));
        ids.collect::<Result<Vec<_>, _>>()
    });
    let ids = ids.transpose()?;
    Ok(plan_of(Vec::new(), move |context| {
        status(tools, call.id, ids, Duration::from_secs(seconds), context)
    }))
}

async fn status(
    tools: AgentTools,
    call: String,
    ids: Option<Vec<AgentTaskId>>,
    longest: Duration,
    context: ToolContext,
) -> Result<ToolOutcome, OrchestratorError> {
    let lane = tools.lane(ids.as_deref().unwrap_or_default()).await?;
    let wanted: BTreeSet<AgentTaskId> = match ids {
        Some(ids) => ids.into_iter().collect(),
        None => lane.runtimes(|all| all.unsettled().map(|(id, _)| id).collect()),
    };
    // Before the first look: what ends from now on is not delivered as a message.
    let (orchestrator, id) = (&tools.orchestrator, lane.id());
    orchestrator.state().claims.add(id, call, wanted.clone());
    if !longest.is_zero() && !is_over(&lane, &wanted) {
        // While a call waits, its session does not count as running.
        orchestrator.state().waits.begin(id);
        let _waits = orchestrator.undo_later(move |state| state.waits.end(&id));
        // The task that it waits for may begin now.
        orchestrator.look_at(id);
        wait(&lane, &wanted, longest, &context).await;
    }
    report(orchestrator, &lane, &wanted).await
}

/// Waits until a result is there, a message for the turn is there, or the call is cancelled.
async fn wait(
    lane: &Arc<Lane>,
    wanted: &BTreeSet<AgentTaskId>,
    longest: Duration,
    context: &ToolContext,
) {
    let mut changes = lane.watch_changes();
    let has_result = async {
        loop {
            changes.mark_unchanged();
            let has_steers = lane.view(|view| view.state.queue.has_steers());
            if has_steers || is_over(lane, wanted) || !changes.changed().await {
                return;
            }
        }
    };
    tokio::select! {
        () = has_result => {}
        () = context.cancel.cancelled() => {}
        () = tokio::time::sleep(longest) => {}
    }
}

/// Whether one has a result to give, or none is left to wait for.
fn is_over(lane: &Lane, wanted: &BTreeSet<AgentTaskId>) -> bool {
    lane.runtimes(|all| {
        let known = || wanted.iter().filter_map(|id| all.get(*id));
        known().any(is_to_give) || known().all(|runtime| runtime.status.is_final())
    })
}

/// Whether the model has to get the result from here.
fn is_to_give(runtime: &AgentTask) -> bool {
    let is_elsewhere = runtime.delivered.is_some() || runtime.offered.is_some();
    runtime.finished_seq.is_some() && !is_elsewhere && runtime.deliver == ResultDelivery::Turn
}

async fn report(
    orchestrator: &Orchestrator,
    lane: &Arc<Lane>,
    wanted: &BTreeSet<AgentTaskId>,
) -> Result<ToolOutcome, OrchestratorError> {
    let (mut lines, mut results, mut delivered) = (Vec::new(), Vec::new(), Vec::new());
    let mut described: Vec<Value> = Vec::new();
    for id in wanted {
        let Some(runtime) = lane.runtimes(|all| all.get(*id).cloned()) else {
            continue;
        };
        if let (true, Some(seq)) = (is_to_give(&runtime), runtime.finished_seq)
            && let PersistentBody::RuntimeFinished(body) = lane.record(seq).await?.body
        {
            let agent = (runtime.agent_type.as_str(), runtime.title.as_str());
            let worktree = orchestrator.worktree_of(runtime.session_id).await;
            results.push(result_text(*id, agent, &body, worktree.as_ref()));
            delivered.push(*id);
        }
        let info = AgentTaskInfo::new(*id, &runtime, (lane.id(), lane.project_id()));
        lines.push(line(&info));
        described
            .push(json!({"runtimeId": id, "agentType": info.agent_type, "status": info.status}));
    }
    if lines.is_empty() {
        lines.push("You have no agents at work, and no result is due.".to_owned());
    }
    lines.extend(results);
    Ok(ToolOutcome::success(
        lines.join("\n"),
        &json!({"runtimes": described, "delivered": delivered}),
    ))
}

fn line(info: &AgentTaskInfo) -> String {
    let head = format!("{} {} {}", info.runtime_id, info.agent_type, info.status);
    let place = info
        .queue_position
        .map(|place| format!(", number {place} in the queue"));
    let question = info.waiting_for.as_ref();
    let question = question.map(|asked| format!(", waits for a person ({})", asked.tool_name));
    let summary = info.summary.as_ref().map(|summary| format!(": {summary}"));
    [place, question, summary]
        .into_iter()
        .flatten()
        .fold(head, |text, part| text + &part)
}
