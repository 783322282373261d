use std::path::Path;

use scorel_guidance::extensions::Extensions;
use scorel_guidance::trust::{ItemSource, ProjectItem};
use scorel_plugin::{PluginReading, is_plugin};
use scorel_proto::{ItemContent, ItemProgram};

/// The extensions of a project. Those of the user with the same ids stay.
pub(super) fn items(project: &Path, extensions: &Extensions) -> Vec<ProjectItem> {
    let items = extensions.project_items(project).into_iter();
    let described = items.map(|item| ProjectItem {
        content: content(&item),
        ..item
    });
    described.collect()
}

/// The programs of a plugin, as its files say it.
fn content(item: &ProjectItem) -> ItemContent {
    let (Some((_, id)), ItemSource::Directory(dir)) = (item.item.split_once(':'), &item.source)
    else {
        return ItemContent::default();
    };
    let Ok(id) = id.parse() else {
        return ItemContent::default();
    };
    if !is_plugin(dir) {
        return ItemContent::default();
    }
    let PluginReading { plugin, problems } = PluginReading::of(dir, Some(&id));
    let mut not_run: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let Some(plugin) = plugin else {
        return ItemContent {
            not_run,
            ..ItemContent::default()
        };
    };
    not_run.extend(plugin.not_run.iter().map(ToString::to_string));
    let programs = plugin.hooks.iter().map(|hook| ItemProgram {
        command: hook.command.line(),
        events: vec![
            format!("{} {}", hook.event, hook.matcher.as_str())
                .trim()
                .to_owned(),
        ],
        ..ItemProgram::default()
    });
    let skills = plugin.skills.iter().filter_map(|dir| dir.file_name());
    ItemContent {
        programs: programs.collect(),
        tools: Vec::new(),
        commands: plugin
            .commands
            .iter()
            .map(|it| format!("{id}:{}", it.name))
            .collect(),
        skills: skills
            .map(|it| format!("{id}:{}", it.to_string_lossy()))
            .collect(),
        not_run,
    }
}
