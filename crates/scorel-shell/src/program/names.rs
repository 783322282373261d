//! Programs judged by name.

use super::facts::Facts;
use super::named::option_value;
use super::options::CommandLine;
use super::table;
use crate::name_table::lists;
use crate::word::Word;

/// Builtins of the shell after which the text of a command no longer says what runs.
const OBSCURE: [&str; 6] = [
    // They run a text or a file as commands.
    ". source eval fc trap coproc",
    // `alias ls=rm` and `hash -p ./evil ls` give a judged name to another program.
    "alias unalias hash enable",
    // They change how the shell reads what follows, or have it run commands for a key or a completion.
    "shopt bind complete compgen",
    // `let 'a[$(…)]'` evaluates the subscript, and `mapfile -C` calls back.
    "let mapfile readarray",
    // They enter directories of a stack that is not followed here.
    "pushd popd dirs",
    // It writes files, and `history -s` gives a later `fc` something to run.
    "history",
];

/// Programs whose purpose is to run something. `*` of an allowing rule matches none of them, or a rule as wide as
/// `Bash(*)` would allow whatever they run.
const RUNNERS: [&str; 11] = [
    // Build tools: a file of the project says what to run.
    "ant bazel buck2 cmake ctest gmake gradle gradlew just m4 make meson mvn ninja rake task",
    // Package managers: `npm run`, `npx` and `yarn` run scripts of packages, also of fetched ones.
    "bunx npm npx pnpm yarn",
    // Containers and machines: what runs there is not confined as a command is here.
    "ansible docker kubectl podman ssh",
    // They run their arguments, changed in priority, session, lock, terminal or root directory.
    "chroot chrt dbus-run-session fakeroot firejail flock ionice nsenter script setpriv setsid \
     taskset unshare",
    // One program that is many: its first argument says which.
    "busybox toybox",
    // They start the program that they look into, and debuggers have a language besides.
    "gdb lldb ltrace perf strace valgrind",
    // They run a command for each file, line or change.
    "entr parallel run-parts split watch watchexec",
    // Terminals that outlive the command.
    "byobu screen tmux",
    // Editors: a macro, a mode line or `!` runs a command.
    "emacs vi vim",
    // A script in a language of its own, and an address that is a program (`EXEC:`).
    "expect socat",
    // The loader runs any file as a program, also one that may not be executed.
    "ld.so",
];

/// Returns whether the text of a command with this builtin no longer says what runs.
pub(super) fn is_obscure(name: &str) -> bool {
    lists(&OBSCURE, name)
}

/// The reason why a program is always asked about.
pub(super) fn always_ask(name: &str) -> Option<&'static str> {
    match name {
        // A client of the daemon can answer the question that is asked about this very command.
        "scorelctl" | "scoreld" => Some("it could answer for you"),
        // Started by a manager or a schedule, a program is in no sandbox and no supervisor's reach.
        "systemd-run" | "systemctl" | "crontab" | "at" | "batch" | "launchctl" | "loginctl" => {
            Some("it could run something that outlives the session")
        }
        // Another user's processes cannot be ended, and root's are confined by nothing.
        "sudo" | "doas" | "su" | "pkexec" | "run0" | "sudoedit" | "runuser" => {
            Some("it runs something as another user")
        }
        _ => None,
    }
}

/// The reason why a word is always asked about, whichever program gets it.
pub(super) fn mentions(word: &str) -> Option<&'static str> {
    ["scorelctl", "scoreld", "systemd-run", "crontab"]
        .into_iter()
        .find(|name| word.contains(name))
        .and_then(always_ask)
}

/// Fills in the facts about a program that does not only read, by its row of the table if it has one.
pub(super) fn other(
    name: &str,
    args: &[Word],
    start: usize,
    facts: &mut Facts,
) -> Option<CommandLine> {
    if lists(&RUNNERS, name) || name.starts_with("ld-linux") || name.starts_with("qemu-") {
        facts.special.push(start - 1);
    }
    let Some(usage) = table::usage(name) else {
        if matches!(name, "gcc" | "cc" | "clang" | "g++" | "clang++") {
            facts.special_after(start, args, is_special_for_compilers);
        }
        facts.paths = operands(args);
        return None;
    };
    let line = CommandLine::parse(&usage, args);
    line.record(&usage, args, start, facts);
    if matches!(name, "ssh" | "slogin")
        && let Some(host) = line.operands.first()
    {
        // More options may follow the host.
        let behind = host + 1;
        let more = CommandLine::parse(&usage, &args[behind..]);
        more.record(&usage, &args[behind..], start + behind, facts);
    }
    if usage.has_bundle() {
        // A file name with a colon is on another machine.
        facts.special_after(start, args, |word| word.contains(':'));
    }
    Some(line)
}

/// Options of compilers that run or load something: a wrapper, a plugin, programs of another directory, what a
/// specification says; a linker's options, which have all of these; and a file with more options.
fn is_special_for_compilers(word: &str) -> bool {
    const BEGINNINGS: [&str; 8] = [
        "-wrapper", "-fplugin", "-B", "@", "-Wl,", "-Xlinker", "-specs", "--specs",
    ];
    BEGINNINGS
        .iter()
        .any(|beginning| word.starts_with(beginning))
}

/// The arguments of a program without a row that may be paths: operands and values of options.
pub(super) fn operands(args: &[Word]) -> Vec<Word> {
    let mut operands = Vec::new();
    let mut is_option_possible = true;
    for word in args {
        if is_option_possible && word.known() == Some("--") {
            is_option_possible = false;
        } else if is_option_possible && word.text.starts_with('-') && word.text != "-" {
            operands.extend(option_value(word));
        } else if word.text != "-" || !word.is_known() {
            operands.push(word.clone());
        }
    }
    operands
}
