use scorel_proto::{SessionView, Status};
use scorel_screen::{Line, Span, Style};

use super::state::App;
use crate::keys::KEYS;
use crate::slash::COMMANDS;

impl App {
    /// Prints lines of this program.
    pub(crate) fn plain_lines(&mut self, lines: &[String]) {
        self.renderer.flush(&mut self.finished);
        let lines = lines.iter().map(|line| Line::plain(line, Style::Note));
        self.finished.extend(lines);
    }

    pub(super) fn say_help(&mut self) {
        self.renderer.flush(&mut self.finished);
        if !self.setup.is_plain {
            let keys = KEYS
                .iter()
                .map(|key| (key.keys.to_owned(), key.does.to_owned()));
            let lines = table("Keys", keys);
            self.finished.extend(lines);
        }
        let commands = COMMANDS.iter().map(|command| {
            let typed = format!("/{} {}", command.name, command.argument);
            (typed.trim_end().to_owned(), command.about.to_owned())
        });
        let lines = table("Commands", commands);
        self.finished.extend(lines);
        let commands = self.session.iter().flat_map(|it| &it.facts.commands);
        let commands: Vec<_> = commands
            .map(|command| {
                let hint = command.argument_hint.as_deref().unwrap_or_default();
                let typed = format!("/{} {hint}", command.name);
                (typed.trim_end().to_owned(), command.description.clone())
            })
            .collect();
        if !commands.is_empty() {
            self.finished
                .extend(table("Commands of plugins", commands.into_iter()));
        }
        let skills = self.session.iter().flat_map(|it| &it.facts.skills);
        let skills: Vec<_> = skills
            .map(|skill| (format!("/{}", skill.name), skill.description.clone()))
            .collect();
        if !skills.is_empty() {
            self.finished.extend(table("Skills", skills.into_iter()));
        }
    }

    pub(super) fn say_status(&mut self, status: &Status, view: &SessionView) {
        let mut lines = Vec::new();
        if let Some(current) = &self.session {
            let session = &current.facts.session;
            lines.push(format!(
                "session {}: {}",
                session.session_id,
                session.title.as_deref().unwrap_or("no title yet")
            ));
            lines.push(format!("directory {}", current.facts.work_dir.display()));
            let model = session.model.as_deref().unwrap_or(&status.default_model);
            lines.push(format!(
                "model {model}, thinking {}, runner {}",
                session.thinking_level.name(),
                session.runner
            ));
            if let Some(context) = &current.context {
                lines.push(format!(
                    "the next request has {} tokens of {}; above {} the older part is summarised",
                    context.tokens, context.context_window, context.budget
                ));
            }
        }
        lines.push(format!(
            "phase {}, {} in the queue{}",
            super::going::phase_text(view.state.phase()),
            view.state.queue.items.len(),
            if view.state.queue.paused {
                ", which is paused"
            } else {
                ""
            }
        ));
        lines.push(format!(
            "daemon {} (pid {}), {} sessions loaded, {} questions open",
            status.version, status.pid, status.loaded_sessions, status.questions
        ));
        if let Some(problem) = &status.config_problem {
            lines.push(format!(
                "the configuration from before is in use: {problem}"
            ));
        }
        self.plain_lines(&lines);
    }
}

fn table(title: &str, rows: impl Iterator<Item = (String, String)>) -> Vec<Line> {
    let rows: Vec<(String, String)> = rows.collect();
    let wide = rows
        .iter()
        .map(|(name, _)| scorel_screen::width(name))
        .max()
        .unwrap_or(0)
        .min(30);
    let mut lines = vec![Line::plain(title, Style::Heading)];
    for (name, about) in rows {
        let gap = wide.saturating_sub(scorel_screen::width(&name));
        let mut line = Line::plain(&format!("  {name}{}  ", " ".repeat(gap)), Style::Chosen);
        line.spans
            .push(Span::new(about.replace('\n', " "), Style::Note));
        lines.push(line);
    }
    lines
}
