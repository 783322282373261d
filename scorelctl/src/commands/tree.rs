//! Shows the turns of a session and the branches that they are on.

use std::collections::HashMap;

use scorel_proto::{EventId, GetTreeResult, OutcomeReason, TreeEntry, counted};

use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::failure::Failure;
use crate::turn_tree::TurnTree;
use scorel_screen::escape::one_line;

/// The number of characters of an id that are shown. The end of an id is random, its beginning is a time.
const SHORT_ID: usize = 8;

pub(super) async fn run(args: &TargetArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(args).await?;
    let tree = TurnTree::read(&mut cli.daemon, session_id).await?;
    let answer = GetTreeResult {
        active_leaf_id: tree.leaf,
        more: false,
        nodes: tree.nodes.clone(),
    };
    cli.list(&answer, lines(&tree), "no turn has ended yet")
}

/// A line for each end of a turn. A turn follows the one above it with the same indentation; the
/// branches that left the conversation there stand between the two, indented.
fn lines(tree: &TurnTree) -> Vec<String> {
    let mut following: HashMap<Option<EventId>, Vec<&TreeEntry>> = HashMap::new();
    for end in tree.nodes.iter().filter(|node| node.turn_end) {
        let before = tree.end_before(end).map(|before| before.id);
        following.entry(before).or_default().push(end);
    }
    let active: HashMap<EventId, usize> = (0..)
        .zip(tree.active_ends())
        .map(|(back, end)| (end.id, back))
        .collect();
    let mut lines = Vec::new();
    // A stack and no recursion: a conversation may have thousands of turns.
    let mut due: Vec<(&TreeEntry, usize)> = Vec::new();
    let (mut last, mut depth) = (None, 0);
    loop {
        let ends = following.remove(&last).unwrap_or_default();
        let main = ends.iter().rev().find(|end| active.contains_key(&end.id));
        let main = main.or(ends.last()).map(|end| end.id);
        // Taken from the end: the branches come first, the newest last, then the main line.
        let (main, branches): (Vec<_>, Vec<_>) =
            ends.into_iter().partition(|end| Some(end.id) == main);
        due.extend(main.into_iter().map(|end| (end, depth)));
        due.extend(branches.into_iter().rev().map(|end| (end, depth + 1)));
        let Some((end, end_depth)) = due.pop() else {
            return lines;
        };
        lines.push(line(end, end_depth, active.get(&end.id).copied()));
        (last, depth) = (Some(end.id), end_depth);
    }
}

/// The end of a turn that is `back` turns before the leaf; `None` on other branches.
fn line(end: &TreeEntry, depth: usize, back: Option<usize>) -> String {
    let place = match back {
        None => String::new(),
        Some(0) => "* 0".to_owned(),
        Some(back) => format!("-{back}"),
    };
    let id = end.id.to_string();
    let indent = "  ".repeat(depth);
    let preview = end.preview.as_deref().map(one_line).unwrap_or_default();
    let outcome = end.outcome.map(outcome).unwrap_or_default();
    let files = files(end.file_changes.unwrap_or_default());
    let text = format!(
        "{place:>5}  {indent}{}  {preview}{files}{outcome}",
        &id[id.len() - SHORT_ID..]
    );
    text.trim_end().to_owned()
}

/// The number of files that a turn changed; empty for none.
fn files(count: u64) -> String {
    match count {
        0 => String::new(),
        count => format!("  ({})", counted(count, "file")),
    }
}

/// The outcome of a turn; empty for the usual one.
const fn outcome(reason: OutcomeReason) -> &'static str {
    match reason {
        OutcomeReason::Completed => "",
        OutcomeReason::Cancelled => "  (cancelled)",
        OutcomeReason::Error => "  (failed)",
        OutcomeReason::Interrupted => "  (interrupted)",
        OutcomeReason::Limit => "  (limit reached)",
    }
}
