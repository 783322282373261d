//! Variables that may be assigned without changing what programs do.

use crate::name_table::lists;

/// Environment variables that are harmless with any value. Others may name a program to run (`PAGER`, `GIT_SSH`),
/// a library to load (`LD_PRELOAD`), a file to read first (`BASH_ENV`), or another place for all of these (`PATH`,
/// `HOME`).
const HARMLESS: [&str; 4] = [
    // The amount, colours and width of output.
    "CARGO_TERM_COLOR CARGO_TERM_PROGRESS_WHEN CLICOLOR CLICOLOR_FORCE COLORTERM COLUMNS DEBUG \
     FORCE_COLOR LINES NO_COLOR RUST_BACKTRACE RUST_LOG TERM",
    // Language, order of letters, and time zone of what is printed.
    "LANG LC_ALL LC_COLLATE LC_CTYPE TZ",
    // The amount of work of a build or a test.
    "CARGO_INCREMENTAL CI NODE_ENV PROPTEST_CASES RUST_MIN_STACK",
    // Snapshots of tests and caches of interpreters: rewritten or not.
    "INSTA_UPDATE PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED",
];

/// Returns whether setting this environment variable cannot make a program run or read something else.
pub fn is_harmless_for_programs(name: &str) -> bool {
    lists(&HARMLESS, name)
}

/// Returns whether a text has only letters that names of variables have.
pub(crate) fn has_name_letters(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns whether assigning to this shell variable is harmless to the shell and its programs. An assignment
/// changes the environment if the variable is exported, as those in capitals and a few others may be.
pub(crate) fn is_harmless_in_shell(name: &str) -> bool {
    let is_own = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && !name.ends_with("_proxy")
        && !name.starts_with("npm_")
        && name != "_";
    is_own || is_harmless_for_programs(name)
}
