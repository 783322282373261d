use clap::Args;
use scorel_proto::{GarbageKind, GarbageRow, Gc, GcParams};

use super::size_text::size_text;
use crate::cli::Cli;
use crate::failure::Failure;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct GcArgs {
    /// Remove it [default: only report it]
    #[arg(long)]
    pub(crate) apply: bool,
}

pub(super) async fn run(args: &GcArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = GcParams {
        apply: args.apply.then_some(true),
    };
    let answer = cli.call::<Gc>(&params).await?;
    cli.result(&answer, |output| output.lines(answer.rows.iter().map(text)))?;
    for problem in &answer.problems {
        cli.note(&one_line(problem))?;
    }
    let found: u64 = answer.rows.iter().map(|row| row.items).sum();
    if found > 0 && !answer.applied {
        cli.note("nothing was removed; `scorelctl gc --apply` removes it")?;
    }
    Ok(())
}

fn text(row: &GarbageRow) -> String {
    let kind = match row.kind {
        GarbageKind::Trash => "deleted sessions",
        GarbageKind::Blobs => "blobs",
        GarbageKind::Copies => "repairs' copies",
        GarbageKind::Store => "trusted items",
    };
    format!("{kind:<18}{:>8}{:>14}", row.items, size_text(row.bytes))
}
