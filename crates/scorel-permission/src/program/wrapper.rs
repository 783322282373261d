//! Wrappers, such as `env` and `xargs`: the program they run is judged in their place.

use super::facts::{Facts, Inner};
use crate::shell::{Word, is_harmless_for_programs};

/// How the words before the inner program are parsed.
struct Grammar {
    /// Options without a value.
    flags: &'static [&'static str],
    /// Options with a value, in the same word or the next one.
    valued: &'static [&'static str],
    /// How many operands precede the program.
    operands: usize,
    /// Whether assignments may precede the program.
    has_assignments: bool,
}

const PLAIN: Grammar = Grammar {
    flags: &[],
    valued: &[],
    operands: 0,
    has_assignments: false,
};

pub(super) fn is_wrapper(name: &str) -> bool {
    grammar(name).is_some() || is_shell(name)
}

fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "bash" | "dash")
}

fn grammar(name: &str) -> Option<Grammar> {
    Some(match name {
        "builtin" | "nohup" => PLAIN,
        "command" => Grammar {
            flags: &["-p"],
            ..PLAIN
        },
        "exec" => Grammar {
            flags: &["-c", "-l"],
            ..PLAIN
        },
        "env" => Grammar {
            flags: &["-i", "-", "--ignore-environment", "-0", "--null"],
            valued: &["-u", "--unset"],
            operands: 0,
            has_assignments: true,
        },
        "time" => Grammar {
            flags: &["-p"],
            has_assignments: true,
            ..PLAIN
        },
        "nice" => Grammar {
            valued: &["-n", "--adjustment"],
            ..PLAIN
        },
        "timeout" => Grammar {
            flags: &["--preserve-status", "--foreground", "-v", "--verbose"],
            valued: &["-k", "-s", "--kill-after", "--signal"],
            operands: 1,
            has_assignments: false,
        },
        "stdbuf" => Grammar {
            valued: &["-i", "-o", "-e", "--input", "--output", "--error"],
            ..PLAIN
        },
        "xargs" => Grammar {
            flags: &[
                "-0",
                "-r",
                "-t",
                "-x",
                "--null",
                "--no-run-if-empty",
                "--verbose",
                "--exit",
                "-0r",
                "-r0",
            ],
            valued: &[
                "-n",
                "-P",
                "-L",
                "-I",
                "-d",
                "-E",
                "-s",
                "--max-args",
                "--max-procs",
                "--max-lines",
                "--delimiter",
                "--max-chars",
            ],
            ..PLAIN
        },
        "sudo" | "doas" => Grammar {
            flags: &["-n", "-E", "-H", "-k", "-S"],
            valued: &["-u", "-g"],
            operands: 0,
            has_assignments: true,
        },
        _ => return None,
    })
}

pub(super) fn describe(name: &str, words: &[Word], program: usize, facts: &mut Facts) {
    let args = &words[program + 1..];
    let start = program + 1;
    if is_shell(name) {
        return shell(args, start, facts);
    }
    if name == "command" && matches!(args.first().and_then(Word::known), Some("-v" | "-V")) {
        facts.is_harmless = true;
        return;
    }
    let inner =
        grammar(name).and_then(|grammar| inner(args, &grammar).map(|inner| (inner, grammar)));
    let Some((inner, grammar)) = inner else {
        facts.special.extend(program..words.len());
        return;
    };
    if inner >= args.len() {
        facts.is_harmless = matches!(name, "exec" | "xargs" | "time");
        facts.special.push(program);
        return;
    }
    let mut run = args[inner..].to_vec();
    if name == "xargs" {
        replace_arguments(&args[..inner], &mut run);
    }
    let assigned = if grammar.has_assignments {
        assignments(&mut run)
    } else {
        0
    };
    // An allowing rule for the whole must name every word up to the inner program.
    facts.special.extend(program..=start + inner + assigned);
    if assigned >= run.len() {
        return;
    }
    facts.is_transparent = true;
    facts.runs.push(Inner::Words {
        words: run,
        program: assigned,
    });
}

/// The index of the inner program; `None` if the words before it are not understood.
fn inner(args: &[Word], grammar: &Grammar) -> Option<usize> {
    let mut index = 0;
    let mut operands = grammar.operands;
    let mut may_be_option = true;
    while let Some(word) = args.get(index) {
        let is_option = may_be_option && word.text.starts_with('-') && word.is_known();
        if is_option && word.text == "--" {
            may_be_option = false;
        } else if is_option && grammar.valued.contains(&word.text.as_str()) {
            index += 1;
            args.get(index)?.known()?;
        } else if is_option {
            let has_value = grammar.valued.iter().any(|option| {
                word.text
                    .strip_prefix(option)
                    .is_some_and(|value| !option.starts_with("--") || value.starts_with('='))
            });
            if !has_value && !grammar.flags.contains(&word.text.as_str()) {
                return None;
            }
        } else if operands > 0 {
            word.known()?;
            operands -= 1;
            may_be_option = false;
        } else {
            return Some(index);
        }
        index += 1;
    }
    Some(index)
}

/// Removes harmless assignments; returns how many others there are.
fn assignments(run: &mut Vec<Word>) -> usize {
    let is_assignment =
        |word: &Word| word.text.contains('=') && !word.text.starts_with(['-', '/', '.']);
    let count = run.iter().take_while(|word| is_assignment(word)).count();
    let program = run.split_off(count);
    run.retain(|word| {
        let name = word.text.split('=').next().unwrap_or_default();
        !is_harmless_for_programs(name)
    });
    let kept = run.len();
    run.extend(program);
    kept
}

/// Adds the unknown words that `xargs` reads, in place of its replacement string or at the end.
fn replace_arguments(options: &[Word], run: &mut Vec<Word>) {
    let mark = options.iter().enumerate().find_map(|(index, option)| {
        let value = option.text.strip_prefix("-I")?;
        if value.is_empty() {
            options.get(index + 1).map(|word| word.text.clone())
        } else {
            Some(value.to_owned())
        }
    });
    match mark {
        None => run.push(Word::unknown("")),
        Some(mark) => {
            for word in run.iter_mut() {
                if let Some(position) = word.text.find(&mark) {
                    *word = Word::unknown(&word.text[..position]);
                }
            }
        }
    }
}

/// A shell: `sh -c SCRIPT`, `sh FILE`, or one that reads its standard input.
fn shell(args: &[Word], start: usize, facts: &mut Facts) {
    facts.special.push(start - 1);
    if super::reading::is_version(args) {
        facts.is_harmless = true;
        return;
    }
    for (index, word) in args.iter().enumerate() {
        let Some(text) = word.known() else {
            facts.special.push(start + index);
            return;
        };
        let Some(group) = text.strip_prefix('-') else {
            // A script file.
            facts.special.push(start + index);
            facts.paths = super::options::operands(&args[index..], 0);
            return;
        };
        facts.special.push(start + index);
        if group.is_empty() || !group.bytes().all(|byte| b"ceux".contains(&byte)) {
            facts.is_exact = true;
            return;
        } else if group.contains('c') {
            match args.get(index + 1).and_then(Word::known) {
                Some(script) if !script.starts_with(['-', '+']) => {
                    facts.is_transparent = true;
                    facts.runs.push(Inner::Script(script.to_owned()));
                }
                _ => facts.obscure = Some("the text that the shell runs is not known".to_owned()),
            }
            return;
        }
    }
    facts.is_exact = true;
}
