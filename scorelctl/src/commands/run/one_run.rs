use clap::Args;

use crate::run_selector::RunSelector;

#[derive(Debug, Args)]
pub(crate) struct OneRun {
    /// Id of the run, or the beginning or end of it
    #[arg(value_name = "RUN")]
    pub(crate) run: RunSelector,
}
