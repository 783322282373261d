use std::path::{Path, PathBuf};

use clap::Args;
use scorel_proto::{ImportReport, ImportSession, ImportSessionParams, counted};

use crate::cli::Cli;
use crate::daemon::{DaemonConnector, new_command_id};
use crate::failure::Failure;
use crate::target;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// A bundle of `scorelctl export`, a transcript of Claude Code or a rollout of Codex
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Project directory, registered on first use [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}

pub(super) async fn run(args: &ImportArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let file = transcript(&args.file, cli.daemon.link())?;
    let params = ImportSessionParams {
        project_id: cli.registered(args.project.as_deref()).await?.project_id,
        path: target::utf8(&file)?.to_owned(),
        command_id: Some(new_command_id()),
    };
    let answer = cli.call::<ImportSession>(&params).await?;
    cli.result(&answer, |output| {
        output.line(&answer.session_id.to_string())
    })?;
    cli.note(&text(&answer.report))?;
    Ok(())
}

/// The path of the file for the daemon, which reads it.
fn transcript(file: &Path, link: &DaemonConnector) -> Result<PathBuf, Failure> {
    let found = match link.remote() {
        Some(remote) if file.is_relative() => {
            let message = format!(
                "{} is relative: the daemon of {} reads the file, by an absolute path there",
                file.display(),
                remote.name()
            );
            return Err(Failure::usage(message).hint("copy the file there first, with scp"));
        }
        Some(_) => Ok(file.to_owned()),
        None => file.canonicalize(),
    };
    found.map_err(|error| {
        let message = format!("cannot use {}: {error}", file.display());
        Failure::refused("invalid_params", message)
    })
}

/// The report in words: the imported messages and images, and the omitted lines by reason.
fn text(report: &ImportReport) -> String {
    let mut text = format!(
        "{} and {} of {} of {}",
        counted(report.messages, "message"),
        counted(report.images, "image"),
        report.imported,
        counted(report.lines, "line")
    );
    let unknown = match report.unknown_types.join(", ") {
        types if types.is_empty() => "of unknown types".to_owned(),
        types => format!("of unknown types ({})", one_line(&types)),
    };
    let left_out = [
        (report.sidechains, "of other agents"),
        (report.branches, "of other branches"),
        (report.skipped, "that are not part of the conversation"),
        (report.unknown, unknown.as_str()),
        (u64::from(report.torn), "that is half written"),
    ];
    for (count, what) in left_out.into_iter().filter(|(count, _)| *count > 0) {
        text.push_str(&format!("; {count} {what}"));
    }
    if report.dropped_images > 0 {
        text.push_str(&format!(
            "; {} replaced by a note",
            counted(report.dropped_images, "image")
        ));
    }
    if report.gaps > 0 {
        text.push_str(&format!(
            "; {} (the line before is missing; what precedes it was taken in the order of the file)",
            counted(report.gaps, "gap")
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_there_is_is_said_of_a_report() {
        let report = ImportReport {
            lines: 9,
            imported: 5,
            skipped: 2,
            unknown: 1,
            unknown_types: vec!["new\nkind".to_owned()],
            torn: true,
            messages: 4,
            dropped_images: 1,
            ..ImportReport::default()
        };
        let text = text(&report);
        assert!(
            text.starts_with("4 messages and 0 images of 5 of 9 lines; 2 that are"),
            "{text}"
        );
        let end =
            "; 1 of unknown types (new kind); 1 that is half written; 1 image replaced by a note";
        assert!(text.ends_with(end), "{text}");
        assert!(!text.contains("agents") && !text.contains('\n'), "{text}");
    }
}
