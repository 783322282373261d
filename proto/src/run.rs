//! Runs of workflows: their phases, and the records that sessions keep of them.

mod due_engine_turn;
mod engine_turn;
mod intent;
mod phase;
mod reason;
mod records;
mod session_run;

pub use due_engine_turn::DueEngineTurn;
pub use engine_turn::{ENGINE_TURN_KIND, EngineTurnBody};
pub use intent::RunIntent;
pub use phase::RunPhase;
pub use reason::RunReason;
pub use records::{
    NODE_BRIEF_KIND, RUN_MODE_KIND, RUN_PHASE_KIND, RUN_STARTED_KIND, RUN_STATE_KIND, RunModeData,
    RunPackage, RunPhaseData, RunSpent, RunStartedData, RunStateCause, RunStateData,
};
pub use session_run::SessionRun;
