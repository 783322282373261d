//! Adding hooks at the end of a file.

use scorel_extension::hook::{HookCommand, HookEntry, OnFailure};
use toml::Value;

use super::config_file::ConfigFile;
use super::file_text::{FileText, repeated};
use crate::EditConfigError;
use crate::origin::DocumentOrigin;
use crate::parse::{origin_of, read};
use crate::problems::check_change;

impl ConfigFile {
    /// Adds hooks whose names the file does not have, and returns their names. Every other byte stays.
    ///
    /// # Errors
    /// On every error the file is unchanged.
    pub fn add_hooks(&self, entries: &[HookEntry]) -> Result<Vec<String>, EditConfigError> {
        repeated(|| {
            let file = FileText::read(self.path(), self.layer())?;
            let origin = origin_of(&file.target, &file.bytes)?;
            let document = read(&origin)?;
            let is_new = |entry: &&HookEntry| {
                let mut known = document.hooks.iter();
                !known.any(|it| it.get_ref().name == entry.name)
            };
            let new: Vec<&HookEntry> = entries.iter().filter(is_new).collect();
            if new.is_empty() {
                return Ok(Vec::new());
            }
            let mut text = origin.text().to_owned();
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            for entry in &new {
                text.push_str(&table(entry));
            }
            let after = DocumentOrigin::new(origin.path().to_owned(), text);
            check_change(self.layer(), &origin, &after).map_err(|it| it.within(origin.text()))?;
            file.replace(after.text())?;
            Ok(new.iter().map(|entry| entry.name.to_string()).collect())
        })
    }
}

fn table(entry: &HookEntry) -> String {
    let text = |text: &str| Value::String(text.to_owned()).to_string();
    let mut lines = vec![
        ("name", text(entry.name.as_str())),
        ("event", text(entry.event.word())),
    ];
    if !entry.matcher.is_all() {
        lines.push(("matcher", text(entry.matcher.as_str())));
    }
    if let Some(rule) = &entry.condition {
        lines.push(("if", text(rule)));
    }
    match &entry.command {
        HookCommand::Shell(line) => lines.push(("command", text(line))),
        HookCommand::Argv(argv) => {
            let args = argv.iter().skip(1).cloned().map(Value::String).collect();
            lines.push(("command", text(argv.first().map_or("", String::as_str))));
            lines.push(("args", Value::Array(args).to_string()));
        }
    }
    lines.push((
        "timeoutSeconds",
        entry.timeout.as_millis().div_ceil(1000).to_string(),
    ));
    if entry.on_failure != HookEntry::usual_on_failure(entry.event) {
        let word = match entry.on_failure {
            OnFailure::Ignore => "ignore",
            OnFailure::Fail => "fail",
        };
        lines.push(("onFailure", text(word)));
    }
    if entry.is_async {
        lines.push(("async", "true".to_owned()));
    }
    let lines = lines
        .iter()
        .map(|(key, value)| format!("{key} = {value}\n"));
    format!("\n[[hooks]]\n{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use scorel_extension::hook::ForeignHooks;

    use super::*;
    use crate::ConfigSource;

    #[test]
    fn hooks_are_added_once_and_read_back_as_they_were() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        std::fs::write(&path, "# mine\n[runtime]\nmaxSteps = 7").unwrap();
        let text = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash|Edit", "hooks": [
            {"type": "command", "command": "echo \"it's\" '''\n", "if": "Bash(git *)", "timeout": 2.5},
            {"type": "command", "command": "node", "args": ["a \\ b"], "async": true}]}]}}"#;
        let found = ForeignHooks::read(text.as_bytes());
        let file = ConfigFile::user(&path);
        assert_eq!(file.add_hooks(&found.entries).unwrap().len(), 2);
        assert!(file.add_hooks(&found.entries).unwrap().is_empty());
        let kept = std::fs::read_to_string(&path).unwrap();
        assert!(
            kept.starts_with("# mine\n[runtime]\nmaxSteps = 7\n"),
            "{kept}"
        );
        let config = ConfigSource::open(&path).unwrap().current(None);
        assert_eq!(config.hooks.len(), 2);
        for (read, written) in config.hooks.iter().zip(&found.entries) {
            let mut written = written.clone();
            // Whole seconds: 2.5 s became 3 s.
            let whole = written.timeout.as_millis().div_ceil(1000);
            written.timeout = std::time::Duration::from_secs(u64::try_from(whole).unwrap());
            assert_eq!(*read, written);
        }
    }
}
