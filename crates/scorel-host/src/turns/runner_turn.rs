use std::sync::Arc;

use scorel_config::check_preset;
use scorel_engine::Runner as _;
use scorel_guidance::instructions::guides;
use scorel_proto::TurnError;
use scorel_session::{PreparedTurn, TurnBackend};

use super::Turns;
use super::new_turn::NewTurn;
use super::session_state::SessionTools;
use super::turn_error::config_error;
use crate::runners::{HostRunners, RunnerParts, check_suitable};
use scorel_gate::CommandPlace;

impl Turns {
    /// A turn of a foreign agent.
    pub(super) fn runner_turn(
        &self,
        turn: &NewTurn<'_>,
        name: &str,
    ) -> Result<PreparedTurn, TurnError> {
        let NewTurn {
            request,
            config,
            dir,
            ..
        } = *turn;
        let found = HostRunners::find(config, name);
        let settings = found.map_err(|unknown| unknown.error().turn_error())?;
        check_preset(name, request.tools).map_err(config_error)?;
        let opened = self.runners.open(config, settings, dir);
        let runner = opened.map_err(|error| error.turn_error())?;
        let mode = config.permissions.mode;
        check_suitable(settings, runner.capabilities(), mode).map_err(|it| it.turn_error())?;
        let SessionTools { project, .. } = turn.session.tools(request, config, dir)?;
        // Hooks may look at what is asked about as at calls of our own tools.
        let place = self.tool_place(turn, Arc::clone(&project));
        let (tools, _) = self.offered_tools(&place, turn.stop)?;
        let hooks = turn.of_hooks(&tools).chain(&self.hooks, []);
        let parts = RunnerParts {
            settings,
            mode,
            project: &project,
            instructions: guides(settings.wire, &self.places.home, dir),
            fetcher: self.fetcher.allowing(&config.tools.fetch_private),
            gate: Arc::new(self.gate(turn, CommandPlace::Runner)?),
            own_gate: Arc::new(self.gate(turn, self.command_place())?),
            hooks,
            limits: turn.limits(),
        };
        Ok(PreparedTurn {
            backend: TurnBackend::Runner(parts.prepared(runner)),
            notices: Vec::new(),
        })
    }
}
