//! A server that was started and asked for its tools.

use std::io;

use scorel_proto::{TestMcpServerResult, counted};
use scorel_screen::escape::one_line;

use crate::failure::Failure;
use crate::output::Output;

/// The width of a tool's name, in columns.
const NAME_WIDTH: usize = 32;

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
    for tool in &answer.tools {
        let description: String = one_line(&tool.description)
            .chars()
            .take(MAX_DESCRIPTION)
            .collect();
        let name = one_line(&tool.name);
        output.line(&format!(
            "  {name:<NAME_WIDTH$}  {:>6} tokens  {description}",
            tool.tokens
        ))?;
    }
    for problem in &answer.problems {
        output.line(&format!("  left out: {}", one_line(problem)))?;
    }
    let lines: Vec<&str> = answer.stderr.lines().collect();
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
