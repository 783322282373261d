use std::io;
use std::time::SystemTime;

use scorel_proto::{AgentTaskInfo, GetRuntime, GetRuntimeParams, GetRuntimeResult};

use crate::agent_task_selector::AgentTaskSelector;
use crate::cli::Cli;
use crate::commands::agent_task_state::AgentTaskState;
use crate::commands::blob;
use crate::commands::cost_text::cost_text;
use crate::commands::sessions::age;
use crate::daemon::DaemonClient;
use crate::failure::Failure;
use crate::output::Output;
use crate::question::child_question;
use scorel_screen::escape::one_line;

/// Prints a runtime, its task and its result.
pub(super) async fn run(runtime: &AgentTaskSelector, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = GetRuntimeParams {
        runtime_id: runtime.find(&mut cli.daemon).await?,
    };
    let answer = cli.call::<GetRuntime>(&params).await?;
    let said = if cli.output.json {
        None
    } else {
        last_message(&answer, &mut cli.daemon).await?
    };
    cli.result(&answer, |output| print(&answer, said.as_deref(), output))
}

/// The last message of the agent, whole; `None` until the runtime has ended.
pub(in crate::commands) async fn last_message(
    answer: &GetRuntimeResult,
    control: &mut DaemonClient,
) -> Result<Option<String>, Failure> {
    let Some(ended) = &answer.result else {
        return Ok(None);
    };
    Ok(Some(match &ended.last_message_blob {
        Some(hash) => blob::text(answer.runtime.parent_session_id, hash, control).await?,
        None => ended.last_message.clone(),
    }))
}

fn print(answer: &GetRuntimeResult, said: Option<&str>, output: &mut Output) -> io::Result<()> {
    for line in facts(&answer.runtime, SystemTime::now()) {
        output.line(&line)?;
    }
    if let Some(ended) = &answer.result {
        output.line(&format!("reason    {}", one_line(&ended.reason)))?;
    }
    output.line("\nTask:")?;
    output.line(answer.prompt.trim_end())?;
    match said.map(str::trim_end).filter(|text| !text.is_empty()) {
        Some(text) => {
            output.line("\nResult:")?;
            output.line(text)
        }
        None => Ok(()),
    }
}

/// All but the task and the result, a line each.
fn facts(runtime: &AgentTaskInfo, now: SystemTime) -> Vec<String> {
    let mut lines = vec![
        format!("runtime   {}", runtime.runtime_id),
        format!("agent     {}", one_line(&runtime.agent_type)),
        format!("title     {}", one_line(&runtime.title)),
        format!("status    {}", AgentTaskState(runtime)),
        format!("given by  {}", runtime.parent_session_id),
    ];
    if let Some(session) = runtime.session_id {
        lines.push(format!("works in  {session}"));
    }
    if let Some(workflow) = &runtime.workflow_id {
        lines.push(format!("workflow  {}", one_line(workflow)));
    }
    lines.push(format!("spawned   {} ago", age(runtime.started_at, now)));
    if let Some(ended_at) = runtime.ended_at {
        lines.push(format!("ended     {} ago", age(ended_at, now)));
        let tokens = runtime.usage.total();
        lines.push(format!(
            "used      {tokens} tokens, {}",
            cost_text(&runtime.cost)
        ));
    }
    if let Some(summary) = &runtime.summary {
        lines.push(format!("summary   {}", one_line(summary)));
    }
    if let Some(question) = &runtime.waiting_for {
        lines.push(format!("question  {}", child_question(question)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use scorel_proto::{AgentTaskResult, AgentTaskStatus, Usage};

    use super::*;
    use crate::commands::agent_task_state::tests::runtime;

    #[test]
    fn a_runtime_is_told_in_lines() {
        let now = UNIX_EPOCH + Duration::from_secs(1_120);
        let mut info = runtime(AgentTaskStatus::Completed);
        info.ended_at = Some(1_060_000);
        info.usage = Usage {
            input_tokens: 1_200,
            output_tokens: 34,
            ..Usage::default()
        };
        info.cost.micro_usd = 12_300;
        info.workflow_id = Some("fix".to_owned());
        let expected = [
            "runtime   rti_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "agent     reviewer",
            "title     Review the parser",
            "status    completed",
            "given by  ses_01ARZ3NDEKTSV4RRFFQ69G5FAA",
            "works in  ses_01ARZ3NDEKTSV4RRFFQ69G5FAB",
            "workflow  fix",
            "spawned   2m ago",
            "ended     1m ago",
            "used      1234 tokens, $0.0123",
        ];
        assert_eq!(facts(&info, now), expected);
    }

    #[test]
    fn the_result_is_escaped_on_a_terminal() {
        let (mut output, captured) = Output::captured(true);
        let answer = GetRuntimeResult {
            runtime: runtime(AgentTaskStatus::Failed),
            prompt: "Look\nhere\n".to_owned(),
            result: Some(AgentTaskResult {
                reason: "no\nkey".to_owned(),
                last_message: "\u{1b}[2J".to_owned(),
                last_message_blob: None,
            }),
        };
        print(&answer, Some("\u{1b}[2J"), &mut output).expect("written");
        let text = captured.out.text();
        let end = "reason    no key\n\nTask:\nLook\nhere\n\nResult:\n⟨1b⟩[2J\n";
        assert!(text.ends_with(end), "{text}");
    }
}
