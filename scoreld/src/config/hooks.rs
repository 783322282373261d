//! Taking over the hooks of Claude Code.

use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use scorel_config::ConfigFile;
use scorel_extension::hook::{ForeignHooks, HookStage, MAX_FILE};
use scorel_fsck::visible;
use serde_json::json;

use super::error::CommandError;
use super::exit::ConfigExit;

/// Where Claude Code has the user's settings, below the user's home.
const SETTINGS: &str = ".claude/settings.json";

/// Fields of answers that change nothing here.
const IGNORED: &str = "ignored in answers: `suppressOutput`, `terminalSequence`, `classifierContext`, `updatedPermissions`";

const GUARDS: &str = "a guard that fails denies the call here; `onFailure = \"ignore\"` lets it run, as Claude Code does";

/// Adds the hooks of a settings file to the configuration.
pub(super) fn import(
    target: &ConfigFile,
    file: Option<&Path>,
    json: bool,
    out: &mut dyn Write,
) -> Result<ConfigExit, CommandError> {
    let source = file.map_or_else(usual, Path::to_owned);
    let found = ForeignHooks::read(&read(&source)?);
    let added = target.add_hooks(&found.entries)?;
    let is_guard = |entry: &scorel_extension::hook::HookEntry| {
        entry.event.stage() == HookStage::Before && added.contains(&entry.name.to_string())
    };
    let mut notes: Vec<String> = found
        .left_out
        .iter()
        .map(|it| format!("not taken over: {it}"))
        .collect();
    let problems: Vec<String> = found.problems.iter().map(ToString::to_string).collect();
    if !added.is_empty() {
        notes.push(IGNORED.to_owned());
    }
    if found.entries.iter().any(is_guard) {
        notes.push(GUARDS.to_owned());
    }
    if json {
        let known = found.entries.len() - added.len();
        let line = json!({
            "path": target.path(), "source": source, "added": added, "present": known,
            "notes": notes, "problems": problems,
        });
        writeln!(out, "{line}")?;
        return Ok(ConfigExit::Ok);
    }
    for entry in &found.entries {
        let state = match added.contains(&entry.name.to_string()) {
            true => "added",
            false => "there already",
        };
        let line = format!(
            "{state}: {}  {}: {}",
            entry.name,
            entry.event,
            entry.command.line()
        );
        writeln!(out, "{}", visible(&line))?;
    }
    if found.entries.is_empty() {
        writeln!(out, "{} has no hooks that can be run", source.display())?;
    }
    out.flush()?;
    let mut errors = io::stderr().lock();
    for note in &notes {
        writeln!(errors, "{}", visible(note))?;
    }
    for problem in &problems {
        writeln!(errors, "problem: {}", visible(problem))?;
    }
    Ok(ConfigExit::Ok)
}

fn usual() -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    home.unwrap_or_default().join(SETTINGS)
}

/// The text of the file, up to a byte more than is taken.
fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let file = std::fs::File::open(path).map_err(named)?;
    let mut bytes = Vec::new();
    let limit = MAX_FILE as u64 + 1;
    file.take(limit).read_to_end(&mut bytes).map_err(named)?;
    Ok(bytes)
}
