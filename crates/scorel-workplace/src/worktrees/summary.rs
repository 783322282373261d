//! A repository in a few lines, for the prompt.

use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use scorel_config::ConfigSource;

use super::git::{GitOrder, GitProgram};
use super::supervised_git::SupervisedGit;
use crate::commands::CommandHost;

/// The time that a turn waits for the lines. A large repository does without.
const LIMIT: Duration = Duration::from_secs(2);

/// Lines of the status.
const MAX_LINES: usize = 20;

/// Characters of a line.
const MAX_CHARS: usize = 200;

/// Branch, default branch and short status of the repository that a directory is in. `None` if git does
/// not say them in time, or could start programs to find them out.
pub fn summary(
    commands: &Arc<CommandHost>,
    config: &Arc<ConfigSource>,
    dir: &Path,
) -> Option<String> {
    let supervisors = Arc::clone(commands.supervisors());
    let git = SupervisedGit::new(supervisors, Arc::clone(commands), Arc::clone(config));
    if !git.is_confined() {
        return None;
    }
    let (sender, receiver) = mpsc::channel();
    let dir = dir.to_owned();
    thread::spawn(move || {
        // The turn has gone on if it took too long.
        let _late = sender.send(read(&git, &dir));
    });
    receiver.recv_timeout(LIMIT).ok().flatten()
}

pub(super) fn read(git: &dyn GitProgram, dir: &Path) -> Option<String> {
    let ask = |arguments: &[&str]| {
        let output = git.run(&GitOrder::looking(dir.to_owned(), arguments));
        output.ok().filter(|output| output.is_ok())
    };
    let status = ask(&["status", "--short", "--branch", "--ignore-submodules=dirty"])?.stdout;
    let default = ask(&["symbolic-ref", "--short", "refs/remotes/origin/HEAD"]);
    let default = default.map(|output| as_data(output.stdout.trim()));
    Some(lines(&status, default.as_deref()))
}

fn lines(status: &str, default: Option<&str>) -> String {
    let mut lines = status.lines().map(as_data);
    let branch = lines.next().unwrap_or_default();
    let branch = branch.trim_start_matches("## ");
    let mut text = format!("<git>\nWhen the session began:\nbranch: {branch}\n");
    if let Some(default) = default {
        text.push_str(&format!("default branch: {default}\n"));
    }
    let changes: Vec<String> = lines.collect();
    if changes.is_empty() {
        text.push_str("status: clean\n");
    } else {
        let shown = &changes[..changes.len().min(MAX_LINES)];
        text.push_str(&format!("status:\n{}\n", shown.join("\n")));
        if changes.len() > shown.len() {
            text.push_str(&format!("({} more)\n", changes.len() - shown.len()));
        }
    }
    text + "</git>"
}

/// A line of git's, or a file's name, with a backslash after each `<`, so that no name in it passes for part of the
/// prompt.
pub fn as_data(line: &str) -> String {
    let mut text = String::new();
    for (count, letter) in line.chars().filter(|it| !it.is_control()).enumerate() {
        if count == MAX_CHARS {
            text.push('…');
            break;
        }
        text.push(letter);
        if letter == '<' {
            text.push('\\');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_default_branch_and_a_bounded_status_are_said() {
        assert_eq!(
            lines("## main...origin/main [ahead 1]\n", Some("origin/main")),
            "<git>\nWhen the session began:\nbranch: main...origin/main [ahead 1]\n\
             default branch: origin/main\nstatus: clean\n</git>"
        );
        let status = format!("## topic\n{}", " M a\u{7}.rs\n".repeat(MAX_LINES + 2));
        let text = lines(&status, None);
        assert!(text.contains("branch: topic\nstatus:\n M a.rs\n"), "{text}");
        assert!(text.ends_with(" M a.rs\n(2 more)\n</git>"), "{text}");
    }
}
