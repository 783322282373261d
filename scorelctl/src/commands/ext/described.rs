use scorel_plugin::PluginReading;
use scorel_screen::escape::one_line;
use serde::Serialize;

/// A plugin in a directory, for people and programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DescribedPlugin {
    /// Absent if its manifest cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
    commands: Vec<String>,
    skills: Vec<String>,
    hooks: Vec<String>,
    not_run: Vec<String>,
    problems: Vec<String>,
}

impl DescribedPlugin {
    pub(super) fn of(reading: &PluginReading) -> Self {
        let problems = reading.problems.iter().map(ToString::to_string).collect();
        let Some(plugin) = &reading.plugin else {
            return Self {
                id: None,
                format: None,
                commands: Vec::new(),
                skills: Vec::new(),
                hooks: Vec::new(),
                not_run: Vec::new(),
                problems,
            };
        };
        let id = &plugin.id;
        let commands = plugin.commands.iter().map(|command| {
            let name = format!("/{id}:{}", command.name);
            match command.ignored.as_slice() {
                [] => name,
                ignored => format!("{name} (ignored: {})", ignored.join(", ")),
            }
        });
        let skills = plugin.skills.iter().filter_map(|dir| dir.file_name());
        Self {
            id: Some(id.to_string()),
            format: Some(plugin.format.title()),
            commands: commands.collect(),
            skills: skills
                .map(|name| format!("{id}:{}", name.to_string_lossy()))
                .collect(),
            hooks: plugin.hooks.iter().map(|hook| hook.summary()).collect(),
            not_run: plugin.not_run.iter().map(ToString::to_string).collect(),
            problems,
        }
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let (Some(id), Some(format)) = (&self.id, self.format) {
            lines.push(format!("{id}: a plugin of {format}"));
        }
        for (what, parts) in [
            ("command", &self.commands),
            ("skill", &self.skills),
            ("hook", &self.hooks),
            ("not run", &self.not_run),
            ("problem", &self.problems),
        ] {
            lines.extend(
                parts
                    .iter()
                    .map(|part| format!("  {what:<8}  {}", one_line(part))),
            );
        }
        lines
    }
}
