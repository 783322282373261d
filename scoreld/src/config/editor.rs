use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use scorel_config::{ConfigFile, EditedText};

use super::error::CommandError;

/// The editor if no variable names one.
const USUAL_EDITOR: &str = "vi";

/// Lets the user edit a copy of the file, and puts it in place if it is valid. Returns whether the file
/// changed. A text that cannot be used is kept.
pub(super) fn edit(file: &ConfigFile) -> Result<bool, CommandError> {
    let original = file.begin()?;
    // In a directory of its own, so that it has the name by which an editor knows its language.
    let dir = tempfile::Builder::new().prefix("scorel-config").tempdir()?;
    let copy = dir.path().join("config.toml");
    fs::write(&copy, original.bytes())?;
    loop {
        run_editor(&copy)?;
        let bytes = fs::read(&copy)?;
        if bytes == original.bytes() {
            return Ok(false);
        }
        let text = String::from_utf8_lossy(&bytes);
        if report(file, &original, &text)? {
            return match original.replace(&text) {
                Ok(()) => Ok(true),
                Err(error) => Err(CommandError::EditedUnused {
                    path: dir.keep().join("config.toml"),
                    error: Box::new(error),
                }),
            };
        }
        if !again()? {
            let path = dir.keep().join("config.toml");
            return Err(CommandError::EditedInvalid { path });
        }
    }
}

/// Says what is wrong with the text; returns whether it is valid.
fn report(file: &ConfigFile, original: &EditedText, text: &str) -> io::Result<bool> {
    let problems = original.problems_of(text);
    let mut errors = io::stderr().lock();
    for problem in &problems {
        let mut problem = problem.problem();
        // The places are those of the copy: it is what the user sees.
        problem.path = file.path().display().to_string();
        writeln!(errors, "{problem}")?;
    }
    Ok(problems.is_empty())
}

/// Runs the editor by a shell, as `git` does: the variable may have arguments in it.
fn run_editor(copy: &Path) -> Result<(), CommandError> {
    let set = |name| env::var(name).ok().filter(|text| !text.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR"));
    let editor = editor.unwrap_or_else(|| USUAL_EDITOR.to_owned());
    let script = format!("{editor} \"$@\"");
    let status = Command::new("/bin/sh")
        .args(["-c", &script, &editor])
        .arg(copy)
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(CommandError::EditorFailed { editor, status }),
        Err(source) => Err(CommandError::Editor { editor, source }),
    }
}

/// Whether the user wants to edit an invalid text again. Without a terminal there is no one to ask.
fn again() -> io::Result<bool> {
    let input = io::stdin();
    if !input.is_terminal() {
        return Ok(false);
    }
    let mut errors = io::stderr().lock();
    write!(errors, "Edit it again? [Y/n] ")?;
    errors.flush()?;
    let mut answer = String::new();
    let read = input.lock().read_line(&mut answer)?;
    Ok(read > 0 && !answer.trim().to_lowercase().starts_with('n'))
}
