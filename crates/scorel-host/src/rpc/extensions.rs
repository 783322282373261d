//! `listExtensions`.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_extension::Problem;
use scorel_extension::program::{MANIFEST, Manifest, tool_name};
use scorel_guidance::extensions::{ExtensionState, FoundExtension};
use scorel_guidance::skills::SkillProject;
use scorel_guidance::trust::Inert;
use scorel_home::trusted_file::{self, Trust};
use scorel_plugin::{Plugin, PluginFormat};
use scorel_proto::{
    ErrorChain, ExtensionInfo, ExtensionKind, ListExtensionsParams, ListExtensionsResult,
    SkillSource, SkillState,
};

use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

/// Bytes of a manifest of ours.
const MAX_MANIFEST: u64 = 1024 * 1024;

pub(super) async fn list(
    host: Arc<Host>,
    params: ListExtensionsParams,
) -> Reply<ListExtensionsResult> {
    let project = params.project_id.map(|id| {
        let dir = host.project_dir(id)?;
        Ok::<_, CallError>(SkillProject { id, dir })
    });
    let project = project.transpose()?;
    let found = move || {
        let found = host.extensions.find(project.as_ref())?;
        Ok::<_, CallError>(found.iter().map(describe).collect())
    };
    let extensions = spawn_blocking(found).await??;
    Ok(ListExtensionsResult { extensions })
}

/// Reads its files.
fn describe(found: &FoundExtension) -> ExtensionInfo {
    match program(found) {
        Some(Ok(manifest)) => {
            let mut info = blank(found, ExtensionKind::Program, true);
            tell_program(&mut info, &manifest);
            info
        }
        Some(Err(problems)) => ExtensionInfo {
            problems,
            ..blank(found, ExtensionKind::Program, false)
        },
        None => describe_plugin(found),
    }
}

fn describe_plugin(found: &FoundExtension) -> ExtensionInfo {
    let reading = found.reading().unwrap_or_default();
    let problems = reading.problems.iter().map(ToString::to_string);
    let mut info = ExtensionInfo {
        problems: problems.collect(),
        ..blank(found, ExtensionKind::Unknown, reading.plugin.is_some())
    };
    match reading.plugin {
        Some(plugin) => tell_plugin(&mut info, plugin),
        None if info.problems.is_empty() => {
            info.problems
                .push("it has no manifest that is read".to_owned());
        }
        None => {}
    }
    info
}

/// The manifest of ours, or what is wrong in it; `None` if there is none.
fn program(found: &FoundExtension) -> Option<Result<Manifest, Vec<String>>> {
    let path = found.shown_dir().join(MANIFEST);
    let bytes = match trusted_file::read(&path, MAX_MANIFEST, Trust::Untrusted) {
        Ok(read) => read?.1,
        Err(problem) => return Some(Err(vec![ErrorChain(&problem).to_string()])),
    };
    let manifest = Manifest::read(&String::from_utf8_lossy(&bytes), Some(found.id.as_str()));
    let named = |problem: &Problem| format!("{MANIFEST}: {problem}");
    Some(manifest.map_err(|problems| problems.iter().map(named).collect()))
}

fn tell_program(info: &mut ExtensionInfo, manifest: &Manifest) {
    info.version = Some(manifest.version.clone());
    info.description = format!("{}: {}", manifest.name, manifest.command.join(" "));
    let tools = manifest.tools.iter();
    let name = |tool: &str| tool_name(manifest.id.as_str(), tool, |_| false);
    info.tools = tools.map(|it| name(&it.name)).collect();
    if info.source == SkillSource::Project {
        let text = "the programs of a project's extensions are not run yet";
        info.not_run.push(text.to_owned());
    }
}

fn blank(found: &FoundExtension, kind: ExtensionKind, is_readable: bool) -> ExtensionInfo {
    ExtensionInfo {
        id: found.id.to_string(),
        kind,
        state: state(found, is_readable),
        source: match found.is_project {
            true => SkillSource::Project,
            false => SkillSource::User,
        },
        path: found.dir.display().to_string(),
        version: None,
        description: String::new(),
        tools: Vec::new(),
        commands: Vec::new(),
        skills: Vec::new(),
        hooks: Vec::new(),
        not_run: Vec::new(),
        problems: Vec::new(),
    }
}

fn state(found: &FoundExtension, is_readable: bool) -> SkillState {
    match &found.state {
        ExtensionState::Shadowed => SkillState::Shadowed,
        _ if !is_readable => SkillState::Invalid,
        ExtensionState::Usable(_) => SkillState::Available,
        ExtensionState::Inert(Inert::Untrusted(_)) => SkillState::Untrusted,
        ExtensionState::Inert(_) => SkillState::Changed,
    }
}

fn tell_plugin(info: &mut ExtensionInfo, plugin: Plugin) {
    info.kind = match plugin.format {
        PluginFormat::Claude => ExtensionKind::Claude,
        PluginFormat::Codex => ExtensionKind::Codex,
        PluginFormat::AgentPlugins => ExtensionKind::AgentPlugins,
    };
    let id = &plugin.id;
    let commands = plugin.commands.iter();
    info.commands = commands.map(|it| format!("{id}:{}", it.name)).collect();
    let skills = plugin.skills.iter().filter_map(|dir| dir.file_name());
    let skills = skills.map(|it| format!("{id}:{}", it.to_string_lossy()));
    info.skills = skills.collect();
    info.hooks = plugin.hooks.iter().map(|hook| hook.summary()).collect();
    info.not_run = plugin.not_run.iter().map(ToString::to_string).collect();
    info.version = plugin.version;
    info.description = plugin.description;
}
