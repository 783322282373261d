mod prompt;
mod runner_log;

use clap::Args;
use scorel_proto::Phase;

use super::active_path::ActivePath;
use super::records::Records;
use super::stall::stall_text;
use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::question::child_question;
use crate::render::Transcript;

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Only the last N turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) last: Option<u32>,
    /// Print the prompt that each request begins with, instead of the conversation
    #[arg(long, conflicts_with_all = ["last", "logs"])]
    pub(crate) prompt: bool,
    /// Also print what runners wrote to their logs
    #[arg(long)]
    pub(crate) logs: bool,
    /// Print to the terminal itself [default: through $PAGER, or less]
    #[arg(long)]
    pub(crate) no_pager: bool,
}

/// The maximum number of lines of a tool result.
const RESULT_LINES: usize = 20;

/// Prints the conversation from the root to the active leaf, and the to-do list.
pub(super) async fn run(args: &ShowArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(&args.target).await?;
    if !args.no_pager && cli.output.page()? {
        // Ctrl-C is the pager's from now on: without this program, it would be left with the terminal.
        Interrupts::listen()?;
    }
    if args.prompt {
        return prompt::show(session_id, cli).await;
    }
    let mut conversation = ActivePath::of(&mut cli.daemon, session_id, args.last).await?;
    let mut transcript = Transcript::history(RESULT_LINES, cli.output);
    let mut records = Records::after(session_id, conversation.before());
    let mut wait = None;
    while let Some((encoded, event)) = records.next(&mut cli.daemon).await? {
        if !conversation.has(&event) {
            if event.type_name() == "turn_waiting" {
                wait = Some(event);
            }
            continue;
        }
        if cli.output.json {
            cli.output.raw_line(encoded.text())?;
            continue;
        }
        transcript.event(&event, cli.output)?;
        if args.logs {
            runner_log::show(&event, session_id, &mut transcript, cli).await?;
        }
    }
    if let Some(text) = transcript.todos() {
        transcript.note(&text, cli.output)?;
    }
    if !cli.output.json {
        let session = cli.session(session_id).await?;
        if let Some(wait) = wait.filter(|_| session.phase == Phase::Waiting) {
            transcript.event(&wait, cli.output)?;
        }
        match (session.problem, session.storage_stalled) {
            (Some(problem), Some(stall)) => {
                transcript.note(&stall_text(&problem, &stall), cli.output)?;
            }
            (Some(problem), None) => transcript.note(&problem, cli.output)?,
            (None, _) => {}
        }
        for question in &session.child_questions {
            transcript.note(&child_question(question), cli.output)?;
        }
    }
    Ok(())
}
