//! A run as lines for people.

use scorel_proto::{GetRunResult, RunNode};
use scorel_screen::escape::one_line;

/// The lines of `run show`.
pub(super) fn lines(found: &GetRunResult) -> Vec<String> {
    let run = &found.run;
    let mut lines = vec![
        format!("{}  {}", run.run_id, one_line(&run.workflow)),
        format!(
            "{} ({})",
            run.phase.name(),
            run.reason.name().replace('_', " ")
        ),
    ];
    if let Some(problem) = &run.problem {
        let place = problem.line.zip(problem.column);
        let place = place.map_or_else(String::new, |(line, column)| {
            format!("line {line}, column {column}: ")
        });
        lines.push(format!("{place}{}", one_line(&problem.message)));
    }
    if run.package_changed {
        let text =
            "the package that is installed is another; `scorelctl run rebind` binds the run to it";
        lines.push(text.to_owned());
    }
    match &run.session_id {
        Some(session) => lines.push(format!("session {session}")),
        None => lines.push("its session is gone; `scorelctl run resume` makes another".to_owned()),
    }
    if let Some(worktree) = &run.worktree {
        let line = format!("worktree {}  {}", worktree.branch, worktree.path);
        lines.push(one_line(&line));
    }
    lines.push(String::new());
    let width = found.nodes.iter().map(|node| node.id.len()).max();
    lines.extend(
        found
            .nodes
            .iter()
            .map(|it| node(it, width.unwrap_or_default())),
    );
    if !found.variables.is_empty() {
        lines.push(String::new());
        let variables = found.variables.iter();
        lines.extend(variables.map(|(name, value)| one_line(&format!("{name} = {value}"))));
    }
    if !found.artifacts.is_empty() {
        lines.push(String::new());
        lines.extend(found.artifacts.iter().map(|it| one_line(it)));
    }
    lines.push(String::new());
    lines.push(one_line(&found.document));
    lines
}

/// A node: `>` stands before the current one, the number of its visits behind its id.
fn node(node: &RunNode, width: usize) -> String {
    let mark = match (node.current, node.visits) {
        (true, _) => '>',
        (false, 0) => ' ',
        (false, _) => '✓',
    };
    let visits = match node.visits {
        0 => String::new(),
        visits => format!("×{visits}"),
    };
    let ways: Vec<String> = node
        .next
        .iter()
        .map(|way| format!("{} → {}", one_line(&way.label), one_line(&way.to)))
        .collect();
    let waits = if node.waits { "  waits for you" } else { "" };
    let line = format!(
        "{mark} {:<width$}  {visits:<4} {:<9}{}{waits}",
        one_line(&node.id),
        node.kind,
        ways.join(", ")
    );
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use scorel_proto::RunWay;

    use super::*;

    #[test]
    fn a_node_says_whether_the_run_was_there() {
        let one = RunNode {
            id: "select".into(),
            kind: "step".into(),
            title: String::new(),
            visits: 2,
            current: false,
            waits: true,
            next: vec![RunWay {
                to: "end".into(),
                label: "next".into(),
            }],
        };
        assert_eq!(
            node(&one, 8),
            "✓ select    ×2   step     next → end  waits for you"
        );
        let current = RunNode {
            current: true,
            visits: 0,
            waits: false,
            next: Vec::new(),
            ..one
        };
        assert_eq!(node(&current, 6), "> select       step");
    }
}
