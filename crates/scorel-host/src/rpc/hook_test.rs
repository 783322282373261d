//! `testHook`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use scorel_config::Config;
use scorel_engine::{BlobSink, ToolList, spawn_blocking};
use scorel_exec::ShellExit;
use scorel_extension::hook::{CommandHook, HookRun};
use scorel_extension::nearest;
use scorel_proto::{
    BlobHash, ErrorChain, HookInfo, HookState, HookTestRun, ProjectId, SessionId, TestHookParams,
    TestHookResult, excerpt,
};
use scorel_session::SessionError;
use scorel_tools::{ProjectTools, ToolHost};

use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};
use crate::rpc::hooks::listed;
use crate::turns::HookTurn;

/// The bytes of an output that are returned.
const MAX_SHOWN: usize = 64 * 1024;

pub(super) async fn test(host: Arc<Host>, params: TestHookParams) -> Reply<TestHookResult> {
    let project = (params.project_id, host.project_dir(params.project_id)?);
    let name = params.name;
    let found = spawn_blocking(move || find(&host, &project, &name)).await??;
    let (info, hook) = match found {
        (info, Some(hook)) => (info, hook),
        (hook, None) => {
            let reason = hook.warnings.first().cloned();
            return Ok(TestHookResult {
                hook,
                matched: false,
                reason: reason.or_else(|| Some("it is not run".to_owned())),
                runs: Vec::new(),
                effects: Vec::new(),
                failure: None,
                duration_ms: 0,
            });
        }
    };
    let began = Instant::now();
    let given = params.input.unwrap_or_default();
    let trial = hook.tried(params.tool.as_deref(), given).await;
    Ok(TestHookResult {
        hook: info,
        matched: trial.unmatched.is_none(),
        reason: trial.unmatched,
        runs: trial.runs.into_iter().map(run).collect(),
        effects: trial.effects,
        failure: trial.failure,
        duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

/// A hook as it is listed, and as a turn of the project would have it; none if it would not have it. Reads files.
fn find(
    host: &Host,
    project: &(ProjectId, PathBuf),
    name: &str,
) -> Result<(HookInfo, Option<CommandHook>), CallError> {
    let mut all = listed(host, Some(project)).hooks;
    all.sort_by_key(|hook| hook.state != HookState::Active);
    let Some(info) = all.iter().position(|hook| hook.name == name) else {
        let known = all.iter().map(|hook| hook.name.as_str());
        return Err(CallError::UnknownName {
            kind: "hook",
            suggestion: nearest(name, known).map(str::to_owned),
            name: name.to_owned(),
        });
    };
    let info = all.swap_remove(info);
    if info.state != HookState::Active {
        return Ok((info, None));
    }
    let (project_id, directory) = project;
    let config = host.config.current(Some(directory));
    let tools = tools(host, directory, &config)?;
    let turn = HookTurn {
        session_id: SessionId::generate(),
        project_id: *project_id,
        turn_id: None,
        directory,
        project: directory,
        agent: None,
        runner: None,
        tools: &tools,
        config: &config,
        mode: config.permissions.mode,
    };
    let mut hooks = host.command_hooks.of_turn(&turn).commands.into_iter();
    let hook = hooks.find(|hook| scorel_engine::Hooks::name(hook) == name);
    Ok((info, hook))
}

/// The tools of the directory, by which hooks know what a call would do.
fn tools(host: &Host, directory: &Path, config: &Arc<Config>) -> Result<ToolList, CallError> {
    let commands = host.runners.commands.open(config, directory);
    let tools = ProjectTools::new(directory, ToolHost::new(&host.home, Arc::new(NoBlobs)));
    let tools = tools.map_err(|error| SessionError::Filesystem(ErrorChain(&error).to_string()))?;
    let tools = ToolList::new(tools.with_commands(commands).list());
    tools.map_err(|error| CallError::Internal(error.to_string()))
}

/// No call of the tools is run.
#[derive(Debug)]
struct NoBlobs;

impl BlobSink for NoBlobs {
    fn store(&self, _: &[u8]) -> io::Result<BlobHash> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

fn run(run: HookRun) -> HookTestRun {
    HookTestRun {
        stdin: run.input,
        exit_code: match run.exit {
            Some(ShellExit::Code(code)) => Some(code),
            Some(ShellExit::Signal(_)) | None => None,
        },
        stdout: excerpt(&run.stdout, MAX_SHOWN),
        stderr: run.stderr,
    }
}
