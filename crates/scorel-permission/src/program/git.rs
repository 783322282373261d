//! `git`.

mod discards;

use super::facts::Facts;
use super::options::{has_short, is_long, operands};
use crate::shell::Word;

/// Git's own commands. Any other name may be an alias, which can run anything.
const COMMANDS: [&str; 66] = [
    "add",
    "am",
    "apply",
    "archive",
    "bisect",
    "blame",
    "branch",
    "bundle",
    "cat-file",
    "check-attr",
    "check-ignore",
    "checkout",
    "cherry",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "count-objects",
    "describe",
    "diff",
    "diff-index",
    "diff-tree",
    "fetch",
    "for-each-ref",
    "format-patch",
    "fsck",
    "gc",
    "grep",
    "hash-object",
    "help",
    "init",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge",
    "merge-base",
    "merge-tree",
    "mv",
    "name-rev",
    "notes",
    "pull",
    "push",
    "range-diff",
    "rebase",
    "reflog",
    "remote",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "shortlog",
    "show",
    "show-ref",
    "sparse-checkout",
    "stash",
    "status",
    "submodule",
    "switch",
    "symbolic-ref",
    "tag",
    "version",
    "worktree",
    "update-index",
];

/// Commands that only read.
const READING: [&str; 29] = [
    "blame",
    "cat-file",
    "check-attr",
    "check-ignore",
    "cherry",
    "count-objects",
    "describe",
    "diff",
    "diff-index",
    "diff-tree",
    "for-each-ref",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "merge-tree",
    "name-rev",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
    "version",
    "annotate",
    "whatchanged",
    "var",
];

/// Options that write a file or run a program, in any command. Git accepts abbreviations.
const SPECIAL: [&str; 16] = [
    "--config",
    "--config-env",
    "--contents",
    "--exec",
    "--ext-diff",
    "--filters",
    "--no-index",
    "--open-files-in-pager",
    "--output",
    "--output-directory",
    "--receive-pack",
    "--separate-git-dir",
    "--template",
    "--textconv",
    "--upload-pack",
    "--strategy",
];

/// Commands that change the repository, and of the files that they name nothing.
const SPARING: [&str; 6] = ["add", "commit", "notes", "push", "stage", "tag"];

/// The index of git's command among the arguments; `None` if it cannot be known.
struct Split {
    command: usize,
    /// Whether a global option changes what the command does.
    has_special: bool,
}

pub(super) fn describe(args: &[Word], start: usize, facts: &mut Facts) {
    facts.paths = operands(args, 1);
    let Some(split) = split(args) else {
        if super::reading::is_version(args) || args.is_empty() {
            facts.is_harmless = true;
        } else {
            facts
                .special
                .extend((0..args.len()).map(|index| start + index));
            facts.obscure = Some("which command of git it runs is not known".to_owned());
        }
        return;
    };
    let options = (0..split.command).filter(|index| args[*index].text != "--no-pager");
    facts.special.extend(options.map(|index| start + index));
    let command = args[split.command].text.as_str();
    let args = &args[split.command + 1..];
    let start = start + split.command + 1;
    facts.paths = operands(args, 0);
    facts.is_writing = matches!(command, "rm" | "mv" | "clean" | "init" | "clone" | "config");
    facts.spares_paths = SPARING.contains(&command);
    if command == "config" {
        if !reads_configuration(args) {
            facts.always_ask = Some("git's configuration can make it run programs");
        }
    } else if !COMMANDS.contains(&command) && !READING.contains(&command) {
        facts.special.push(start - 1);
    }
    facts.special_after(start, args, |word| is_special(command, word));
    facts
        .special
        .retain(|index| !is_message(command, args, *index, start));
    facts
        .special
        .extend(special_words(command, args).map(|index| start + index));
    let is_quiet = !split.has_special && !facts.special.iter().any(|index| *index + 1 >= start);
    facts.is_harmless = is_quiet && only_reads(command, args);
}

/// Equivalent spellings: without global options, and with implied arguments written out.
pub(super) fn spellings(args: &[Word]) -> Vec<Vec<Word>> {
    let Some(split) = split(args) else {
        return Vec::new();
    };
    let command = args[split.command].text.as_str();
    let rest = &args[split.command + 1..];
    let spelled = |words: &[&str]| -> Vec<Word> {
        let words = ["git"].iter().chain(words).map(|word| Word::literal(*word));
        words.chain(rest.iter().cloned()).collect()
    };
    let mut spellings = vec![spelled(&[command])];
    match command {
        "checkout" if discards::checks_out_paths(rest) => {
            spellings.push(spelled(&["checkout", "--"]));
        }
        "restore" if discards::restores_files(rest) => {
            spellings.push(spelled(&["restore", "--worktree"]));
        }
        "branch" if discards::deletes_unmerged(rest) => {
            spellings.push(spelled(&["branch", "-D"]));
        }
        _ => {}
    }
    spellings
}

fn split(args: &[Word]) -> Option<Split> {
    let mut index = 0;
    let mut has_special = false;
    while let Some(word) = args.get(index) {
        let text = word.known()?;
        if !text.starts_with('-') {
            return Some(Split {
                command: index,
                has_special,
            });
        }
        let takes_value = matches!(
            text,
            "-C" | "-c"
                | "--git-dir"
                | "--work-tree"
                | "--namespace"
                | "--config-env"
                | "--super-prefix"
                | "--attr-source"
        );
        has_special |= text != "--no-pager";
        index += if takes_value { 2 } else { 1 };
    }
    None
}

fn is_special(command: &str, word: &str) -> bool {
    if SPECIAL
        .iter()
        .any(|option| is_long(word, option) && word != "--text")
    {
        return true;
    }
    match command {
        "grep" => has_short(word, "O"),
        "diff" | "log" | "show" | "format-patch" | "archive" => {
            word.starts_with("-O") || word.starts_with("-o")
        }
        "clone" | "fetch" | "pull" | "ls-remote" => has_short(word, "uc") || word.contains("::"),
        "push" | "remote" => word.contains("::"),
        "rebase" => has_short(word, "xi") || is_long(word, "--interactive"),
        "init" | "apply" => word.starts_with("--unsafe") || word.starts_with("--directory"),
        _ => false,
    }
}

/// Whether the word at `index` is the value of a message option and so cannot be an option itself.
fn is_message(command: &str, args: &[Word], index: usize, start: usize) -> bool {
    let before = index
        .checked_sub(start + 1)
        .and_then(|index| args.get(index));
    let is_option = matches!(
        before.and_then(Word::known),
        Some("-m" | "-am" | "--message")
    );
    let is_one = index
        .checked_sub(start)
        .and_then(|index| args.get(index))
        .is_some_and(|word| word.is_one);
    matches!(command, "commit" | "tag") && is_option && is_one
}

/// Arguments that make a command run a program.
fn special_words(command: &str, args: &[Word]) -> impl Iterator<Item = usize> {
    let runs = match command {
        "bisect" => &["run", "view", "visualize"][..],
        "submodule" => &["foreach", "add", "update", "init"],
        "stash" | "notes" => &["edit"],
        _ => &[],
    };
    args.iter()
        .enumerate()
        .filter(|(_, word)| runs.contains(&word.text.as_str()))
        .map(|(index, _)| index)
        .collect::<Vec<_>>()
        .into_iter()
}

fn only_reads(command: &str, args: &[Word]) -> bool {
    let are_known = args
        .iter()
        .all(|word| !word.may_be_option() || word.is_known());
    let first = args.first().and_then(Word::known);
    let options = |allowed: &[&str]| {
        args.iter().all(|word| {
            word.known().is_some_and(|text| {
                allowed.contains(&text)
                    || text.starts_with("--format=")
                    || text.starts_with("--sort=")
            })
        })
    };
    are_known
        && match command {
            command if READING.contains(&command) => true,
            "branch" => options(&[
                "-a",
                "-r",
                "-v",
                "-vv",
                "-l",
                "--list",
                "--all",
                "--remotes",
                "--show-current",
                "--verbose",
                "-av",
                "-avv",
                "-rv",
            ]),
            "tag" => options(&["-l", "--list", "-n"]),
            "remote" => options(&["-v", "--verbose"]),
            "stash" => matches!(first, Some("list" | "show")),
            "worktree" => matches!(first, Some("list")),
            "reflog" => {
                matches!(first, None | Some("show"))
                    || args.iter().all(|word| word.text.starts_with('-'))
            }
            "config" => reads_configuration(args),
            "clean" => only_shows(args),
            "symbolic-ref" => options(&["HEAD", "--short", "-q"]),
            _ => false,
        }
}

/// Whether `clean` only says what it would remove. The value of `-e`, in the same word or the next one,
/// is a pattern: the `n` in `-enode_modules` is no option.
fn only_shows(args: &[Word]) -> bool {
    let mut shows = false;
    let mut is_value = false;
    for word in args {
        let text = word.text.as_str();
        if std::mem::take(&mut is_value) {
            continue;
        }
        let letters = text.strip_prefix('-').unwrap_or_default();
        if text == "--" {
            break;
        } else if is_long(text, "--no-dry-run") {
            return false;
        } else if is_long(text, "--exclude") {
            is_value = !text.contains('=');
        } else if !letters.starts_with('-')
            && let Some((_, value)) = letters.split_once('e')
        {
            is_value = value.is_empty();
        } else {
            let is_plain = letters.bytes().all(|letter| b"dfnqxX".contains(&letter));
            shows |= is_plain && letters.contains('n') || is_long(text, "--dry-run");
        }
    }
    shows
}

fn reads_configuration(args: &[Word]) -> bool {
    let first = args.first().and_then(Word::known);
    let is_reading = matches!(
        first,
        Some("--get" | "--get-all" | "--list" | "-l" | "get" | "list")
    );
    is_reading
        && args.iter().skip(1).all(|word| {
            word.known().is_some_and(|text| {
                !text.starts_with('-')
                    || matches!(
                        text,
                        "--show-origin" | "--show-scope" | "-z" | "--null" | "--name-only"
                    )
            })
        })
}
