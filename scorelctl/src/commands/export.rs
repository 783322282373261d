//! Writes a session to a file.

mod audit;
mod bundle;
mod document;
mod export_file;
mod known_secrets;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use scorel_proto::{Session, SessionId};
use scorel_transfer::render::DocumentFormat;
use serde_json::json;

use super::records::Records;
use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::failure::Failure;
pub(super) use audit::{AuditedCalls, write as write_audit};
pub(super) use export_file::ExportFile;
pub(super) use known_secrets::known_secrets;

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// The format to write
    #[arg(long, short, value_name = "FORMAT", default_value = "md")]
    pub(crate) format: ExportFormat,
    /// The file to write; `-` is standard output [default: a file with the session's id in the working
    /// directory]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// With `jsonl`: also the other branches of the conversation, and all other events
    #[arg(long)]
    pub(crate) all: bool,
    /// With `audit`: without the secrets that this machine knows: those of the home's `env` file, and variables of the
    /// environment with the name of a key, a token or a password
    #[arg(long)]
    pub(crate) redact: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// The conversation as Markdown
    Md,
    /// The conversation as one HTML file
    Html,
    /// The events of the conversation, one JSON object a line
    Jsonl,
    /// Everything, for `scorelctl import`: a .tar.gz with the log, the blobs and their hashes
    Bundle,
    /// The model calls of a session of a workflow run, one JSON object a line, each with its request as the log has it
    /// and a proof that it was this one
    Audit,
}

pub(super) async fn run(args: &ExportArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(&args.target).await?;
    if args.all && args.format != ExportFormat::Jsonl {
        return Err(Failure::usage(
            "`--all` is only valid with `--format jsonl`",
        ));
    }
    if args.redact && args.format != ExportFormat::Audit {
        return Err(Failure::usage(
            "`--redact` is only valid with `--format audit`",
        ));
    }
    let named = || PathBuf::from(format!("{session_id}.{}", ending(args.format)));
    let path = args.output.clone().unwrap_or_else(named);
    let mut file = ExportFile::create(&path, args.force, cli.output)?;
    let session = cli.session(session_id).await?;
    write(args, &session, cli, &mut file).await?;
    if file.finish()? {
        let done = json!({ "sessionId": session_id, "path": path });
        cli.result(&done, |output| output.line(&path.display().to_string()))?;
    }
    Ok(())
}

async fn write(
    args: &ExportArgs,
    session: &Session,
    cli: &mut Cli<'_>,
    file: &mut ExportFile,
) -> Result<(), Failure> {
    let control = &mut cli.daemon;
    match args.format {
        ExportFormat::Md => document::write(DocumentFormat::Markdown, session, control, file).await,
        ExportFormat::Html => document::write(DocumentFormat::Html, session, control, file).await,
        ExportFormat::Bundle => bundle::write(session, control, file).await,
        ExportFormat::Audit => for_auditors(args, session.session_id, cli, file).await,
        ExportFormat::Jsonl => {
            let id = session.session_id;
            let mut records = if args.all {
                Records::all(id)
            } else {
                Records::active_path(id, control).await?
            };
            while let Some((record, _)) = records.next(control).await? {
                file.line(record.text())?;
            }
            Ok(())
        }
    }
}

/// Says in a note if a request is not what it was.
async fn for_auditors(
    args: &ExportArgs,
    session_id: SessionId,
    cli: &mut Cli<'_>,
    file: &mut ExportFile,
) -> Result<(), Failure> {
    let home = cli.daemon.link().home();
    let redaction = args.redact.then(|| known_secrets(home));
    let calls = write_audit(session_id, redaction.as_ref(), &mut cli.daemon, file).await?;
    match calls.warning() {
        Some(warning) => Ok(cli.note(&warning)?),
        None => Ok(()),
    }
}

const fn ending(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Md => "md",
        ExportFormat::Html => "html",
        ExportFormat::Jsonl => "jsonl",
        ExportFormat::Bundle => "tar.gz",
        ExportFormat::Audit => "audit.jsonl",
    }
}
