//! The report as text or as one JSON object.

use std::io::{self, Write};

use scorel_fsck::visible;
use scorel_proto::counted;
use serde::Serialize;

use super::check::{Check, Level};

#[derive(Serialize)]
struct DoctorReport<'a> {
    version: &'static str,
    level: Level,
    checks: &'a [Check],
}

pub(super) fn write(checks: &[Check], json: bool, out: &mut dyn Write) -> io::Result<()> {
    let worst = checks.iter().map(|check| check.level).max();
    let level = worst.unwrap_or(Level::Ok);
    if json {
        let object = DoctorReport {
            version: env!("CARGO_PKG_VERSION"),
            level,
            checks,
        };
        serde_json::to_writer(&mut *out, &object)?;
        return out.write_all(b"\n");
    }
    for check in checks {
        let level = check.level.as_str();
        writeln!(
            out,
            "{level:<5} {:<10} {}",
            check.name,
            visible(&check.message)
        )?;
        if let Some(hint) = &check.hint {
            writeln!(out, "{:17}{}", "", visible(hint))?;
        }
    }
    let count = |level| checks.iter().filter(|check| check.level == level).count();
    let (warn, fail) = (count(Level::Warn), count(Level::Fail));
    writeln!(
        out,
        "{}, {}, {}",
        counted(checks.len(), "check"),
        counted(warn, "warning"),
        counted(fail, "failure")
    )
}
