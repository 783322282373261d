//! Wrappers, such as `env` and `xargs`: the program they run is judged in their place.

use super::facts::{Facts, Inner};
use super::options::{CommandLine, GivenOption};
use super::table;
use super::usage::Usage;
use crate::variables::is_harmless_for_programs;
use crate::word::Word;

pub(super) fn is_wrapper(name: &str) -> bool {
    usage(name).is_some() || is_shell(name)
}

fn usage(name: &str) -> Option<Usage> {
    table::usage(name).filter(|usage| usage.before_program().is_some())
}

/// Shells, whose languages are much the same for what is looked for.
fn is_shell(name: &str) -> bool {
    const OTHERS: [&str; 8] = ["ash", "zsh", "ksh", "ksh93", "mksh", "oksh", "yash", "fish"];
    is_plain_shell(name) || OTHERS.contains(&name)
}

/// Shells that read no startup file before a script.
fn is_plain_shell(name: &str) -> bool {
    matches!(name, "sh" | "bash" | "dash")
}

pub(super) fn describe(name: &str, words: &[Word], program: usize, facts: &mut Facts) {
    let args = &words[program + 1..];
    let start = program + 1;
    if is_shell(name) {
        shell(args, start, facts);
        facts.is_transparent &= is_plain_shell(name);
        return;
    }
    if name == "command" && matches!(args.first().and_then(Word::known), Some("-v" | "-V")) {
        facts.is_harmless = true;
        return;
    }
    if matches!(args, [arg] if matches!(arg.known(), Some("--help" | "--version"))) {
        facts.special.push(program);
        facts.is_harmless = true;
        return;
    }
    let Some(usage) = usage(name) else { return };
    let line = CommandLine::parse(&usage, args);
    let text = line.options.iter().find(|it| it.is("split-string"));
    let end = text.map_or(args.len(), |text| text.end);
    let mut unclear = line.unclear.iter().filter(|index| **index < end);
    if unclear.clone().any(|index| args[*index].is_known()) {
        facts.special.extend(program..words.len());
        facts.obscure = Some(format!("the options of `{name}` are not understood"));
        return;
    }
    if unclear.next().is_some() {
        facts.obscure = Some(format!("what `{name}` runs is only known when it runs"));
    }
    let is_renamed = places(name, &line, facts);
    let is_clear = facts.obscure.is_none() && !is_renamed;
    if let Some(text) = text {
        facts.special.extend(program..words.len());
        return split(text, args, is_clear, facts);
    }
    if line.end >= args.len() {
        facts.is_harmless = is_clear && matches!(name, "exec" | "xargs" | "time");
        facts.special.push(program);
        return;
    }
    let mut run = args[line.end..].to_vec();
    if name == "xargs" && !replace_arguments(&line, &mut run) {
        facts.obscure = Some("where `xargs` puts what it reads is not clear".to_owned());
    }
    let assigned = match name {
        "env" | "time" | "sudo" | "doas" => assignments(&mut run),
        _ => 0,
    };
    // An allowing rule for the whole must name every word up to the inner program.
    facts.special.extend(program..=start + line.end + assigned);
    if assigned >= run.len() {
        return;
    }
    runs(run, assigned, is_clear && facts.obscure.is_none(), facts);
}

/// Records the words that a wrapper runs, after `program` assignments. Where it reads a file or enters a directory itself, this is judged too.
fn runs(words: Vec<Word>, program: usize, is_clear: bool, facts: &mut Facts) {
    facts.is_harmless = is_clear && !facts.paths.is_empty();
    facts.is_transparent = is_clear && facts.paths.is_empty();
    facts.runs.push(Inner::Words { words, program });
}

/// Records the places that options name; returns whether the inner program is called by another name,
/// which some programs take for what they shall do, or is the wrapper's own.
fn places(name: &str, line: &CommandLine, facts: &mut Facts) -> bool {
    for option in &line.options {
        match (name, option.value()) {
            ("env", Some(directory)) if option.is("chdir") => {
                if directory.is_known() && facts.runs_in.is_none() {
                    facts.runs_in = Some(directory.text.clone());
                } else {
                    facts.obscure = Some("the directory that it changes to is unknown".to_owned());
                }
                facts.paths.push(directory.clone());
            }
            ("xargs", Some(file)) if option.is("arg-file") => facts.paths.push(file.clone()),
            _ => {}
        }
    }
    match name {
        "exec" => line.has("a"),
        "busybox" | "toybox" => true,
        _ => false,
    }
}

/// `env -S`: what it runs is an `env` again, with the words of the text before the rest.
fn split(option: &GivenOption, args: &[Word], is_clear: bool, facts: &mut Facts) {
    let is_plain = |text: &&str| !text.contains(['\\', '$', '\'', '"', '#']);
    let Some(text) = option.value().and_then(Word::known).filter(is_plain) else {
        facts.obscure = Some("the text that `env` splits is not understood".to_owned());
        return;
    };
    let words = std::iter::once("env").chain(text.split_ascii_whitespace());
    let rest = args.get(option.end..).unwrap_or_default();
    let words = words.map(Word::literal).chain(rest.iter().cloned());
    runs(words.collect(), 0, is_clear, facts);
}

/// Removes harmless assignments; returns how many others there are.
fn assignments(run: &mut Vec<Word>) -> usize {
    let is_assignment = |word: &Word| {
        word.text.contains('=') && !word.text.starts_with(['-', '/', '.']) && !word.may_split
    };
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

/// The replacement strings of `xargs` that are looked for. Of several one counts, and the user is asked.
const MOST_MARKS: usize = 8;

/// Adds the unknown words that `xargs` reads, in place of its replacement string or at the end. Returns
/// whether it is certain where: of several options about that the last one counts, not always alone.
fn replace_arguments(line: &CommandLine, run: &mut Vec<Word>) -> bool {
    let mut marks = Vec::new();
    let mut others = 0;
    for option in &line.options {
        if option.is("I") || option.is("replace") {
            // An unknown mark is in every word.
            let mark = option.value().map(|it| it.known().unwrap_or_default());
            marks.push(mark.unwrap_or("{}"));
        }
        let is_number = |name: &&str| option.is(name);
        others += usize::from(["max-args", "L", "max-lines"].iter().any(is_number));
    }
    for word in run.iter_mut() {
        let places = marks
            .iter()
            .take(MOST_MARKS)
            .filter_map(|mark| word.text.find(mark));
        if let Some(position) = places.min() {
            *word = word.replaced_from(position);
        }
    }
    let is_clear = marks.len() + others <= 1;
    if marks.is_empty() || !is_clear {
        run.push(Word::unknown(""));
    }
    is_clear
}

/// A shell: `sh -c SCRIPT`, `sh FILE`, or one that reads its standard input.
fn shell(args: &[Word], start: usize, facts: &mut Facts) {
    facts.special.push(start - 1);
    if super::version::is_version(args) {
        facts.is_harmless = true;
        return;
    }
    let options = ShellOptions::parse(args);
    let operand = args.get(options.length);
    let special = args.len().min(options.length + 1);
    facts.special.extend(start..start + special);
    if !options.is_understood {
        facts.is_exact = true;
        facts.obscure = Some("the options of the shell are not understood".to_owned());
    } else if options.has_script {
        match operand.and_then(Word::known) {
            Some(script) => {
                facts.is_transparent = options.is_plain;
                facts.runs.push(Inner::Script(script.to_owned()));
            }
            None => facts.obscure = Some("the text that the shell runs is not known".to_owned()),
        }
    } else if operand.is_some() && !options.reads_input {
        // A script file.
        facts.paths = super::names::operands(&args[options.length..]);
    } else {
        facts.is_exact = true;
        facts.obscure = Some("what the shell reads and runs is not known".to_owned());
    }
}

#[derive(Debug)]
struct ShellOptions {
    /// The number of their words.
    length: usize,
    /// True if the first operand is a script, as with `-c`.
    has_script: bool,
    /// True if it reads its standard input although there are operands.
    reads_input: bool,
    /// True if it does nothing but run the script: it reads no files of its own before, and no option
    /// changes what the script means.
    is_plain: bool,
    is_understood: bool,
}

impl ShellOptions {
    fn parse(args: &[Word]) -> Self {
        let mut options = Self {
            length: 0,
            has_script: false,
            reads_input: false,
            is_plain: true,
            is_understood: true,
        };
        while let Some(word) = args.get(options.length) {
            let Some(text) = word.known() else {
                options.is_understood = !word.may_be_option();
                break;
            };
            if matches!(text, "-" | "--") {
                options.length += 1;
                break;
            }
            if !text.starts_with(['-', '+']) || text == "+" {
                break;
            }
            options.length += 1;
            let values = options.add(text);
            for value in args.iter().skip(options.length).take(values) {
                options.is_understood &= value.is_known();
                options.is_plain &= SHELL_OPTIONS.contains(&value.text.as_str());
            }
            options.length += values;
            if !options.is_understood {
                break;
            }
        }
        options
    }

    /// Adds an option or a group of them; returns how many values follow it.
    fn add(&mut self, text: &str) -> usize {
        if let Some(long) = text.strip_prefix("--") {
            self.is_plain = false;
            self.is_understood = LONG_SHELL_OPTIONS.contains(&long);
            return usize::from(matches!(long, "init-file" | "rcfile"));
        }
        let group = &text[1..];
        let is_on = text.starts_with('-');
        self.is_understood = group.bytes().all(|letter| letter.is_ascii_alphabetic());
        self.is_plain &= is_on && group.bytes().all(|letter| b"ceuxo".contains(&letter));
        self.has_script |= is_on && group.contains('c');
        self.reads_input |= is_on && group.contains('s');
        group.matches(['o', 'O']).count()
    }
}

/// Settings of `-o` that do not change what a script does.
const SHELL_OPTIONS: [&str; 4] = ["errexit", "nounset", "pipefail", "xtrace"];

const LONG_SHELL_OPTIONS: [&str; 9] = [
    "init-file",
    "login",
    "noediting",
    "noprofile",
    "norc",
    "posix",
    "rcfile",
    "restricted",
    "verbose",
];
