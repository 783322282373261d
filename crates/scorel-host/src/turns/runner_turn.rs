use std::sync::Arc;

use scorel_engine::{Runner as _, ToolClass};
use scorel_guidance::instructions::guides;
use scorel_proto::TurnError;
use scorel_session::{PreparedTurn, TurnBackend};

use super::Turns;
use super::new_turn::NewTurn;
use super::offered::is_offered;
use super::session_state::SessionTools;
use crate::notices;
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
        let opened = self.runners.open(config, settings, dir);
        let runner = opened.map_err(|error| error.turn_error())?;
        let mode = turn.mode();
        check_suitable(settings, runner.capabilities(), mode).map_err(|it| it.turn_error())?;
        let SessionTools { project, .. } = turn.session.tools(request, config, dir)?;
        // Hooks may look at what is asked about as at calls of our own tools.
        let place = self.tool_place(turn, Arc::clone(&project));
        let mut sources = self.sources.iter();
        sources.try_for_each(|it| it.admits_runner(&place))?;
        let tools = self.own_tools(turn, &place)?;
        let preset = request.tools.unwrap_or(config.tools.preset);
        let sources = self.sources.iter();
        let limits = sources.fold(turn.limits(), |limits, it| it.limited(&place, limits));
        let own = tools.only(|it| it.class == ToolClass::Agents && is_offered(preset, it.class));
        let offered = request
            .turn_id
            .filter(|_| own.specs().len() > 0)
            .map(|turn_id| {
                let turn = (request.session_id, turn_id);
                self.runners.offer(settings, turn, own)
            });
        let (own_tools, missing) = match offered.transpose() {
            Ok(own) => (own, None),
            Err(reason) => (None, Some(notices::without_agent_tools(name, &reason))),
        };
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
            own_tools,
            limits,
        };
        Ok(PreparedTurn {
            backend: TurnBackend::Runner(parts.prepared(runner)),
            notices: missing.into_iter().collect(),
        })
    }
}
