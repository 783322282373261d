//! Reports as text or as JSON lines.

use std::io::{self, Write};
use std::path::Path;

use scorel_proto::{ErrorChain, SessionId, counted};
use serde::Serialize;

use crate::error::FsckError;
use crate::exit::FsckExit;
use crate::finding::{ByteRange, Finding, Severity};
use crate::report::FsckReport;

/// One line of `--json` output: a stable interface.
#[derive(Serialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
enum JsonLine<'a> {
    Finding {
        severity: Severity,
        code: &'static str,
        file: String,
        #[serde(flatten)]
        span: Option<ByteRange>,
        #[serde(skip_serializing_if = "Option::is_none")]
        session_id: Option<SessionId>,
        meaning: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        repair: Option<String>,
        repaired: bool,
    },
    RepairFailed {
        file: String,
        reason: &'a str,
    },
    Summary {
        home: String,
        daemon_running: bool,
        sessions: u64,
        damage: usize,
        repairable: usize,
        notes: usize,
        repaired: usize,
        exit_code: u8,
    },
}

pub fn write_report(report: &FsckReport, json: bool, out: &mut dyn Write) -> io::Result<()> {
    if json {
        write_json(report, out)
    } else {
        write_text(report, out)
    }
}

pub fn write_error(error: &FsckError, json: bool, mut out: impl Write) -> io::Result<()> {
    let message = ErrorChain(error).to_string();
    if json {
        let exit_code = FsckExit::Unchecked as u8;
        let error = serde_json::json!({
            "error": { "code": error.code(), "message": message, "exitCode": exit_code }
        });
        writeln!(out, "{error}")
    } else {
        writeln!(out, "scoreld: {}", visible(&message))
    }
}

fn write_json(report: &FsckReport, out: &mut dyn Write) -> io::Result<()> {
    let mut line = |line: &JsonLine<'_>| -> io::Result<()> {
        serde_json::to_writer(&mut *out, line)?;
        out.write_all(b"\n")
    };
    for finding in &report.repaired {
        line(&JsonLine::of(finding, true))?;
    }
    for finding in &report.found {
        line(&JsonLine::of(finding, false))?;
    }
    for failure in &report.failures {
        line(&JsonLine::RepairFailed {
            file: text(&failure.path),
            reason: &failure.reason,
        })?;
    }
    line(&JsonLine::Summary {
        home: text(&report.home),
        daemon_running: report.daemon_running,
        sessions: report.sessions,
        damage: report.count(Severity::Damage),
        repairable: report.count(Severity::Repairable),
        notes: report.count(Severity::Note),
        repaired: report.repaired.len(),
        exit_code: report.exit() as u8,
    })
}

impl<'a> JsonLine<'a> {
    fn of(finding: &'a Finding, repaired: bool) -> Self {
        Self::Finding {
            severity: finding.severity,
            code: finding.code,
            file: text(&finding.path),
            span: finding.span,
            session_id: finding.session,
            meaning: &finding.meaning,
            repair: finding.repair.as_ref().map(ToString::to_string),
            repaired,
        }
    }
}

fn write_text(report: &FsckReport, out: &mut dyn Write) -> io::Result<()> {
    for finding in &report.repaired {
        write_finding(report, finding, "repaired", out)?;
    }
    for finding in &report.found {
        write_finding(report, finding, &finding.severity.to_string(), out)?;
        if let Some(repair) = &finding.repair {
            writeln!(out, "            --repair {repair}")?;
        }
    }
    for failure in &report.failures {
        let path = visible(&text(shown(&failure.path, &report.home)));
        writeln!(out, "not repaired: {path}: {}", visible(&failure.reason))?;
    }
    write_summary(report, out)
}

fn write_finding(
    report: &FsckReport,
    finding: &Finding,
    label: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let path = visible(&text(shown(&finding.path, &report.home)));
    write!(out, "{label:<11} {path}")?;
    if let Some(ByteRange { offset, length }) = finding.span {
        write!(out, ", offset {offset}, {}", counted(length, "byte"))?;
    }
    writeln!(out, "\n            {}", visible(&finding.meaning))
}

fn write_summary(report: &FsckReport, out: &mut dyn Write) -> io::Result<()> {
    let beside = if report.daemon_running {
        ", beside its daemon"
    } else {
        ""
    };
    let home = visible(&text(&report.home));
    writeln!(
        out,
        "checked {home}{beside}: {}; {}, {}, {}; {} repaired",
        counted(report.sessions, "session"),
        counted(report.count(Severity::Damage), "damaged place"),
        counted(report.count(Severity::Repairable), "repairable place"),
        counted(report.count(Severity::Note), "note"),
        report.repaired.len(),
    )
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Escapes control characters: paths and messages could otherwise steer the terminal.
pub fn visible(text: &str) -> String {
    let show = |char: char| match char {
        char if char.is_control() => char.escape_default().to_string(),
        char => char.to_string(),
    };
    text.chars().map(show).collect()
}

/// The path relative to the home.
fn shown<'p>(path: &'p Path, home: &Path) -> &'p Path {
    path.strip_prefix(home).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(visible("a\n\u{1b}[2Jé"), "a\\n\\u{1b}[2Jé");
    }
}
