use scorel_proto::{GarbageKind, GarbageRow, Gc, GcParams};

use super::size_text::size_text;
use crate::args::GcArgs;
use crate::daemon::DaemonClient;
use crate::escape::one_line;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, result};

pub(super) async fn run(
    args: &GcArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let params = GcParams {
        apply: args.apply.then_some(true),
    };
    let answer = control.call::<Gc>(&params).await?;
    result(output, &answer, |output| {
        let mut rows = answer.rows.iter();
        rows.try_for_each(|row| output.line(&text(row)))
    })?;
    for problem in &answer.problems {
        output.note(&one_line(problem))?;
    }
    let found: u64 = answer.rows.iter().map(|row| row.items).sum();
    if found > 0 && !answer.applied {
        output.note("nothing was removed; `scorelctl gc --apply` removes it")?;
    }
    Ok(Exit::Success)
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
