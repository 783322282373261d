//! A server that was started and asked for its tools.

use std::io;

use scorel_proto::{TestMcpServerResult, counted};
use scorel_screen::escape::one_line;

use crate::failure::Failure;
use crate::output::Output;

/// The widths of the names of tools, in columns: that of the longest, within these.
const NAME_WIDTHS: (usize, usize) = (32, 64);

/// Columns of a description.
const MAX_DESCRIPTION: usize = 80;

/// Lines of its error output that are shown.
const MAX_LINES: usize = 10;

pub(super) fn show(answer: &TestMcpServerResult, output: &mut Output) -> io::Result<()> {
    if let Some(era) = &answer.era {
        let tokens = answer.tools.iter().map(|it| it.tokens).sum::<u64>();
        output.line(&format!(
            "MCP {}, {}, about {tokens} tokens, after {} ms",
            one_line(era),
            counted(answer.tools.len() as u64, "tool"),
            answer.duration_ms
        ))?;
    }
    let lengths = answer.tools.iter().map(|it| it.name.chars().count());
    let (least, most) = NAME_WIDTHS;
    let width = lengths.max().unwrap_or_default().clamp(least, most);
    for tool in &answer.tools {
        let description: String = one_line(&tool.description)
            .chars()
            .take(MAX_DESCRIPTION)
            .collect();
        let name = one_line(&tool.name);
        output.line(&format!(
            "  {name:<width$}  {:>6} tokens  {description}",
            tool.tokens
        ))?;
    }
    for problem in &answer.problems {
        output.line(&format!("  left out: {}", one_line(problem)))?;
    }
    let mut lines: Vec<&str> = answer.stderr.lines().collect();
    // A failure has the last words already.
    let said = answer.failure.as_deref().unwrap_or_default();
    lines.pop_if(|last| said.ends_with(last.trim()));
    let shown = &lines[lines.len().saturating_sub(MAX_LINES)..];
    for line in shown {
        output.line(&format!("  it wrote: {}", one_line(line)))?;
    }
    Ok(())
}

/// Fails if the server does not work.
pub(super) fn check(answer: &TestMcpServerResult) -> Result<(), Failure> {
    match &answer.failure {
        Some(failure) => Err(Failure::refused("mcp_server_failed", one_line(failure))),
        None => Ok(()),
    }
}
