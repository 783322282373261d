use scorel_proto::{ContextPart, GetContext, GetContextParams, GetContextResult};

use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::failure::Failure;

pub(super) async fn run(args: &TargetArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(args).await?;
    let params = GetContextParams { session_id };
    let context = cli.call::<GetContext>(&params).await?;
    cli.result(&context, |output| {
        output.line(&size(&context))?;
        for part in &context.parts {
            output.line(&line(part))?;
        }
        if context.automatic {
            return Ok(());
        }
        output.line("automatic summaries have stopped: the last two did not make enough room")
    })
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
