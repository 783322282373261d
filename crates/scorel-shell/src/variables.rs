//! Variables that may be assigned without changing what programs do.

/// Environment variables that are harmless with any value.
const HARMLESS: [&str; 26] = [
    "CARGO_INCREMENTAL",
    "CARGO_TERM_COLOR",
    "CARGO_TERM_PROGRESS_WHEN",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "DEBUG",
    "FORCE_COLOR",
    "INSTA_UPDATE",
    "LANG",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LINES",
    "NODE_ENV",
    "NO_COLOR",
    "PROPTEST_CASES",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "RUST_MIN_STACK",
    "TERM",
    "TZ",
];

/// Whether setting this environment variable cannot make a program run or read something else.
#[must_use]
pub fn is_harmless_for_programs(name: &str) -> bool {
    HARMLESS.contains(&name)
}

/// Whether assigning to this shell variable is harmless to the shell and its programs. An assignment
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
