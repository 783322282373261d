//! Programs that only read.

use super::{Facts, has_short, is_long, operands};
use crate::shell::Word;

/// They read the files that they are given, whatever the options are.
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

/// They read no file that they are given.
const SILENT: [&str; 26] = [
    ":", "arch", "basename", "break", "continue", "dirname", "echo", "exit", "expr", "false",
    "free", "groups", "id", "locale", "logname", "nproc", "ps", "pwd", "return", "seq", "shift",
    "sleep", "tr", "true", "tty", "uptime",
];

/// Programs that say their version.
const VERSIONED: [&str; 18] = [
    "bash", "cargo", "clang", "cmake", "deno", "gcc", "go", "java", "make", "node", "npm", "perl",
    "pnpm", "python", "python3", "ruby", "rustc", "yarn",
];

/// Notes what is known about a program that only reads; false if it is not one of them.
pub(super) fn describe(name: &str, args: &[Word], start: usize, facts: &mut Facts) -> bool {
    let mut skipped = 0;
    let mut reads = true;
    match name {
        _ if READERS.contains(&name) => {}
        _ if SILENT.contains(&name) => reads = false,
        "type" | "which" | "whoami" | "uname" | "hostname" | "whereis" => {
            reads = false;
            if name == "hostname" {
                facts.special_after(start, args, |_| true);
            }
        }
        "wait" => {
            reads = false;
            facts.special_after(start, args, |word| word.starts_with('-'));
        }
        "test" | "[" => {
            reads = false;
            facts.special_after(start, args, |word| matches!(word, "-v" | "-R" | "-o"));
        }
        "printf" => {
            reads = false;
            facts.special_after(start, args.get(..1).unwrap_or_default(), |word| {
                word.starts_with("-v")
            });
        }
        "date" => {
            facts.special_after(start, args, |word| {
                has_short(word, "s") || is_long(word, "--set")
            });
            let is_setting = |word: &Word| !word.text.starts_with(['-', '+']);
            facts.special.extend(
                (0..args.len())
                    .filter(|index| is_setting(&args[*index]))
                    .map(|index| start + index),
            );
        }
        "file" => facts.special_after(start, args, |word| {
            has_short(word, "C") || is_long(word, "--compile")
        }),
        "grep" | "egrep" | "fgrep" => skipped = pattern(args),
        "rg" => {
            skipped = pattern(args);
            facts.special_after(start, args, |word| {
                // `--pre` is also the whole name of an option.
                word.starts_with("--pre")
                    || is_long(word, "--pre")
                    || is_long(word, "--hostname-bin")
            });
        }
        "sort" => facts.special_after(start, args, |word| {
            has_short(word, "oT")
                || is_long(word, "--output")
                || is_long(word, "--compress-program")
                || is_long(word, "--temporary-directory")
                || is_long(word, "--files0-from")
        }),
        "uniq" => {
            // The second operand is written.
            let mut files = args
                .iter()
                .enumerate()
                .filter(|(_, word)| !word.text.starts_with('-') || !word.is_known());
            facts
                .special
                .extend(files.by_ref().skip(1).map(|(index, _)| start + index));
        }
        "tree" => facts.special_after(start, args, |word| {
            has_short(word, "oR") || word.starts_with("--output")
        }),
        "fd" | "fdfind" => facts.special_after(start, args, |word| {
            has_short(word, "xXl")
                || is_long(word, "--exec")
                || is_long(word, "--exec-batch")
                || is_long(word, "--list-details")
        }),
        "jq" => {
            skipped = usize::from(
                !args
                    .iter()
                    .any(|word| has_short(&word.text, "f") || is_long(&word.text, "--from-file")),
            );
        }
        "set" => {
            reads = false;
            facts.special_after(start, args, |word| {
                !matches!(
                    word,
                    "-e" | "-u"
                        | "-x"
                        | "-eu"
                        | "-ex"
                        | "-eux"
                        | "-euo"
                        | "-euxo"
                        | "-o"
                        | "pipefail"
                        | "+e"
                        | "+x"
                )
            });
            if args.is_empty() || args.iter().any(|word| !word.is_known()) {
                facts.special.push(start - 1);
            }
        }
        "read" => {
            reads = false;
            facts.special_after(start, args, |word| {
                !matches!(word, "-r" | "-d" | "-p" | "")
                    && !crate::shell::is_harmless_in_shell(word)
            });
            if args.iter().any(|word| !word.is_known()) {
                facts.special.push(start - 1);
            }
        }
        _ if VERSIONED.contains(&name) && is_version(args) => reads = false,
        _ => return false,
    }
    facts.is_harmless = !facts.has_special_beyond(start);
    if reads {
        facts.paths = operands(args, skipped)
            .into_iter()
            .filter(|word| !word.is_known() || !word.text.bytes().all(|byte| byte.is_ascii_digit()))
            .collect();
    }
    true
}

/// How many of a searching program's operands are patterns.
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

impl Facts {
    /// Whether an argument or the program itself is special; assignments before it aside.
    fn has_special_beyond(&self, start: usize) -> bool {
        self.special.iter().any(|index| index + 1 >= start)
    }
}
