//! Commands of a program, such as `push` of `git`, behind the program's own options.

use super::options::CommandLine;
use super::table;
use crate::word::Word;

/// Where the command of a program is among its arguments.
pub(super) struct Subcommand {
    pub(super) index: usize,
    /// The options that precede it.
    pub(super) before: CommandLine,
}

impl Subcommand {
    /// `None` if the program has none, or if it is not known.
    pub(super) fn find(program: &str, args: &[Word]) -> Option<Self> {
        let usage = table::before_command(program)?;
        let is_toolchain = |word: &Word| program == "cargo" && word.text.starts_with('+');
        let skipped = usize::from(args.first().is_some_and(is_toolchain));
        let before = CommandLine::parse(&usage, &args[skipped..]);
        let index = before.operands.first()? + skipped;
        let are_known = args[..=index].iter().all(Word::is_known);
        are_known.then_some(Self { index, before })
    }

    pub(super) fn name<'a>(&self, args: &'a [Word]) -> &'a str {
        &args[self.index].text
    }
}

/// A command of a program other than a wrapper for git, as rules say it: without options before it, and
/// by its usual name.
pub(super) fn spellings(program: &str, args: &[Word]) -> Vec<Vec<Word>> {
    let mut args = args;
    // Workspace in workspace: the last one counts.
    while program == "yarn"
        && let [_, _, next, ..] = args
        && args[0].known() == Some("workspace")
        && next.known() == Some("workspace")
    {
        args = &args[2..];
    }
    spellings_within(program, args, MOST_WORKSPACES)
}

/// The greatest number of workspaces, with options between them, before a command.
const MOST_WORKSPACES: usize = 4;

fn spellings_within(program: &str, args: &[Word], left: usize) -> Vec<Vec<Word>> {
    let Some(found) = Subcommand::find(program, args) else {
        return Vec::new();
    };
    let spelled = |command: &str, rest: &[Word]| {
        let mut words = vec![Word::literal(program), Word::literal(command)];
        words.extend_from_slice(rest);
        words
    };
    let rest = &args[found.index + 1..];
    let next = rest.first().and_then(Word::known).unwrap_or_default();
    let name = found.name(args);
    let mut all = vec![spelled(name, rest)];
    match (program, name) {
        // `docker image push`
        ("docker" | "podman", "image" | "compose" | "manifest" | "plugin") if next == "push" => {
            all.push(spelled("push", &rest[1..]));
        }
        ("yarn", "workspace") if left > 0 => {
            let inner = rest.get(1..).unwrap_or_default();
            all.extend(spellings_within(program, inner, left - 1));
        }
        // npm takes an abbreviation.
        ("npm", _) => {
            let is_meant = |command: &&&str| name.len() > 3 && command.starts_with(name);
            let meant = ["publish", "unpublish"].iter().filter(is_meant);
            all.extend(meant.map(|command| spelled(command, rest)));
        }
        _ => {}
    }
    // The word behind an option that the table does not know is its value, or the command.
    let is_unsure = found
        .before
        .is_unlisted(&args[found.index.saturating_sub(1)]);
    if is_unsure && found.index > 0 && !next.is_empty() {
        all.push(spelled(next, &rest[1..]));
    }
    all
}
