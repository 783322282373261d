//! Interpreters: their arguments are programs.

use super::facts::Facts;
use super::options::operands;
use crate::shell::{Word, WordKind};

const INTERPRETERS: [&str; 32] = [
    "bun",
    "csh",
    "dart",
    "deno",
    "elixir",
    "elvish",
    "erl",
    "fish",
    "gcl",
    "ghci",
    "groovy",
    "guile",
    "irb",
    "iex",
    "java",
    "js",
    "julia",
    "ksh",
    "lua",
    "luajit",
    "mksh",
    "node",
    "nodejs",
    "nu",
    "osascript",
    "perl",
    "php",
    "pwsh",
    "python",
    "ruby",
    "tclsh",
    "zsh",
];

/// Whether a program interprets a script or file given to it.
pub(super) fn is_interpreter(name: &str) -> bool {
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    INTERPRETERS.contains(&plain)
        || matches!(
            name,
            "Rscript" | "R" | "pypy" | "pypy3" | "tcsh" | "xonsh" | "wish" | "expect"
        )
}

pub(super) fn interpreter(args: &[Word], start: usize, facts: &mut Facts) {
    if super::reading::is_version(args) {
        facts.is_harmless = true;
        return;
    }
    // Without a file or module it interprets its standard input.
    let has_program = args
        .iter()
        .any(|word| !matches!(word.known(), Some(text) if text.starts_with('-')));
    facts.is_exact = !has_program || args.iter().any(|word| word.text == "-");
    facts.interprets_input = facts.is_exact;
    for (index, word) in args.iter().enumerate() {
        let is_option =
            word.may_be_option() || word.kind == WordKind::Literal && word.text.starts_with('-');
        // The words after the file are the script's arguments.
        if !is_option {
            break;
        }
        facts.special.push(start + index);
    }
    facts.paths = operands(args, 0);
}

/// `awk`: harmless if the program only prints.
pub(super) fn awk(args: &[Word], start: usize, facts: &mut Facts) {
    let mut program = None;
    let mut is_value = false;
    for (index, word) in args.iter().enumerate() {
        if is_value {
            is_value = false;
            if !word.is_known() {
                facts.special.push(start + index);
            }
        } else if matches!(word.known(), Some("-F" | "-v")) {
            is_value = true;
        } else if word.is_known() && word.text.starts_with("-F") {
        } else if word.text.starts_with('-') || !word.is_known() {
            facts.special.push(start + index);
            break;
        } else {
            program = Some(index);
            break;
        }
    }
    if let Some(index) = program {
        if !only_prints(&args[index].text) {
            facts.special.push(start + index);
        }
        facts.paths = operands(&args[index + 1..], 0);
    } else {
        facts.special.push(start - 1);
    }
    facts.is_harmless = !facts.special.iter().any(|index| index + 1 >= start);
}

/// Whether an awk program runs no command and opens no file.
fn only_prints(program: &str) -> bool {
    let program = program.replace("||", " ");
    !["system", "getline", "|", ">", "@", "ARGV", "ARGC"]
        .iter()
        .any(|word| program.contains(word))
}

/// Options of `jq` without a value. `--args` and `--jsonargs` only make the operands values.
const JQ_FLAGS: [&str; 23] = [
    "--args",
    "--ascii-output",
    "--color-output",
    "--compact-output",
    "--exit-status",
    "--help",
    "--join-output",
    "--jsonargs",
    "--monochrome-output",
    "--null-input",
    "--raw-input",
    "--raw-output",
    "--raw-output0",
    "--seq",
    "--slurp",
    "--sort-keys",
    "--stream",
    "--stream-errors",
    "--tab",
    "--unbuffered",
    "--version",
    "-V",
    "-h",
];

/// What opens modules in a program of `jq`, wherever they are.
const JQ_MODULES: [&str; 3] = ["import", "include", "modulemeta"];

/// `jq`: harmless if its program is known and opens no modules.
pub(super) fn jq(args: &[Word], start: usize, facts: &mut Facts) {
    let mut program = None;
    let mut index = 0;
    while let Some(word) = args.get(index) {
        let values = match word.known().and_then(|text| text.strip_prefix('-')) {
            None => {
                if word.may_be_option() {
                    facts.special.push(start + index);
                }
                if program.is_some() || word.may_split {
                    facts.paths.push(word.clone());
                }
                program = program.or(Some(index));
                0
            }
            Some("-arg" | "-argjson") => 2,
            Some("-slurpfile" | "-rawfile") => {
                facts.paths.extend(args.get(index + 2).cloned());
                2
            }
            Some("-indent") => 1,
            Some(letters)
                if letters
                    .bytes()
                    .all(|letter| b"CMSacejnrs".contains(&letter)) =>
            {
                0
            }
            Some(_) if JQ_FLAGS.contains(&word.text.as_str()) => 0,
            // A program in a file, a place of modules, or not known. What it names may be a file.
            Some(_) => {
                facts.special.push(start + index);
                facts.paths.extend(operands(&args[index..], 0));
                break;
            }
        };
        // More words than one would move what follows.
        let unclear = (index + 1..=index + values)
            .filter(|value| args.get(*value).is_some_and(|word| word.may_split));
        facts.special.extend(unclear.map(|value| start + value));
        index += values + 1;
    }
    if let Some(index) = program {
        let is_plain = |text: &str| !JQ_MODULES.iter().any(|name| text.contains(name));
        if !args[index].known().is_some_and(is_plain) {
            facts.special.push(start + index);
        }
    }
    facts.is_harmless = !facts.special.iter().any(|index| index + 1 >= start);
}
