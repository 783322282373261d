//! Programs judged by name.

use super::facts::Facts;
use super::named::option_value;
use super::options::CommandLine;
use super::table;
use crate::word::Word;

/// Shell builtins that evaluate text or change what names mean.
pub(super) const OBSCURE: [&str; 21] = [
    ".",
    "alias",
    "bind",
    "compgen",
    "complete",
    "coproc",
    "enable",
    "eval",
    "fc",
    "hash",
    "history",
    "let",
    "mapfile",
    "popd",
    "pushd",
    "readarray",
    "shopt",
    "source",
    "trap",
    "unalias",
    "dirs",
];

/// Programs that run their arguments or the contents of a file. A rule with only `*` matches none.
const RUNNERS: [&str; 62] = [
    "ansible",
    "ant",
    "bazel",
    "buck2",
    "bunx",
    "busybox",
    "byobu",
    "chroot",
    "chrt",
    "cmake",
    "ctest",
    "dbus-run-session",
    "docker",
    "emacs",
    "entr",
    "expect",
    "fakeroot",
    "firejail",
    "flock",
    "gdb",
    "gmake",
    "gradle",
    "gradlew",
    "ionice",
    "just",
    "kubectl",
    "ld.so",
    "lldb",
    "ltrace",
    "m4",
    "make",
    "meson",
    "mvn",
    "ninja",
    "npm",
    "npx",
    "nsenter",
    "parallel",
    "perf",
    "pnpm",
    "podman",
    "rake",
    "run-parts",
    "screen",
    "script",
    "setpriv",
    "setsid",
    "socat",
    "split",
    "ssh",
    "strace",
    "task",
    "taskset",
    "tmux",
    "toybox",
    "unshare",
    "valgrind",
    "vim",
    "vi",
    "watch",
    "yarn",
    "watchexec",
];

/// Why a program is always asked about.
pub(super) fn always_ask(name: &str) -> Option<&'static str> {
    match name {
        "scorelctl" | "scoreld" => Some("it could answer for you"),
        "systemd-run" | "systemctl" | "crontab" | "at" | "batch" | "launchctl" | "loginctl" => {
            Some("it could run something that outlives the session")
        }
        "sudo" | "doas" | "su" | "pkexec" | "run0" | "sudoedit" | "runuser" => {
            Some("it runs something as another user")
        }
        _ => None,
    }
}

/// Why a word is always asked about, whichever program gets it.
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
    if RUNNERS.contains(&name) || name.starts_with("ld-linux") || name.starts_with("qemu-") {
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
