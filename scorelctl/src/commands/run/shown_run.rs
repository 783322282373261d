//! A run as lines for people.

use scorel_proto::{ErrorCode, GetRunResult, RunInfo, RunNode, RunProblem};
use scorel_screen::escape::one_line;

use crate::id_part::end_of;

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
        lines.push(one_line(&self::problem(problem)));
        lines.extend(cure(run, problem));
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
    if !found.nodes.is_empty() {
        lines.push(String::new());
    }
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

/// A problem, with its place in the document.
pub(super) fn problem(problem: &RunProblem) -> String {
    let place = problem.line.zip(problem.column);
    let place = place.map_or_else(String::new, |(line, column)| {
        format!("line {line}, column {column}: ")
    });
    let of_document = if problem.code == ErrorCode::StateInvalid.name() {
        "the document cannot be used: "
    } else {
        ""
    };
    format!("{of_document}{place}{}", problem.message)
}

/// The command that helps a run with such a problem.
fn cure(run: &RunInfo, problem: &RunProblem) -> Option<String> {
    let id = end_of(&run.run_id);
    if problem.code == ErrorCode::StateInvalid.name() {
        let text = "mend it, or bring its last good state back";
        return Some(format!("{text}: `scorelctl run repair {id}`"));
    }
    (problem.code == ErrorCode::PackageMissing.name())
        .then(|| format!("`scorelctl run rebind {id}` binds it to the package that is installed"))
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
    fn a_problem_says_whose_it_is_and_where() {
        let mut one = RunProblem {
            code: "state_invalid".into(),
            message: "tags are not read".into(),
            line: Some(6),
            column: Some(8),
            pointer: None,
        };
        let text = "the document cannot be used: line 6, column 8: tags are not read";
        assert_eq!(problem(&one), text);
        (one.line, one.message) = (None, "it is not there".into());
        assert_eq!(
            problem(&one),
            "the document cannot be used: it is not there"
        );
        one.code = "package_missing".into();
        assert_eq!(problem(&one), "it is not there");
    }

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
