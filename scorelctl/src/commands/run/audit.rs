use std::path::PathBuf;

use clap::Args;
use scorel_proto::{GetRun, GetRunParams};
use serde_json::json;

use super::one_run::OneRun;
use crate::cli::Cli;
use crate::commands::export::{AuditedCalls, ExportFile, known_secrets, write_audit};
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    #[command(flatten)]
    run: OneRun,
    /// The file to write; `-` is standard output [default: RUN.audit.jsonl]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// Cut out the secrets that this machine knows
    #[arg(long)]
    redact: bool,
}

/// Writes the model calls of all sessions of a run, in their order.
pub(super) async fn run(args: &AuditArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let run_id = args.run.run.find(&mut cli.daemon).await?;
    let found = cli.call::<GetRun>(&GetRunParams { run_id }).await?;
    let named = || PathBuf::from(format!("{run_id}.audit.jsonl"));
    let path = args.output.clone().unwrap_or_else(named);
    let mut file = ExportFile::create(&path, args.force, cli.output)?;
    let home = cli.daemon.link().home();
    let redaction = args.redact.then(|| known_secrets(home));
    let mut calls = AuditedCalls::default();
    for session_id in found.sessions {
        let control = &mut cli.daemon;
        match write_audit(session_id, redaction.as_ref(), control, &mut file).await {
            Ok(more) => calls += more,
            Err(Failure::Report(report)) if report.code == "session_not_found" => {
                cli.note(&format!("session {session_id} is gone"))?;
            }
            Err(failure) => return Err(failure),
        }
    }
    if file.finish()? {
        let done = json!({ "runId": run_id, "path": path });
        cli.result(&done, |output| output.line(&path.display().to_string()))?;
    }
    match calls.warning() {
        Some(warning) => Ok(cli.note(&warning)?),
        None => Ok(()),
    }
}
