use scorel_proto::{
    CommandArgument, CommandInfo, CommandKind, ExtensionInfo, ExtensionKind, ListCommands,
    ListCommandsParams, ListCommandsResult, ListExtensions, ListExtensionsParams,
    ListExtensionsResult, ProcessState, RunCommand, RunCommandParams, RunCommandResult,
    SendMessageResult, SkillSource, SkillState, WhileRunning,
};

use super::{method, params_of};
use crate::golden::Golden;
use crate::samples::ids;

pub(super) fn all() -> Vec<Golden> {
    let mut all = Vec::new();
    all.extend(method::<ListExtensions>(
        &ListExtensionsParams {
            project_id: Some(ids::project()),
        },
        &ListExtensionsResult {
            extensions: vec![extension()],
            problems: vec!["`[extensions]`, `order`: there is no extension `tydi` here".into()],
        },
    ));
    all.extend(method::<ListCommands>(
        &ListCommandsParams {
            session_id: Some(ids::session()),
            project_id: None,
        },
        &ListCommandsResult {
            commands: vec![command(), prompt()],
        },
    ));
    let minimal = RunCommandParams {
        session_id: ids::session(),
        name: "tidy:fix".into(),
        arguments: String::new(),
        while_running: None,
        model: None,
        runner: None,
        command_id: None,
    };
    let full = RunCommandParams {
        arguments: "src/parse.rs".into(),
        while_running: Some(WhileRunning::Steer),
        model: Some("sonnet".into()),
        runner: Some("scorel".into()),
        command_id: Some(ids::command()),
        ..minimal.clone()
    };
    all.extend(method::<RunCommand>(
        &full,
        &RunCommandResult {
            message: Some(SendMessageResult::Accepted {
                user_event_id: ids::event(1),
                turn_id: ids::turn(),
                seq: ids::seq(12),
            }),
            reply: Some("3 files are left.".into()),
        },
    ));
    all.push(params_of::<RunCommand>(".minimal", &minimal));
    all
}

fn extension() -> ExtensionInfo {
    ExtensionInfo {
        id: "tidy".into(),
        kind: ExtensionKind::Claude,
        state: SkillState::Untrusted,
        process: Some(ProcessState::Stopped),
        source: SkillSource::Project,
        path: "/home/ada/app/.scorel/extensions/tidy".into(),
        version: Some("1.2.0".into()),
        description: "Tidies up".into(),
        tools: vec!["ext__tidy__check".into()],
        commands: vec!["tidy:fix".into()],
        skills: vec!["tidy:style".into()],
        hooks: vec!["PreToolUse Bash: ${CLAUDE_PLUGIN_ROOT}/guard.sh".into()],
        not_run: vec!["agents (critic): not run; agents are defined in config.toml".into()],
        problems: vec!["commands/broken.md: no line `---` ends its head".into()],
    }
}

fn command() -> CommandInfo {
    CommandInfo {
        name: "tidy:fix".into(),
        description: "Fix a file".into(),
        argument_hint: Some("FILE".into()),
        kind: CommandKind::Plugin,
        source: SkillSource::User,
        arguments: Vec::new(),
        ignored: vec!["`allowed-tools`".into()],
    }
}

fn prompt() -> CommandInfo {
    CommandInfo {
        name: "mcp__tickets__review".into(),
        description: "Review a ticket".into(),
        argument_hint: Some("<ticket>".into()),
        kind: CommandKind::Prompt,
        source: SkillSource::Project,
        arguments: vec![CommandArgument {
            name: "ticket".into(),
            description: "Its number".into(),
            required: true,
        }],
        ignored: Vec::new(),
    }
}
