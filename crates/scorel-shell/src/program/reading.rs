//! Programs that only read.

use super::facts::Facts;
use super::options::CommandLine;
use super::version::is_version;
use super::{language, sed, table};
use crate::variables::has_name_letters;
use crate::word::Word;

/// Programs for which `--version` is recognized as harmless.
const VERSIONED: [&str; 18] = [
    "bash", "cargo", "clang", "cmake", "deno", "gcc", "go", "java", "make", "node", "npm", "perl",
    "pnpm", "python", "python3", "ruby", "rustc", "yarn",
];

/// Shell options that `set` may change without changing what commands mean.
const SHELL_OPTIONS: [&str; 12] = [
    "-e", "-u", "-x", "-eu", "-ex", "-eux", "-euo", "-euxo", "-o", "pipefail", "+e", "+x",
];

/// Fills in the facts about a program that only reads; returns false for other programs.
pub(super) fn describe(name: &str, args: &[Word], start: usize, facts: &mut Facts) -> bool {
    let is_asked = VERSIONED.contains(&name) && is_version(args);
    if is_asked || name == "set" {
        let is_other = |word: &Word| !word.known().is_some_and(|it| SHELL_OPTIONS.contains(&it));
        let others = args
            .iter()
            .enumerate()
            .filter(|(_, word)| !is_asked && is_other(word));
        facts.special.extend(others.map(|(index, _)| start + index));
    } else if let Some(usage) = table::of_reading(name) {
        let line = CommandLine::parse(&usage, args);
        line.record(&usage, args, start, facts);
        match name {
            "[" | "printf" | "read" | "test" | "wait" => {
                let are_names = line.evaluated(args, start, facts).all(is_name);
                if !are_names {
                    let reason = format!("`{name}` evaluates a subscript or an unknown name");
                    facts.obscure = Some(reason);
                }
            }
            "sed" | "gsed" => sed::describe(&line, args, start, facts),
            "awk" | "gawk" | "mawk" | "nawk" => language::awk(&line, args, start, facts),
            "jq" => language::jq(&line, args, start, facts),
            _ => {}
        }
    } else {
        return false;
    }
    facts.is_harmless = !facts.has_special_from(start);
    true
}

/// Returns whether a word is the name of a variable, without a subscript.
fn is_name(word: &Word) -> bool {
    word.known().is_some_and(has_name_letters)
}
