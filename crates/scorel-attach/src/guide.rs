//! The tables of the guide `docs/attach.md`, which are made from the program's own.

use std::fs;
use std::path::Path;

use crate::keys::KEYS;
use crate::slash::COMMANDS;

/// The text with a table in the place of what stands between its mark and the next end.
fn with_table(text: &str, mark: &str, rows: &[(String, String)]) -> String {
    let begin = text.find(mark).expect("the mark") + mark.len();
    let end = begin + text[begin..].find("<!-- end -->").expect("the end");
    let cells = |cell: &str| cell.replace('|', "\\|");
    let rows = rows
        .iter()
        .map(|(name, does)| format!("| {} | {} |\n", cells(name), cells(does)));
    let table: String = rows.collect();
    format!(
        "{}\n| typed | effect |\n|---|---|\n{table}{}",
        &text[..begin],
        &text[end..]
    )
}

#[test]
fn the_guide_has_every_key_and_command() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/attach.md");
    let guide = fs::read_to_string(&path).expect("the guide");
    let keys: Vec<_> = KEYS
        .iter()
        .map(|key| (key.keys.to_owned(), key.does.to_owned()))
        .collect();
    let commands = COMMANDS.iter().map(|command| {
        let typed = format!("/{} {}", command.name, command.argument);
        (format!("`{}`", typed.trim_end()), command.about.to_owned())
    });
    let commands: Vec<_> = commands.collect();
    let made = with_table(
        &guide,
        "<!-- keys: generated from crates/scorel-attach/src/keys.rs -->",
        &keys,
    );
    let made = with_table(
        &made,
        "<!-- commands: generated from crates/scorel-attach/src/slash.rs -->",
        &commands,
    );
    if std::env::var_os("SCOREL_REWRITE_DOCS").is_some() {
        fs::write(path, made).expect("written");
        return;
    }
    assert!(
        made == guide,
        "docs/attach.md is outdated: SCOREL_REWRITE_DOCS=1 cargo test -p scorel-attach guide"
    );
}
