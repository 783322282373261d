//! Which variables change what programs do.

/// Variables that programs may get whatever their value is.
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

/// Whether a program with this variable in its environment does nothing else than without.
pub(crate) fn is_harmless_for_programs(name: &str) -> bool {
    HARMLESS.contains(&name)
}

/// Whether the shell and the programs that it runs do nothing else when the shell's own variable of
/// this name changes. It could be one of the environment, whose names are those in capitals and a few
/// others.
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
