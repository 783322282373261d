//! `listExtensions`.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_guidance::extensions::{ExtensionContent, ExtensionState, FoundExtension};
use scorel_guidance::trust::Inert;
use scorel_plugin::PluginFormat;
use scorel_proto::{
    ExtensionInfo, ExtensionKind, ItemProgram, ListExtensionsParams, ListExtensionsResult,
    ProcessState, ProcessStatus, SkillSource, SkillState,
};

use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

pub(super) async fn list(
    host: Arc<Host>,
    params: ListExtensionsParams,
) -> Reply<ListExtensionsResult> {
    let project = params.project_id.map(|id| host.skill_project(id));
    let project = project.transpose()?;
    let found = move || {
        let found = host.extensions.find(project.as_ref())?;
        let mut processes = host.programs.processes();
        let id = params.project_id;
        processes.retain(|it| it.project_id.is_none() || it.project_id == id);
        Ok::<_, CallError>(ListExtensionsResult {
            problems: host.extensions.unknown_settings(&found),
            extensions: found.iter().map(|it| describe(it, &processes)).collect(),
        })
    };
    spawn_blocking(found).await?
}

fn describe(found: &FoundExtension, processes: &[ProcessStatus]) -> ExtensionInfo {
    let reading = &found.reading;
    let parts = reading.parts();
    let (kind, version, description) = match &reading.content {
        ExtensionContent::Program(manifest) => (
            ExtensionKind::Program,
            manifest.as_ref().map(|it| it.version.clone()),
            manifest
                .as_ref()
                .map(|it| format!("{}: {}", it.name, it.command.join(" "))),
        ),
        ExtensionContent::Plugin(Some(plugin)) => (
            kind(plugin.format),
            plugin.version.clone(),
            Some(plugin.description.clone()),
        ),
        ExtensionContent::Plugin(None) | ExtensionContent::Unknown => {
            (ExtensionKind::Unknown, None, None)
        }
    };
    let mut problems = reading.problems.clone();
    if matches!(reading.content, ExtensionContent::Unknown) {
        problems.push("it has no manifest that is read".to_owned());
    }
    let hook = |program: &ItemProgram| match kind {
        ExtensionKind::Program => program.events.clone(),
        _ => vec![format!(
            "{}: {}",
            program.events.join(", "),
            program.command
        )],
    };
    ExtensionInfo {
        id: found.id.to_string(),
        kind,
        state: state(found, description.is_some()),
        process: process(found, processes),
        source: match found.is_project {
            true => SkillSource::Project,
            false => SkillSource::User,
        },
        path: found.dir.display().to_string(),
        version,
        description: description.unwrap_or_default(),
        hooks: parts.programs.iter().flat_map(hook).collect(),
        tools: parts.tools,
        commands: parts.commands,
        skills: parts.skills,
        not_run: parts.not_run,
        problems,
    }
}

/// The process of one that may be used.
fn process(found: &FoundExtension, processes: &[ProcessStatus]) -> Option<ProcessState> {
    let ExtensionState::Usable(_) = found.state else {
        return None;
    };
    let name = format!("extension:{}", found.id);
    let is_it =
        |it: &&ProcessStatus| it.process == name && it.project_id.is_some() == found.is_project;
    Some(processes.iter().find(is_it)?.state)
}

const fn kind(format: PluginFormat) -> ExtensionKind {
    match format {
        PluginFormat::Claude => ExtensionKind::Claude,
        PluginFormat::Codex => ExtensionKind::Codex,
        PluginFormat::AgentPlugins => ExtensionKind::AgentPlugins,
    }
}

fn state(found: &FoundExtension, is_readable: bool) -> SkillState {
    match &found.state {
        ExtensionState::Shadowed => SkillState::Shadowed,
        _ if !is_readable => SkillState::Invalid,
        ExtensionState::Disabled => SkillState::Disabled,
        ExtensionState::Usable(_) => SkillState::Available,
        ExtensionState::Inert(Inert::Untrusted(_)) => SkillState::Untrusted,
        ExtensionState::Inert(_) => SkillState::Changed,
    }
}
