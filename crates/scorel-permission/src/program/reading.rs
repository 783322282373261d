//! Programs that only read.

use super::facts::Facts;
use super::options::{has_short, is_long, operands};
use crate::shell::Word;

/// Read their operands, whatever the options.
const READERS: [&str; 40] = [
    "b2sum",
    "base64",
    "cat",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "df",
    "diff",
    "du",
    "expand",
    "fmt",
    "fold",
    "head",
    "hexdump",
    "join",
    "ls",
    "md5sum",
    "nl",
    "od",
    "paste",
    "pr",
    "readlink",
    "realpath",
    "rev",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shasum",
    "stat",
    "strings",
    "sum",
    "tac",
    "tail",
    "tsort",
    "unexpand",
    "wc",
];

/// Read no operand.
const SILENT: [&str; 27] = [
    ":", "arch", "basename", "break", "continue", "dirname", "echo", "exit", "expr", "false",
    "free", "groups", "id", "locale", "logname", "nproc", "ps", "pwd", "return", "seq", "shift",
    "sleep", "tr", "true", "tty", "uptime", "whoami",
];

/// Programs for which `--version` is recognized as harmless.
const VERSIONED: [&str; 18] = [
    "bash", "cargo", "clang", "cmake", "deno", "gcc", "go", "java", "make", "node", "npm", "perl",
    "pnpm", "python", "python3", "ruby", "rustc", "yarn",
];

/// Read their operands, but some arguments do more.
const MOSTLY_READERS: [&str; 11] = [
    "date", "egrep", "fd", "fdfind", "fgrep", "file", "grep", "rg", "sort", "tree", "uniq",
];

/// Read no operand, but some arguments do more.
const MOSTLY_SILENT: [&str; 11] = [
    "[", "hostname", "printf", "read", "set", "test", "type", "uname", "wait", "whereis", "which",
];

/// Shell options that `set` may change without changing what commands mean.
const SHELL_OPTIONS: [&str; 12] = [
    "-e", "-u", "-x", "-eu", "-ex", "-eux", "-euo", "-euxo", "-o", "pipefail", "+e", "+x",
];

/// Fills in the facts about a program that only reads; returns false for other programs.
pub(super) fn describe(name: &str, args: &[Word], start: usize, facts: &mut Facts) -> bool {
    let reads = READERS.contains(&name) || MOSTLY_READERS.contains(&name);
    let is_silent = SILENT.contains(&name)
        || MOSTLY_SILENT.contains(&name)
        || VERSIONED.contains(&name) && is_version(args);
    if !reads && !is_silent {
        return false;
    }
    if let Some(is_special) = special_argument(name) {
        facts.special_after(start, args, is_special);
    }
    let special = special_operands(name, args);
    facts.special.extend(special.map(|index| start + index));
    facts.is_harmless = !facts.special.iter().any(|index| index + 1 >= start);
    if reads {
        facts.paths = operands(args, patterns(name, args));
    }
    true
}

/// Whether an argument makes a program do more than read.
fn special_argument(name: &str) -> Option<fn(&str) -> bool> {
    Some(match name {
        "date" => |word| has_short(word, "s") || is_long(word, "--set"),
        "fd" | "fdfind" => |word| {
            has_short(word, "xXl")
                || ["--exec", "--exec-batch", "--list-details"]
                    .iter()
                    .any(|option| is_long(word, option))
        },
        "file" => |word| has_short(word, "C") || is_long(word, "--compile"),
        "hostname" => |_| true,
        "printf" | "wait" => |word| word.starts_with("-v") || word.starts_with("-p"),
        "read" => |word| {
            !matches!(word, "-r" | "-d" | "-p" | "") && !crate::shell::is_harmless_in_shell(word)
        },
        "rg" => |word| {
            word.starts_with("--pre") || is_long(word, "--pre") || is_long(word, "--hostname-bin")
        },
        "set" => |word| !SHELL_OPTIONS.contains(&word),
        "sort" => |word| {
            has_short(word, "oT")
                || [
                    "--output",
                    "--compress-program",
                    "--temporary-directory",
                    "--files0-from",
                ]
                .iter()
                .any(|option| is_long(word, option))
        },
        "test" | "[" => |word| matches!(word, "-v" | "-R" | "-o"),
        "tree" => |word| has_short(word, "oR") || word.starts_with("--output"),
        _ => return None,
    })
}

/// Indices of words that make a program do more than read by their position, or could.
fn special_operands(name: &str, args: &[Word]) -> impl Iterator<Item = usize> {
    let is_operand = |word: &Word| !word.is_known() || !word.text.starts_with('-');
    let operands = args.iter().enumerate().filter(|(_, word)| is_operand(word));
    let indices: Vec<usize> = match name {
        // An operand without `+` sets the clock.
        "date" => operands
            .filter(|(_, word)| !word.text.starts_with('+'))
            .map(|(index, _)| index)
            .collect(),
        // The second operand is the output file.
        "uniq" => operands.skip(1).map(|(index, _)| index).collect(),
        "read" | "set" => operands
            .filter(|(_, word)| !word.is_known())
            .map(|(index, _)| index)
            .collect(),
        _ => Vec::new(),
    };
    indices.into_iter()
}

/// How many leading operands are not files.
fn patterns(name: &str, args: &[Word]) -> usize {
    match name {
        "grep" | "egrep" | "fgrep" | "rg" => pattern(args),
        _ => 0,
    }
}

/// How many leading operands of a search are patterns.
fn pattern(args: &[Word]) -> usize {
    let is_elsewhere = |word: &Word| {
        has_short(&word.text, "ef")
            || is_long(&word.text, "--regexp")
            || is_long(&word.text, "--file")
            || word.text.starts_with("--files")
            || word.text.starts_with("--type-list")
    };
    usize::from(!args.iter().any(is_elsewhere))
}

pub(super) fn is_version(args: &[Word]) -> bool {
    matches!(args, [arg] if matches!(arg.known(), Some("--version" | "-V" | "version")))
}
