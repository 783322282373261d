//! How many words of a command name what it does, for the rule that a question offers.

use crate::word::Word;

/// Programs that do one thing, whatever their arguments.
const PLAIN: [&str; 30] = [
    "black",
    "chmod",
    "clang-format",
    "cp",
    "eslint",
    "flake8",
    "gofmt",
    "isort",
    "jest",
    "ln",
    "mkdir",
    "mktemp",
    "mv",
    "mypy",
    "prettier",
    "py.test",
    "pylint",
    "pyright",
    "pytest",
    "rmdir",
    "ruff",
    "rustfmt",
    "shellcheck",
    "stylelint",
    "touch",
    "tsc",
    "unzip",
    "vitest",
    "zip",
    "mocha",
];

/// Modules of Python that do one thing.
const MODULES: [&str; 13] = [
    "black",
    "build",
    "compileall",
    "flake8",
    "isort",
    "mypy",
    "pip",
    "py_compile",
    "pylint",
    "pytest",
    "ruff",
    "unittest",
    "venv",
];

/// Commands of git that take no history and no work away, whatever their options.
const GIT: [&str; 14] = [
    "add",
    "am",
    "apply",
    "cherry-pick",
    "commit",
    "fetch",
    "init",
    "merge",
    "mv",
    "notes",
    "pull",
    "rebase",
    "revert",
    "stage",
];

const CARGO: [&str; 26] = [
    "add", "b", "bench", "build", "c", "check", "clean", "clippy", "d", "doc", "fetch", "fix",
    "fmt", "insta", "machete", "metadata", "nextest", "remove", "rm", "run", "t", "test", "tree",
    "update", "vendor", "llvm-cov",
];

const NODE: [&str; 13] = [
    "add", "audit", "build", "ci", "i", "install", "lint", "ls", "outdated", "start", "test",
    "update", "why",
];

const GO: [&str; 9] = [
    "build", "clean", "doc", "fmt", "get", "list", "mod", "test", "vet",
];

const OTHERS: [(&str, &[&str]); 9] = [
    ("bundle", &["check", "install", "update"]),
    ("composer", &["install", "update"]),
    ("dotnet", &["build", "format", "restore", "test"]),
    ("pip", &["install", "list", "show", "uninstall"]),
    ("pip3", &["install", "list", "show", "uninstall"]),
    ("poetry", &["add", "build", "install", "lock", "update"]),
    ("swift", &["build", "test"]),
    ("terraform", &["fmt", "plan", "validate"]),
    ("uv", &["add", "build", "lock", "pip", "sync", "venv"]),
];

/// How many words a person would write before a `*`; `None` if no prefix is safe, since the program is
/// not known or runs its arguments.
#[must_use]
pub fn safe_prefix(words: &[Word]) -> Option<usize> {
    let word = |index: usize| words.get(index).and_then(Word::known).unwrap_or_default();
    let with =
        |commands: &[&str], index: usize| commands.contains(&word(index)).then_some(index + 1);
    match word(0) {
        name if PLAIN.contains(&name) => Some(1),
        "sed" => word(1).starts_with("-i").then_some(2),
        "git" => match (word(1), word(2)) {
            ("checkout", "-b") | ("switch", "-c") | ("stash", "push" | "pop" | "apply") => Some(3),
            _ => with(&GIT, 1),
        },
        "cargo" => with(&CARGO, if word(1).starts_with('+') { 2 } else { 1 }),
        "npm" | "pnpm" | "yarn" | "bun" if matches!(word(1), "run" | "run-script") => {
            is_script(word(2)).then_some(3)
        }
        "npm" | "pnpm" | "yarn" => with(&NODE, 1),
        "go" => with(&GO, 1),
        "python" | "python3" if word(1) == "-m" => with(&MODULES, 2),
        name => {
            let (_, commands) = OTHERS.iter().find(|(known, _)| *known == name)?;
            with(commands, 1)
        }
    }
}

/// Whether a word can be the name of a script in `package.json`.
fn is_script(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('-')
}
