//! `git`.

mod discards;

use super::facts::Facts;
use super::names::operands;
use super::options::{CommandLine, GivenOption};
use super::subcommand::Subcommand;
use super::table;
use crate::name_table::lists;
use crate::word::Word;

/// Git's own commands. Any other name may be an alias, which can run anything.
const COMMANDS: &str = "\
    add am apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout \
     checkout-index cherry cherry-pick clean clone commit count-objects describe diff diff-index \
     diff-tree fetch for-each-ref format-patch fsck gc grep hash-object help init log ls-files \
     ls-remote ls-tree merge merge-base merge-tree mv name-rev notes pull push range-diff read-tree \
     rebase reflog remote reset restore rev-list rev-parse revert rm shortlog show show-ref \
     sparse-checkout stash status submodule switch symbolic-ref tag version worktree update-index";

/// Commands that only read.
const READING: &str = "\
    annotate blame cat-file check-attr check-ignore cherry count-objects describe diff diff-index \
     diff-tree for-each-ref grep log ls-files ls-tree merge-base name-rev range-diff rev-list \
     rev-parse shortlog show show-ref status var version whatchanged";

/// Commands that change the repository, and leave the files that they name as they are.
const SPARING: [&str; 6] = ["add", "commit", "notes", "push", "stage", "tag"];

pub(super) fn describe(args: &[Word], start: usize, facts: &mut Facts) {
    let Some(found) = Subcommand::find("git", args) else {
        if super::version::is_version(args) || args.is_empty() {
            facts.is_harmless = true;
        } else {
            facts.special.extend(start..start + args.len());
            facts.paths = operands(args);
            facts.obscure = Some("which command of git it runs is not known".to_owned());
        }
        return;
    };
    let before = (0..found.index).filter(|index| args[*index].text != "--no-pager");
    facts.special.extend(before.map(|index| start + index));
    let command = found.name(args);
    let args = &args[found.index + 1..];
    let start = start + found.index + 1;
    let usage = table::of_git(command);
    let line = CommandLine::parse(&usage, args);
    line.record(&usage, args, start, facts);
    facts.is_writing |= matches!(command, "rm" | "mv" | "clean" | "init" | "clone" | "config");
    facts.spares_paths = SPARING.contains(&command);
    if command == "config" {
        if !reads_configuration(&line, args) {
            facts.always_ask = Some("git's configuration can make it run programs");
        }
    } else if !lists(&[COMMANDS, READING], command) {
        facts.special.push(start - 1);
    }
    if ["clone", "fetch", "pull", "ls-remote", "push", "remote"].contains(&command) {
        facts.special_after(start, args, |word| word.contains("::"));
    }
    facts
        .special
        .extend(special_words(command, args).map(|index| start + index));
    if command == "checkout" {
        facts.restores = discards::lone_name(&line, args, &found.before);
    }
    let has_special = found
        .before
        .options
        .iter()
        .any(|option| !option.is("no-pager"));
    let is_quiet = !has_special && !facts.has_special_from(start);
    facts.is_harmless = is_quiet && only_reads(command, &line, args);
}

/// Equivalent spellings: without global options, and with implied arguments written out.
pub(super) fn spellings(args: &[Word]) -> Vec<Vec<Word>> {
    let Some(found) = Subcommand::find("git", args) else {
        return Vec::new();
    };
    let command = found.name(args);
    let rest = &args[found.index + 1..];
    let spelled = |words: &[&str]| -> Vec<Word> {
        let words = ["git"].iter().chain(words).map(|word| Word::literal(*word));
        words.chain(rest.iter().cloned()).collect()
    };
    let line = CommandLine::parse(&table::of_git(command), rest);
    let mut spellings = vec![spelled(&[command])];
    match command {
        "checkout" if discards::checks_out_paths(&line, rest) => {
            spellings.push(spelled(&["checkout", "--"]));
        }
        "restore" if discards::restores_files(&line) => {
            spellings.push(spelled(&["restore", "--worktree"]));
        }
        "branch" if discards::deletes_unmerged(&line) => {
            spellings.push(spelled(&["branch", "-D"]));
        }
        // Options may precede what `submodule` shall do.
        "submodule" => {
            let mut rest = rest.to_vec();
            if let Some(action) = line.operands.first().map(|index| rest.remove(*index)) {
                let words = ["git", command].map(Word::literal);
                spellings.push(words.into_iter().chain([action]).chain(rest).collect());
            }
        }
        "branch" if line.has("M") || line.has("C") => {
            spellings.push(spelled(&["branch", "--force"]));
        }
        _ => {}
    }
    spellings
}

/// Arguments that make a command run a program.
fn special_words(command: &str, args: &[Word]) -> impl Iterator<Item = usize> {
    let runs = match command {
        "bisect" => &["run", "view", "visualize"][..],
        "submodule" => &["foreach", "add", "update", "init"],
        "stash" | "notes" => &["edit"],
        _ => &[],
    };
    let words = args.iter().enumerate();
    words.filter_map(|(index, word)| runs.contains(&word.text.as_str()).then_some(index))
}

fn only_reads(command: &str, line: &CommandLine, args: &[Word]) -> bool {
    // Behind an option or `--` it may be a path: `git stash -- list` puts away the file `list`.
    let first = args.first().and_then(Word::known);
    let only = |allowed: &[&str]| {
        let mut options = line.options.iter();
        options.all(|option| allowed.iter().any(|name| option.is(name)))
    };
    let only_lists = |allowed: &[&str]| line.operands.is_empty() && only(allowed);
    line.unclear.is_empty()
        && match command {
            command if lists(&[READING], command) => true,
            "branch" => only_lists(&[
                "all",
                "remotes",
                "verbose",
                "list",
                "show-current",
                "sort",
                "format",
            ]),
            "tag" => only_lists(&["list", "n", "sort", "format"]),
            "remote" => only_lists(&["v", "verbose"]),
            "stash" => matches!(first, Some("list" | "show")),
            "worktree" => matches!(first, Some("list")),
            "reflog" => line.operands.is_empty() || first == Some("show"),
            "config" => reads_configuration(line, args),
            "clean" => {
                let last = |option: &&GivenOption| option.is("dry-run") || option.is("no-dry-run");
                let last = line.options.iter().rev().find(last);
                last.is_some_and(|option| option.is("dry-run"))
            }
            // A second operand is what the name shall mean.
            "symbolic-ref" => line.operands.len() <= 1 && only(&["short", "q", "quiet"]),
            _ => false,
        }
}

/// Returns whether `config` gets a value: by an option, or since a name is all that it is given.
fn reads_configuration(line: &CommandLine, args: &[Word]) -> bool {
    let gets = ["get", "get-all", "get-regexp", "list"]
        .iter()
        .any(|name| line.has(name));
    let texts: Option<Vec<&str>> = line.operands.iter().map(|it| args[*it].known()).collect();
    line.unclear.is_empty()
        && texts.is_some_and(|texts| match texts.as_slice() {
            [] | ["get" | "list", ..] => gets || !texts.is_empty(),
            [name] => gets || name.contains('.'),
            _ => gets,
        })
}
