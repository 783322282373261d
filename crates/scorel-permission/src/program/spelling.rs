//! Other ways to write a command, which denying and asking rules match too.
//!
//! People write a rule in one way, `Bash(rm -r *)`, and commands come in many: `rm -fr x`,
//! `rm x --recursive`. Each option is therefore also spelled as the first one, ungrouped, and in its
//! long form.

use super::git;
use super::options::is_long;
use crate::shell::Word;

/// Words of all spellings together, besides a few that are always made: they are compared with every
/// rule.
const MAX_WORDS: usize = 20_000;

/// Spellings that are made however long the command is.
const FEW: usize = 4;

/// A shorter option is no abbreviation that is worth a spelling.
const SHORTEST: usize = "--ha".len();

/// Options of one program that mean the same: the program with its subcommand, the short form, the
/// long one.
const SYNONYMS: [(&str, &str, &str); 12] = [
    ("rm", "-r", "--recursive"),
    ("rm", "-R", "--recursive"),
    ("git branch", "-d", "--delete"),
    ("git branch", "-f", "--force"),
    ("git checkout", "-f", "--force"),
    ("git push", "-f", "--force"),
    ("git push", "-d", "--delete"),
    ("git reset", "", "--hard"),
    ("git rm", "-f", "--force"),
    ("git switch", "-f", "--force"),
    ("git tag", "-d", "--delete"),
    ("git worktree remove", "-f", "--force"),
];

/// The spellings of a command: without its program's directory, without assignments, and with each
/// option in the first place.
pub(super) fn spellings(base: &str, words: &[Word], program: usize) -> Vec<Vec<Word>> {
    let mut plain = vec![Word::literal(base)];
    plain.extend_from_slice(&words[program + 1..]);
    let mut spellings = vec![plain];
    if base == "git" {
        spellings.extend(git::spellings(&words[program + 1..]));
    }
    let hoisted: Vec<_> = spellings.iter().flat_map(|words| hoisted(words)).collect();
    spellings.extend(hoisted);
    spellings
}

/// The command once for each option, which then follows the program or its subcommand.
fn hoisted(words: &[Word]) -> Vec<Vec<Word>> {
    let head = head(words);
    let (program, rest) = words.split_at(head);
    let name: Vec<&str> = program.iter().map(|word| word.text.as_str()).collect();
    let mut options: Vec<String> = Vec::new();
    let limit = FEW.max(MAX_WORDS / words.len().max(1));
    for word in rest.iter().take_while(|word| word.known() != Some("--")) {
        for option in word.known().into_iter().flat_map(forms) {
            for form in synonyms(&name.join(" "), &option) {
                if options.len() < limit && !options.contains(&form) {
                    options.push(form);
                }
            }
        }
    }
    let with = |option: String| {
        let option = [Word::literal(option)];
        program.iter().chain(&option).chain(rest).cloned().collect()
    };
    options.into_iter().map(with).collect()
}

/// How many words name the program and its subcommand.
fn head(words: &[Word]) -> usize {
    let text = |index: usize| words.get(index).and_then(Word::known).unwrap_or_default();
    let wanted = match (text(0), text(1)) {
        ("git", "worktree" | "reflog") => 3,
        ("git", _) => 2,
        _ => 1,
    };
    wanted.min(words.len())
}

/// A word that is an option, by itself and letter by letter.
fn forms(word: &str) -> Vec<String> {
    let Some(group) = word.strip_prefix('-').filter(|group| !group.is_empty()) else {
        return Vec::new();
    };
    let mut forms = vec![word.to_owned()];
    let is_group = group.len() > 1 && group.bytes().all(|it| it.is_ascii_alphabetic());
    if is_group {
        forms.extend(group.chars().map(|letter| format!("-{letter}")));
    }
    forms
}

/// The option and those that mean the same. A long one may be abbreviated.
fn synonyms(program: &str, option: &str) -> Vec<String> {
    let mut all = vec![option.to_owned()];
    let known = SYNONYMS.iter().filter(|(name, ..)| *name == program);
    for (_, short, long) in known {
        let is_abbreviated = option.len() >= SHORTEST && is_long(option, long);
        if option == *short || is_abbreviated {
            all.push((*long).to_owned());
        }
        if is_abbreviated && !short.is_empty() {
            all.push((*short).to_owned());
        }
    }
    all
}
