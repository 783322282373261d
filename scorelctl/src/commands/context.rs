use scorel_proto::{ContextPart, GetContext, GetContextParams, GetContextResult};

use crate::args::TargetArgs;
use crate::daemon::DaemonClient;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};
use crate::target;

pub(super) async fn run(
    args: &TargetArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let session_id = target::existing(control, &args.session, args.project.as_deref()).await?;
    let params = GetContextParams { session_id };
    let context = control.call::<GetContext>(&params).await?;
    result(output, &context, |output| {
        output.line(&size(&context))?;
        for part in &context.parts {
            output.line(&line(part))?;
        }
        if context.automatic {
            return Ok(());
        }
        output.line("automatic summaries have stopped: the last two did not make enough room")
    })?;
    Ok(Exit::Success)
}

fn size(context: &GetContextResult) -> String {
    let GetContextResult {
        model,
        context_window: window,
        budget,
        tokens,
        ..
    } = context;
    let share = tokens.saturating_mul(100) / window.max(&1);
    let how = if context.measured { "" } else { ", estimated" };
    format!("{tokens} of {window} tokens ({share} %{how}), summarised above {budget} ({model})")
}

fn line(part: &ContextPart) -> String {
    let ContextPart {
        kind,
        count,
        tokens,
    } = part;
    let kind = match kind.as_str() {
        "toolResult" => "tool results",
        "tools" => "tools",
        "instructions" => "instructions",
        "user" => "user messages",
        "assistant" => "answers",
        "summary" => "summary",
        "reminder" => "reminders",
        other => other,
    };
    format!("{tokens:>9}  {kind} ({count})")
}
