use scorel_proto::{GarbageKind, GarbageRow, Gc, GcParams};

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
    format!("{kind:<18}{:>8}{:>14}", row.items, size(row.bytes))
}

/// A size in the largest unit that fits.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut rest = bytes;
    let mut unit = UNITS[0];
    for next in UNITS {
        unit = next;
        if rest < 1024 * 1024 {
            break;
        }
        rest /= 1024;
    }
    format!("{}.{} {unit}", rest / 1024, rest % 1024 * 10 / 1024)
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn a_size_is_shown_in_its_largest_unit() {
        for (bytes, expected) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1024 * 1024 - 1, "1023.9 KiB"),
            (3 * 1024 * 1024 / 2, "1.5 MiB"),
            (5 << 30, "5.0 GiB"),
            (7 << 40, "7.0 TiB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }
}
