//! Writes a session to a file.

mod bundle;
mod document;
mod export_file;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use scorel_proto::Session;
use scorel_transfer::render::DocumentFormat;
use serde_json::json;

use super::records::Records;
use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::DaemonClient;
use crate::failure::Failure;
use export_file::ExportFile;

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
}

pub(super) async fn run(args: &ExportArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(&args.target).await?;
    if args.all && args.format != ExportFormat::Jsonl {
        return Err(Failure::usage(
            "`--all` is only valid with `--format jsonl`",
        ));
    }
    let named = || PathBuf::from(format!("{session_id}.{}", ending(args.format)));
    let path = args.output.clone().unwrap_or_else(named);
    let mut file = ExportFile::create(&path, args.force, cli.output)?;
    let session = cli.session(session_id).await?;
    write(args, &session, &mut cli.daemon, &mut file).await?;
    if file.finish()? {
        let done = json!({ "sessionId": session_id, "path": path });
        cli.result(&done, |output| output.line(&path.display().to_string()))?;
    }
    Ok(())
}

async fn write(
    args: &ExportArgs,
    session: &Session,
    control: &mut DaemonClient,
    file: &mut ExportFile,
) -> Result<(), Failure> {
    match args.format {
        ExportFormat::Md => document::write(DocumentFormat::Markdown, session, control, file).await,
        ExportFormat::Html => document::write(DocumentFormat::Html, session, control, file).await,
        ExportFormat::Bundle => bundle::write(session, control, file).await,
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

const fn ending(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Md => "md",
        ExportFormat::Html => "html",
        ExportFormat::Jsonl => "jsonl",
        ExportFormat::Bundle => "tar.gz",
    }
}
