//! Wrappers, such as `env` and `xargs`: the program they run is judged in their place.

use super::facts::{Facts, Inner};
use crate::shell::{Word, is_harmless_for_programs};

/// How the words before the inner program are parsed.
struct Grammar {
    /// Options without a value.
    flags: &'static [&'static str],
    /// Options with a value, in the same word or the next one.
    valued: &'static [&'static str],
    /// Options with a value that may be left out, and stands in the same word.
    optional: &'static [&'static str],
    /// Whether a number may be an option, as in `nice -5`.
    has_numbers: bool,
    /// How many operands precede the program.
    operands: usize,
    /// Whether assignments may precede the program.
    has_assignments: bool,
}

const PLAIN: Grammar = Grammar {
    flags: &[],
    valued: &[],
    optional: &[],
    has_numbers: false,
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
            valued: &["-a"],
            ..PLAIN
        },
        "env" => Grammar {
            flags: &[
                "-i",
                "-",
                "--ignore-environment",
                "-0",
                "--null",
                "-v",
                "--debug",
            ],
            valued: &["-u", "--unset", "-C", "--chdir", "-S", "--split-string"],
            has_assignments: true,
            ..PLAIN
        },
        "time" => Grammar {
            flags: &["-p", "--portability", "-v", "--verbose", "-q", "--quiet"],
            valued: &["-f", "--format"],
            has_assignments: true,
            ..PLAIN
        },
        "nice" => Grammar {
            valued: &["-n", "--adjustment"],
            has_numbers: true,
            ..PLAIN
        },
        "timeout" => Grammar {
            flags: &["--preserve-status", "--foreground", "-v", "--verbose"],
            valued: &["-k", "-s", "--kill-after", "--signal"],
            operands: 1,
            ..PLAIN
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
            ],
            valued: &[
                "-a",
                "-n",
                "-P",
                "-L",
                "-I",
                "-d",
                "-E",
                "-s",
                "--arg-file",
                "--max-args",
                "--max-procs",
                "--delimiter",
                "--max-chars",
            ],
            optional: &["-e", "-i", "-l", "--eof", "--max-lines", "--replace"],
            ..PLAIN
        },
        "sudo" | "doas" => Grammar {
            flags: &["-n", "-E", "-H", "-k", "-S"],
            valued: &["-u", "-g"],
            has_assignments: true,
            ..PLAIN
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
    if matches!(args, [arg] if matches!(arg.known(), Some("--help" | "--version"))) {
        facts.special.push(program);
        facts.is_harmless = true;
        return;
    }
    let head = grammar(name).and_then(|grammar| Some((Head::parse(args, &grammar)?, grammar)));
    let Some((head, grammar)) = head else {
        facts.special.extend(program..words.len());
        facts.obscure = Some(format!("the options of `{name}` are not understood"));
        return;
    };
    if head.is_unsure {
        facts.obscure = Some(format!("what `{name}` runs is only known when it runs"));
    }
    let is_renamed = places(name, &head, facts);
    let is_clear = facts.obscure.is_none() && !is_renamed;
    if let Some(text) = head.text_to_split() {
        facts.special.extend(program..words.len());
        return split(text, &args[head.program..], is_clear, facts);
    }
    if head.program >= args.len() {
        facts.is_harmless = is_clear && matches!(name, "exec" | "xargs" | "time");
        facts.special.push(program);
        return;
    }
    let mut run = args[head.program..].to_vec();
    if name == "xargs" && !replace_arguments(&head, &mut run) {
        facts.obscure = Some("where `xargs` puts what it reads is not clear".to_owned());
    }
    let assigned = if grammar.has_assignments {
        assignments(&mut run)
    } else {
        0
    };
    // An allowing rule for the whole must name every word up to the inner program.
    facts
        .special
        .extend(program..=start + head.program + assigned);
    if assigned >= run.len() {
        return;
    }
    runs(
        Inner::Words {
            words: run,
            program: assigned,
        },
        is_clear && facts.obscure.is_none(),
        facts,
    );
}

/// Records what a wrapper runs. Where it reads a file or enters a directory itself, this is judged too.
fn runs(inner: Inner, is_clear: bool, facts: &mut Facts) {
    facts.is_harmless = is_clear && !facts.paths.is_empty();
    facts.is_transparent = is_clear && facts.paths.is_empty();
    facts.runs.push(inner);
}

/// Records the places that options name; returns whether the inner program is called by another name,
/// which some programs take for what they shall do.
fn places(name: &str, head: &Head, facts: &mut Facts) -> bool {
    let mut is_renamed = false;
    for (option, value) in &head.options {
        match (name, option.as_str(), value) {
            ("env", "-C" | "--chdir", Some(directory)) => {
                if directory.is_known() && facts.runs_in.is_none() {
                    facts.runs_in = Some(directory.text.clone());
                } else {
                    facts.obscure = Some("the directory that it changes to is unknown".to_owned());
                }
                facts.paths.push(directory.clone());
            }
            ("xargs", "-a" | "--arg-file", Some(file)) => facts.paths.push(file.clone()),
            ("exec", "-a", _) => is_renamed = true,
            _ => {}
        }
    }
    is_renamed
}

/// `env -S`: what it runs is an `env` again, with the words of the text before the rest.
fn split(text: &Word, rest: &[Word], is_clear: bool, facts: &mut Facts) {
    let is_plain = |text: &&str| !text.contains(['\\', '$', '\'', '"', '#']);
    let Some(text) = text.known().filter(is_plain) else {
        facts.obscure = Some("the text that `env` splits is not understood".to_owned());
        return;
    };
    let words = std::iter::once("env").chain(text.split_ascii_whitespace());
    let words = words.map(Word::literal).chain(rest.iter().cloned());
    runs(
        Inner::Words {
            words: words.collect(),
            program: 0,
        },
        is_clear,
        facts,
    );
}

/// The words before the inner program.
#[derive(Debug, Default)]
struct Head {
    /// The index of the inner program.
    program: usize,
    options: Vec<(String, Option<Word>)>,
    /// Whether the inner program may be another word, since one before it may be none or several.
    is_unsure: bool,
}

impl Head {
    /// `None` if the words are not understood.
    fn parse(args: &[Word], grammar: &Grammar) -> Option<Self> {
        let mut head = Self::default();
        let mut operands = grammar.operands;
        let mut may_be_option = true;
        while let Some(word) = args.get(head.program) {
            let option = word
                .known()
                .filter(|text| may_be_option && text.starts_with('-'));
            match option {
                Some("--") => may_be_option = false,
                Some(option) => head.option(option, args, grammar)?,
                None if operands > 0 => {
                    head.is_unsure |= !word.is_known() && (may_be_option || word.may_split);
                    operands -= 1;
                    may_be_option = false;
                }
                None => break,
            }
            head.program += 1;
            if head.text_to_split().is_some() {
                break;
            }
        }
        Some(head)
    }

    /// The value of `env -S`, behind which the words have another meaning.
    fn text_to_split(&self) -> Option<&Word> {
        let (option, value) = self.options.last()?;
        value
            .as_ref()
            .filter(|_| matches!(option.as_str(), "-S" | "--split-string"))
    }

    fn option(&mut self, option: &str, args: &[Word], grammar: &Grammar) -> Option<()> {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
        let number = option[1..].trim_start_matches(['-', '+']);
        if grammar.flags.contains(&option) || grammar.has_numbers && is_number(number) {
            self.options.push((option.to_owned(), None));
            return Some(());
        }
        if option.starts_with("--") {
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (option, None),
            };
            return self.with_value(name, value, args, grammar);
        }
        let letters = option.char_indices().skip(1);
        let mut has_letters = false;
        for (index, letter) in letters {
            has_letters = true;
            let name = format!("-{letter}");
            if grammar.flags.contains(&name.as_str()) {
                self.options.push((name, None));
                continue;
            }
            let rest = &option[index + letter.len_utf8()..];
            let value = (!rest.is_empty()).then_some(rest);
            return self.with_value(&name, value, args, grammar);
        }
        has_letters.then_some(())
    }

    /// An option that has a value, here or in the next word; `None` if it is not known.
    fn with_value(
        &mut self,
        name: &str,
        value: Option<&str>,
        args: &[Word],
        grammar: &Grammar,
    ) -> Option<()> {
        let mut value = value.map(Word::literal);
        if grammar.valued.contains(&name) {
            if value.is_none() {
                self.program += 1;
                let next = args.get(self.program)?;
                self.is_unsure |= next.may_split || !next.is_known() && !next.is_one;
                value = Some(next.clone());
            }
        } else if !grammar.optional.contains(&name) {
            return None;
        }
        self.options.push((name.to_owned(), value));
        Some(())
    }
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

/// Adds the unknown words that `xargs` reads, in place of its replacement string or at the end. Returns
/// whether it is certain where: of several options about that the last one counts, not always alone.
fn replace_arguments(head: &Head, run: &mut Vec<Word>) -> bool {
    let mut marks = Vec::new();
    let mut others = 0;
    for (option, value) in &head.options {
        match option.as_str() {
            "-I" | "-i" | "--replace" => marks.push(value.as_ref().map_or("{}", |mark| {
                // An unknown mark is in every word.
                mark.known().unwrap_or_default()
            })),
            "-n" | "-L" | "-l" | "--max-args" | "--max-lines" => others += 1,
            _ => {}
        }
    }
    for word in run.iter_mut() {
        let places = marks.iter().filter_map(|mark| word.text.find(mark));
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
    if super::reading::is_version(args) {
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
        facts.paths = super::options::operands(&args[options.length..], 0);
    } else {
        facts.is_exact = true;
        facts.obscure = Some("what the shell reads and runs is not known".to_owned());
    }
}

/// The options of a shell.
#[derive(Debug)]
struct ShellOptions {
    /// How many words they are.
    length: usize,
    /// Whether the first operand is a script, as with `-c`.
    has_script: bool,
    /// Whether it reads its standard input although there are operands.
    reads_input: bool,
    /// Whether it does nothing but run the script: it reads no files of its own before, and no option
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

/// What `-o` may set without changing what a script does.
const SHELL_OPTIONS: [&str; 4] = ["errexit", "nounset", "pipefail", "xtrace"];

/// Long options of shells.
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
