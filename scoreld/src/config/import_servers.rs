//! Taking over the MCP servers of other agents.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use scorel_config::{ConfigFile, ForeignServer, ServerFile};
use scorel_fsck::visible;
use serde_json::json;

use super::error::CommandError;
use super::exit::ConfigExit;

/// Bytes of a file of another agent.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// The files below the user's home.
const OF_USER: [(&str, ServerFile); 4] = [
    (".claude.json", ServerFile::Claude),
    (".claude/settings.json", ServerFile::Claude),
    (".codex/config.toml", ServerFile::Codex),
    (".gemini/settings.json", ServerFile::Gemini),
];

/// A server that was found, with what becomes of it.
struct Line {
    name: String,
    command: String,
    source: PathBuf,
    state: &'static str,
}

/// All that was found.
#[derive(Default)]
struct Import {
    lines: Vec<Line>,
    notes: Vec<String>,
}

/// Shows the servers of the files of other agents, and adds them to the configuration if `is_written` says so.
pub(super) fn import(
    target: &ConfigFile,
    is_written: bool,
    json: bool,
    out: &mut dyn Write,
) -> Result<ConfigExit, CommandError> {
    let project = std::env::current_dir()?;
    let mut import = Import::default();
    let home = std::env::var_os("HOME").filter(|it| !it.is_empty());
    let of_user = home.map(PathBuf::from).into_iter();
    let of_user = of_user.flat_map(|home| OF_USER.map(|(path, form)| (home.join(path), form)));
    let of_project = (project.join(".mcp.json"), ServerFile::Claude);
    for (path, form) in std::iter::once(of_project).chain(of_user) {
        for foreign in import.found(&path, form, &project) {
            import.take(foreign, &path, target, is_written)?;
        }
    }
    if import.lines.iter().any(|it| it.state == "would add") {
        let note = "nothing was written; `--write` adds them";
        import.notes.push(note.to_owned());
    }
    import.show(target, is_written, json, out)?;
    Ok(ConfigExit::Ok)
}

impl Import {
    /// The servers of a file; those of one that cannot be read are a note.
    fn found(&mut self, path: &Path, form: ServerFile, project: &Path) -> Vec<ForeignServer> {
        let found = match read(path) {
            Ok(None) => return Vec::new(),
            Ok(Some(text)) => form.read(&text, project),
            Err(error) => Err(error.to_string()),
        };
        found.unwrap_or_else(|reason| {
            let path = path.display();
            self.notes.push(format!("not read: {path}: {reason}"));
            Vec::new()
        })
    }

    fn take(
        &mut self,
        foreign: ForeignServer,
        path: &Path,
        target: &ConfigFile,
        is_written: bool,
    ) -> Result<(), CommandError> {
        let server = match foreign.server {
            Ok(server) => server,
            Err(reason) => {
                self.leave(&foreign.name, path, &reason);
                return Ok(());
            }
        };
        let name = server.name.to_string();
        if self.lines.iter().any(|it| it.name == name) {
            self.leave(&name, path, "there is another of this name");
            return Ok(());
        }
        let state = match (target.has_server(&server.name)?, is_written) {
            (true, _) => "there already",
            (false, false) => "would add",
            (false, true) => {
                target.add_server(&server)?;
                "added"
            }
        };
        if state != "there already" {
            self.notes.extend(foreign.secrets.iter().map(|secret| {
                format!(
                    "`{name}` gets the secret `{secret}`, whose value is not taken: put it into the daemon's `env` file"
                )
            }));
        }
        self.lines.push(Line {
            name,
            command: server.line(),
            source: path.to_owned(),
            state,
        });
        Ok(())
    }

    fn leave(&mut self, name: &str, path: &Path, reason: &str) {
        let path = path.display();
        self.notes
            .push(format!("not taken: `{name}` of {path}: {reason}"));
    }

    fn show(
        &self,
        target: &ConfigFile,
        is_written: bool,
        json: bool,
        out: &mut dyn Write,
    ) -> Result<(), CommandError> {
        if json {
            let servers = self.lines.iter().map(|it| {
                json!({ "name": it.name, "command": it.command, "source": it.source, "state": it.state })
            });
            let line = json!({
                "path": target.path(), "written": is_written,
                "servers": servers.collect::<Vec<_>>(), "notes": self.notes,
            });
            writeln!(out, "{line}")?;
            return Ok(());
        }
        for Line {
            name,
            command,
            source,
            state,
        } in &self.lines
        {
            let line = format!("{state}: {name}  {command}  ({})", source.display());
            writeln!(out, "{}", visible(&line))?;
        }
        if self.lines.is_empty() {
            writeln!(
                out,
                "there are no MCP servers of other agents that can be taken over"
            )?;
        }
        out.flush()?;
        let mut errors = io::stderr().lock();
        for note in &self.notes {
            writeln!(errors, "{}", visible(note))?;
        }
        Ok(())
    }
}

/// The text of a file; `None` if there is none.
fn read(path: &Path) -> io::Result<Option<String>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut text = String::new();
    file.take(MAX_FILE + 1).read_to_string(&mut text)?;
    match text.len() as u64 > MAX_FILE {
        true => Err(io::Error::other("it is too large")),
        false => Ok(Some(text)),
    }
}
