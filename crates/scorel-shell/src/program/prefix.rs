//! The words of a command that name what it does, for the rule that a question offers.

use crate::name_table::{lists, look_up};
use crate::word::Word;

/// Programs that do one thing whatever their arguments, so that an answer "always" may be about all of them.
const PLAIN: [&str; 3] = [
    // Checks and formatters of the project's files.
    "black clang-format eslint flake8 gofmt isort mypy prettier pylint pyright ruff rustfmt \
     shellcheck stylelint tsc",
    // Tests, which run the project's own code.
    "jest mocha py.test pytest vitest",
    // Files that are made or moved; not `rm`, which takes work away.
    "chmod cp ln mkdir mktemp mv rmdir touch unzip zip",
];

/// Modules of Python that do one thing.
const MODULES: &str =
    "black build compileall flake8 isort mypy pip py_compile pylint pytest ruff unittest venv";

/// Commands of programs that have many: those that do one thing, and publish nothing. A rule with only the
/// program's name would allow the others too.
const COMMANDS: [(&str, &str); 12] = [
    // They take no history and no work away, whatever their options.
    (
        "git",
        "add am apply cherry-pick commit fetch init merge mv notes pull rebase revert stage",
    ),
    // They build and test in the project, and change its manifest and lock file.
    (
        "cargo",
        "add b bench build c check clean clippy d doc fetch fix fmt insta llvm-cov machete \
         metadata nextest remove rm run t test tree update vendor",
    ),
    ("go", "build clean doc fmt get list mod test vet"),
    (
        "npm pnpm yarn",
        "add audit build ci i install lint ls outdated start test update why",
    ),
    ("bundle", "check install update"),
    ("composer", "install update"),
    ("dotnet", "build format restore test"),
    ("pip pip3", "install list show uninstall"),
    ("poetry", "add build install lock update"),
    ("swift", "build test"),
    // Not `apply`, which changes machines.
    ("terraform", "fmt plan validate"),
    ("uv", "add build lock pip sync venv"),
];

/// The number of words that a person would write before a `*`; `None` if no prefix is safe, since the program is
/// not known or runs its arguments.
pub fn safe_prefix(words: &[Word]) -> Option<usize> {
    let word = |index: usize| words.get(index).and_then(Word::known).unwrap_or_default();
    let with = |commands: &str, index: usize| lists(&[commands], word(index)).then_some(index + 1);
    match word(0) {
        name if lists(&PLAIN, name) => Some(1),
        "sed" => word(1).starts_with("-i").then_some(2),
        "git"
            if matches!(
                (word(1), word(2)),
                ("checkout", "-b") | ("switch", "-c") | ("stash", "push" | "pop" | "apply")
            ) =>
        {
            Some(3)
        }
        "npm" | "pnpm" | "yarn" | "bun" if matches!(word(1), "run" | "run-script") => {
            is_script(word(2)).then_some(3)
        }
        "python" | "python3" if word(1) == "-m" => with(MODULES, 2),
        name => {
            let commands = look_up(&COMMANDS, name)?;
            let has_toolchain = name == "cargo" && word(1).starts_with('+');
            with(commands, if has_toolchain { 2 } else { 1 })
        }
    }
}

/// Returns whether a word can be the name of a script in `package.json`.
fn is_script(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('-')
}
