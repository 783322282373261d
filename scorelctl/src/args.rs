//! The command line.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use scorel_proto::{ToolPreset, WhileRunning};

use crate::exit::Exit;
use crate::wanted::Wanted;

/// Talks to coding agents that live in the Scorel daemon.
#[derive(Debug, Parser)]
#[command(name = "scorelctl", version, after_help = Exit::help(), max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// The daemon's directory [default: $SCOREL_HOME, else ~/.scorel]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Write JSON for programs: one value a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Fail if no daemon is running, instead of starting one
    #[arg(long, global = true)]
    pub(crate) no_start: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Say something to an agent and watch it answer
    Send(SendArgs),
    /// Follow a session: its last turn, then whatever happens
    Tail(TailArgs),
    /// List sessions, the one that changed last first
    Sessions(SessionsArgs),
    /// List the registered directories
    Projects,
    /// Print the conversation of a session
    Show(Target),
    /// Cancel the turn that is running
    Cancel(CancelArgs),
    /// Answer a tool that asks for permission; without a request, list those that ask
    Approve(ApproveArgs),
    /// List the models that can be used
    Models(ModelsArgs),
    /// Choose a model: find keys and local servers, write the configuration, try the model
    Init(InitArgs),
    /// Say how the daemon is
    Status,
    /// Call any method of the daemon: `scorelctl call rpc.discover` describes them
    Call(CallArgs),
    /// Connect standard input and output to the daemon's socket, for editors
    Stdio,
    /// Stop the daemon and wait until it is gone
    Stop,
    /// Check the home, or one session of it, and say what is damaged
    Fsck(FsckArgs),
    /// Look at everything that is needed, and say what to do about what is missing
    Doctor,
}

/// Which session.
#[derive(Debug, Args)]
pub(crate) struct Target {
    /// A session id or the beginning of one [default: the latest session of the project]
    #[arg(
        long,
        short,
        value_name = "ID|PREFIX",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) session: Wanted,
    /// The project's directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct SendArgs {
    /// A session id, the beginning of one, or `new` [default: the latest session of the project,
    /// or a new one]
    #[arg(
        long,
        short,
        value_name = "ID|PREFIX|new",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) session: Wanted,
    /// The project's directory, registered on first use [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// The model that the session uses from now on: an id at the configured provider, or
    /// PROVIDER:ID, as `scorelctl models` lists them
    #[arg(long, short)]
    pub(crate) model: Option<String>,
    /// Which tools the session has from now on: coding, readonly, all or none
    #[arg(long, value_name = "PRESET")]
    pub(crate) tools: Option<ToolPreset>,
    /// Do not wait for the answer
    #[arg(long, short)]
    pub(crate) detach: bool,
    /// What to do if a turn is running
    #[arg(long, value_name = "WHAT", default_value = "follow-up")]
    pub(crate) while_running: WhileRunningArg,
    /// What to do if a tool asks for permission [default: `ask` at a terminal, else `deny`]
    #[arg(long, value_name = "WHAT")]
    pub(crate) on_ask: Option<OnAsk>,
    /// What to say; `-`, or nothing with a pipe as standard input, reads standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
}

/// What to do if a tool asks for permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnAsk {
    /// Ask the person at the terminal
    Ask,
    /// Refuse
    Deny,
    /// Wait until somebody answers elsewhere
    Wait,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum WhileRunningArg {
    /// The message waits and gets a turn of its own
    FollowUp,
    /// The running turn reads the message at its next step
    Steer,
    /// The message is refused
    Reject,
}

impl From<WhileRunningArg> for WhileRunning {
    fn from(arg: WhileRunningArg) -> Self {
        match arg {
            WhileRunningArg::FollowUp => Self::FollowUp,
            WhileRunningArg::Steer => Self::Steer,
            WhileRunningArg::Reject => Self::Reject,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    #[command(flatten)]
    pub(crate) target: Target,
    /// Begin at this event, or wait for it if it is still to come
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..1 << 53))]
    pub(crate) from_seq: Option<u64>,
    /// Go on with what happens from now on
    #[arg(
        long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_value_t = true, default_missing_value = "true", action = ArgAction::Set,
        hide_default_value = true, hide_possible_values = true
    )]
    pub(crate) follow: bool,
    /// End when everything so far is printed
    #[arg(long, conflicts_with = "follow")]
    pub(crate) no_follow: bool,
}

impl TailArgs {
    pub(crate) const fn follows(&self) -> bool {
        self.follow && !self.no_follow
    }
}

#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    /// The project's directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// The sessions of all projects
    #[arg(long, short, conflicts_with = "project")]
    pub(crate) all: bool,
    /// The sessions that were put away
    #[arg(long)]
    pub(crate) archived: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CancelArgs {
    #[command(flatten)]
    pub(crate) target: Target,
    /// Also take the waiting messages out of the queue
    #[arg(long)]
    pub(crate) clear_queue: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The request's id or the beginning of it
    #[arg(value_name = "REQUEST", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) request: Option<String>,
    /// Look in this session only: an id or the beginning of one [default: all sessions]
    #[arg(
        long,
        short,
        value_name = "ID|PREFIX",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) session: Wanted,
    /// Allow what is like it for the rest of the session
    #[arg(long, requires = "request", conflicts_with_all = ["always", "deny"])]
    pub(crate) for_session: bool,
    /// Allow what is like it in this project from now on
    #[arg(long, requires = "request", conflicts_with = "deny")]
    pub(crate) always: bool,
    /// Refuse
    #[arg(long, requires = "request")]
    pub(crate) deny: bool,
    /// Why; the model is told the reason of a refusal
    #[arg(long, value_name = "TEXT", requires = "request")]
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// Only this provider's models; its endpoint must say which it has
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) provider: Option<String>,
    /// Ask no endpoint: list what is known without
    #[arg(long)]
    pub(crate) offline: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The provider [default: asked for, or the first one found]
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) provider: Option<String>,
    /// The model's id at the provider [default: asked for, or the provider's first]
    #[arg(long, short, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) model: Option<String>,
    /// Another address than the provider's own
    #[arg(long, value_name = "URL", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) base_url: Option<String>,
    /// What a provider that Scorel does not know speaks, such as openai-completions
    #[arg(long, value_name = "WIRE", requires = "base_url", requires = "provider",
        requires = "model", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) api: Option<String>,
    /// The variable that holds the key [default: the provider's usual one]
    #[arg(long, value_name = "VARIABLE", value_parser = variable_name)]
    pub(crate) key_env: Option<String>,
    /// Ask nothing
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Replace the model in a configuration that is there, and add the key to the keys
    #[arg(long)]
    pub(crate) force: bool,
    /// Do not try the model
    #[arg(long)]
    pub(crate) no_check: bool,
}

fn variable_name(text: &str) -> Result<String, &'static str> {
    let letter = |char: char| char.is_ascii_alphabetic() || char == '_';
    let usable = |char: char| letter(char) || char.is_ascii_digit();
    if text.starts_with(letter) && text.chars().all(usable) {
        Ok(text.to_owned())
    } else {
        Err("the name of a variable has letters, digits and `_`; the key itself belongs into it")
    }
}

/// How a check ends, for `--help`.
const FSCK_EXIT_CODES: &str = "\
Exit codes:
  0  nothing is damaged, or everything was repaired
  1  something is wrong and was not repaired
  2  wrong usage
  3  the check or the repair did not take place";

#[derive(Debug, Args)]
#[command(after_help = FSCK_EXIT_CODES)]
pub(crate) struct FsckArgs {
    /// Only this session: its id, or the beginning of it
    #[arg(long, short, value_name = "ID|PREFIX", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
    /// Repair what can be repaired; no daemon may run, and a log is copied before it is replaced
    #[arg(long)]
    pub(crate) repair: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// The method
    #[arg(value_name = "METHOD")]
    pub(crate) method: String,
    /// Its parameters; `-` reads standard input
    #[arg(value_name = "JSON|-")]
    pub(crate) params: Option<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parse(line: &str) -> Result<Command, clap::Error> {
        let words = std::iter::once("scorelctl").chain(line.split(' '));
        Arguments::try_parse_from(words).map(|arguments| arguments.command)
    }

    fn tail(line: &str) -> TailArgs {
        match parse(line) {
            Ok(Command::Tail(args)) => args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn the_help_lists_the_exit_codes() {
        let help = Arguments::command().render_long_help().to_string();
        assert!(
            help.contains("130  Interrupted before anything was accepted."),
            "{help}"
        );
    }

    #[test]
    fn following_can_be_switched_off_in_two_ways() {
        assert!(tail("tail").follows());
        assert!(tail("tail --follow").follows());
        assert!(tail("tail --follow=true").follows());
        assert!(!tail("tail --follow=false").follows());
        assert!(!tail("tail --no-follow").follows());
        assert!(parse("tail --no-follow --follow=true").is_err());
    }

    #[test]
    fn global_options_stand_anywhere() {
        let words = [
            "scorelctl",
            "status",
            "--json",
            "--home",
            "/h",
            "--no-start",
        ];
        let arguments = Arguments::try_parse_from(words).expect("parsed");
        assert!(arguments.global.json && arguments.global.no_start);
    }

    #[test]
    fn a_message_is_words_or_a_dash() {
        for (line, expected) in [
            ("send fix the bug", vec!["fix", "the", "bug"]),
            ("send -", vec!["-"]),
            ("send -- --help", vec!["--help"]),
        ] {
            let Ok(Command::Send(args)) = parse(line) else {
                panic!("{line}")
            };
            assert_eq!(args.text, expected);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for line in [
            "tail --from-seq -1",
            "tail --from-seq 9007199254740992",
            "send --while-running wait x",
            "sessions --all --project /x",
            "fsck --session=",
            "init --key-env sk-123",
            "init --api openai-completions",
            "call",
            "dance",
        ] {
            let error = parse(line).expect_err(line);
            assert_eq!(error.exit_code(), i32::from(Exit::Usage.code()), "{line}");
        }
    }
}
