use std::path::Path;

use scorel_config::Config;
use scorel_extension::hook::{HookCommand, HookEntry, HookSandbox, OnFailure};
use scorel_guidance::trust::{NamedFiles, ProjectItem};
use scorel_proto::{ItemContent, ItemProgram};
use serde_json::{Value, json};

use super::project_hooks::DeclaredHook;

/// A hook of a project as an item. The user's of this name stays.
pub(crate) fn hook_item(project: &Path, declared: &DeclaredHook, config: &Config) -> ProjectItem {
    let DeclaredHook { entry, file } = declared;
    let matcher = entry.matcher.as_str();
    let event = match entry.matcher.is_all() {
        true => entry.event.word().to_owned(),
        false => format!("{} {matcher}", entry.event.word()),
    };
    let program = ItemProgram {
        command: entry.command.line(),
        directory: None,
        events: vec![event],
        environment: Vec::new(),
        unsandboxed: entry.sandbox == Some(HookSandbox::None),
        network: matches!(
            entry.sandbox,
            Some(HookSandbox::None | HookSandbox::Network)
        ),
    };
    ProjectItem {
        content: ItemContent {
            programs: vec![program],
            ..ItemContent::default()
        },
        is_shadowed: config.hooks.iter().any(|it| it.name == entry.name),
        ..ProjectItem::command(
            format!("hook:{}", entry.name),
            canonical(file, entry),
            named_files(project, declared),
        )
    }
}

/// The files of the project that the hook's command names.
pub(super) fn named_files(project: &Path, declared: &DeclaredHook) -> NamedFiles {
    let path = project.join(&declared.file);
    match &declared.entry.command {
        HookCommand::Shell(line) => NamedFiles::of_line(project, path, line),
        HookCommand::Argv(argv) => NamedFiles::of_words(project, path, argv.iter().cloned()),
    }
}

/// All that decides when and how a hook runs.
fn canonical(file: &Path, entry: &HookEntry) -> Value {
    let command = match &entry.command {
        HookCommand::Shell(line) => json!(line),
        HookCommand::Argv(argv) => json!(argv),
    };
    let points: Vec<_> = entry.points.iter().map(|it| it.word()).collect();
    json!({
        "file": file,
        "event": entry.event.word(),
        "matcher": entry.matcher.as_str(),
        "if": entry.condition,
        "command": command,
        "timeout": entry.timeout.as_secs_f64(),
        "ignoresFailure": entry.on_failure == OnFailure::Ignore,
        "sandbox": entry.sandbox.map(HookSandbox::word),
        "parallel": entry.parallel,
        "async": entry.is_async,
        "points": points,
    })
}
