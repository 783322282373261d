//! Interpreters: their arguments are programs.

use super::facts::Facts;
use super::names::operands;
use super::options::CommandLine;
use super::table;
use crate::name_table::lists;
use crate::word::Word;

/// Programs that run the file or the text that they are given, and their standard input without one. Versions
/// may follow the name, as in `python3.12`.
const INTERPRETERS: [&str; 4] = [
    // Languages in which projects have scripts, with an option for a program in the command line.
    "bun dart deno elixir erl groovy java js julia lua luajit node nodejs perl php python ruby tclsh",
    // Lisps, and prompts that load a file before they ask.
    "gcl ghci guile iex irb",
    // Shells whose grammar differs too much from the one that is parsed.
    "csh elvish nu pwsh",
    // It scripts other applications, which are in no sandbox.
    "osascript",
];

/// Returns whether a program interprets a script or file given to it.
pub(super) fn is_interpreter(name: &str) -> bool {
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    lists(&INTERPRETERS, plain)
        || matches!(
            name,
            "Rscript" | "R" | "pypy" | "pypy3" | "tcsh" | "xonsh" | "wish" | "expect"
        )
}

pub(super) fn interpreter(args: &[Word], start: usize, facts: &mut Facts) {
    if super::version::is_version(args) {
        facts.is_harmless = true;
        return;
    }
    // Without a file or module it interprets its standard input.
    let has_program = args
        .iter()
        .any(|word| !matches!(word.known(), Some(text) if text.starts_with('-')));
    facts.is_exact = !has_program || args.iter().any(|word| word.text == "-");
    facts.interprets_input = facts.is_exact;
    // The words after the file are the script's arguments.
    let options = args.iter().take_while(|word| word.may_be_option()).count();
    facts.special.extend(start..start + options);
    facts.paths = operands(args);
}

/// `python -m twine upload` as `twine upload`.
pub(super) fn module(name: &str, args: &[Word]) -> Option<Vec<Word>> {
    let name = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let line = CommandLine::parse(&table::usage(name).filter(|_| name == "python")?, args);
    let option = line.options.iter().find(|option| option.is("m"))?;
    let module = option.value().into_iter().chain(args.get(option.end..)?);
    Some(module.cloned().collect())
}

/// `awk`: harmless if the program only prints.
pub(super) fn awk(line: &CommandLine, args: &[Word], start: usize, facts: &mut Facts) {
    match line.operands.first().filter(|_| !line.gives_first()) {
        Some(index) if args[*index].known().is_some_and(only_prints) => {}
        Some(index) => facts.special.push(start + index),
        None => facts.special.push(start - 1),
    }
}

/// Returns whether an awk program runs no command and opens no file.
fn only_prints(program: &str) -> bool {
    let program = program.replace("||", " ");
    !["system", "getline", "|", ">", "@", "ARGV", "ARGC"]
        .iter()
        .any(|word| program.contains(word))
}

/// Words that open modules in a program of `jq`, wherever they are.
const JQ_MODULES: [&str; 3] = ["import", "include", "modulemeta"];

/// `jq`: harmless if its program is known and opens no modules.
pub(super) fn jq(line: &CommandLine, args: &[Word], start: usize, facts: &mut Facts) {
    let is_plain = |text: &str| !JQ_MODULES.iter().any(|name| text.contains(name));
    if let Some(index) = line.operands.first()
        && !args[*index].known().is_some_and(is_plain)
    {
        facts.special.push(start + index);
    }
}
