//! Programs judged by name.

use super::facts::Facts;
use super::options::{has_short, is_long};
use crate::shell::Word;

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

/// Arguments that make otherwise ordinary programs run something else.
pub(super) fn other(name: &str, args: &[Word], start: usize, facts: &mut Facts) {
    if RUNNERS.contains(&name) || name.starts_with("ld-linux") || name.starts_with("qemu-") {
        facts.special.push(start - 1);
    }
    let is_special: Option<fn(&str) -> bool> = match name {
        "tar" | "bsdtar" | "gtar" => Some(is_special_for_tar),
        "ssh" | "scp" | "sftp" | "slogin" => Some(|word| has_short(word, "oFSJPD")),
        "rsync" => Some(|word| {
            has_short(word, "e") || is_long(word, "--rsh") || is_long(word, "--rsync-path")
        }),
        "cargo" => Some(|word| is_long(word, "--config")),
        "curl" => Some(|word| has_short(word, "KoOT") || word.starts_with("--")),
        "wget" => Some(|word| {
            has_short(word, "OPi")
                || is_long(word, "--use-askpass")
                || is_long(word, "--execute")
                || has_short(word, "e")
        }),
        "go" => Some(|word| {
            word.contains("exec") || word.contains("toolexec") || word.contains("vettool")
        }),
        "zip" => Some(|word| has_short(word, "T") || is_long(word, "--unzip-command")),
        "man" => Some(|word| {
            has_short(word, "PH") || is_long(word, "--pager") || is_long(word, "--html")
        }),
        "dpkg" | "apt" | "apt-get" => {
            Some(|word| has_short(word, "o") || is_long(word, "--pre-invoke"))
        }
        "gcc" | "cc" | "clang" | "g++" => Some(|word| {
            word.starts_with("-wrapper")
                || word.starts_with("-fplugin")
                || word.starts_with("-B")
                || word.starts_with("@")
        }),
        _ => None,
    };
    if let Some(is_special) = is_special {
        facts.special_after(start, args, is_special);
    }
}

fn is_special_for_tar(word: &str) -> bool {
    const OPTIONS: [&str; 9] = [
        "--to-command",
        "--checkpoint-action",
        "--use-compress-program",
        "--info-script",
        "--new-volume-script",
        "--rsh-command",
        "--rmt-command",
        "--absolute-names",
        "--directory",
    ];
    // `tar` takes option letters without a dash, and a file name with a colon is on another machine.
    let is_old_style = !word.starts_with('-')
        && !word.contains(['/', '.'])
        && word.starts_with(['A', 'c', 'd', 'r', 't', 'u', 'x'])
        && word.contains(['I', 'F']);
    OPTIONS.iter().any(|option| is_long(word, option))
        || has_short(word, "IF")
        || is_old_style
        || word.contains(':')
}
