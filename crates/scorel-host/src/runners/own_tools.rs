//! The daemon's own tools for the runner of a turn.

use std::sync::Arc;

use nix::unistd::geteuid;
use scorel_config::{RunnerConfig, RunnerSandbox};
use scorel_engine::{OwnCalls, ToolList, ToolServer};
use scorel_proto::{ErrorChain, SessionId, TurnId};
use scorel_turn_tools::{Turn, TurnTools, server_program, socket_path};

use super::HostRunners;

/// Tools for a runner, and its way to them.
pub(crate) struct OwnTools {
    pub(super) calls: Arc<dyn OwnCalls>,
    pub(super) server: Arc<ToolServer>,
}

impl HostRunners {
    /// Offers tools to the runner of a turn, until they are dropped. The error is a sentence without its full stop.
    pub(crate) fn offer(
        &self,
        runner: &RunnerConfig,
        (session_id, turn_id): (SessionId, TurnId),
        tools: ToolList,
    ) -> Result<OwnTools, String> {
        if runner.sandbox == RunnerSandbox::Scorel {
            return Err("nothing in a sandbox of Scorel can connect to the daemon".to_owned());
        }
        let daemon = std::env::current_exe().map_err(|error| error.to_string())?;
        let program = server_program(&daemon).map_err(|error| error.to_string())?;
        let socket = socket_path(&self.sockets, session_id);
        let turn = Turn {
            session_id,
            turn_id,
            uid: geteuid().as_raw(),
        };
        let calls = TurnTools::open(turn, &socket, tools)
            .map_err(|error| ErrorChain(&error).to_string())?;
        let arguments = ["mcp", "serve", "--turn"].map(str::to_owned);
        let server = ToolServer {
            program,
            arguments: arguments
                .into_iter()
                .chain([socket.display().to_string()])
                .collect(),
            socket,
        };
        Ok(OwnTools {
            calls,
            server: Arc::new(server),
        })
    }
}
