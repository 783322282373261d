use std::ffi::OsString;

use clap::Args;

/// What `scoreld config` is given. It parses that itself, and has the help.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// What to do; `--help` lists it
    #[arg(
        value_name = "COMMAND",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) arguments: Vec<OsString>,
}
