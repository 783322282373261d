use clap::{Args, ValueEnum};
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};
use serde_json::json;

use crate::completion::VARIABLE;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell that reads the script
    #[arg(value_name = "SHELL")]
    pub(crate) shell: CompletedShell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompletedShell {
    /// In ~/.bashrc: source <(scorelctl completions bash)
    Bash,
    /// In ~/.zshrc, after compinit: source <(scorelctl completions zsh)
    Zsh,
    /// In ~/.config/fish/config.fish: scorelctl completions fish | source
    Fish,
}

const PROGRAM: &str = "scorelctl";

/// zsh runs a file of its `fpath` as the completer itself, at the first press of the key.
const ZSH_AUTOLOAD: &str = r#"
if [[ "${funcstack[1]}" == "_scorelctl" ]]; then
    _clap_dynamic_completer_scorelctl "$@"
fi
"#;

/// Prints the script for the shell. It asks the program that is on `PATH` when it is used.
pub(super) fn run(args: &CompletionsArgs, output: &mut Output) -> Result<(), Failure> {
    let shell: &dyn EnvCompleter = match args.shell {
        CompletedShell::Bash => &Bash,
        CompletedShell::Zsh => &Zsh,
        CompletedShell::Fish => &Fish,
    };
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)?;
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if args.shell == CompletedShell::Zsh {
        script.push_str(ZSH_AUTOLOAD);
    }
    output.result(&json!({ "script": script }), |output| output.raw(&script))?;
    Ok(())
}
