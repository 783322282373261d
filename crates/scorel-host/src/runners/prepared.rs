use std::sync::Arc;

use scorel_config::{OnContextLost, RunnerConfig};
use scorel_engine::{Gatekeeper, HookChain, RunnerPorts, TurnLimits};
use scorel_fetch::Fetcher;
use scorel_permission::Mode;
use scorel_runner::WireRunner;
use scorel_session::{PreparedRunner, TokioClock};
use scorel_tools::ProjectTools;

use super::effects::ProjectEffects;
use super::own_tools::OwnTools;
use super::services::ProjectServices;
use super::suitable::{access, settings_hash};

/// What a runner's turn is made of, besides the runner.
pub(crate) struct RunnerParts<'a> {
    pub(crate) settings: &'a RunnerConfig,
    pub(crate) mode: Mode,
    pub(crate) project: &'a ProjectTools,
    /// Instructions that it does not read itself.
    pub(crate) instructions: Option<String>,
    pub(crate) fetcher: Fetcher,
    /// Judges what the runner does itself.
    pub(crate) gate: Arc<dyn Gatekeeper>,
    /// Judges what the session's tools do for it.
    pub(crate) own_gate: Arc<dyn Gatekeeper>,
    pub(crate) hooks: HookChain,
    /// The daemon's own tools that it is offered.
    pub(crate) own_tools: Option<OwnTools>,
    pub(crate) limits: TurnLimits,
}

impl RunnerParts<'_> {
    pub(crate) fn prepared(self, runner: WireRunner) -> PreparedRunner {
        let (settings, files) = (self.settings, self.project.files());
        let (own_calls, tools) = self.own_tools.map(|it| (it.calls, it.server)).unzip();
        let settings_hash = settings_hash(settings, self.mode, tools.as_deref(), &runner);
        let commands = self.project.commands().cloned();
        let services = ProjectServices::new(Arc::clone(files), commands, self.own_gate);
        let effects = ProjectEffects {
            files: Arc::clone(files),
            fetcher: self.fetcher,
        };
        let ports = RunnerPorts {
            runner: Arc::new(runner),
            gate: self.gate,
            hooks: self.hooks,
            effects: Arc::new(effects),
            services: Arc::new(services),
            own_calls,
            clock: Arc::new(TokioClock::new()),
            limits: self.limits,
            idle: settings.idle,
            cancel: settings.cancel,
            renew_lost: settings.on_context_lost == OnContextLost::Renew,
        };
        PreparedRunner {
            ports,
            directory: files.project().to_owned(),
            access: access(self.mode),
            instructions: self.instructions,
            tools,
            keep: settings.keep,
            settings_hash,
            handover_bytes: settings.handover_bytes,
        }
    }
}
