use std::path::Path;

use clap::Args;
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser};
use scorel_proto::{
    AgentConfig, AgentWorkspace, SetAgent, SetAgentParams, ThinkingLevel, ToolPreset,
};
use serde_json::{Number, Value};

use super::table;
use crate::args::{THINKING_LEVELS, WORKSPACES, protocol_name};
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;

/// The keys of an agent's table.
pub(crate) const AGENT_KEYS: [&str; 14] = [
    "displayName",
    "description",
    "capabilities",
    "runner",
    "model",
    "thinkingLevel",
    "tools",
    "prompt",
    "workspace",
    "defaultQuota",
    "enabled",
    "maxTurnTokens",
    "maxTurnSeconds",
    "maxSessionCost",
];

#[derive(Debug, Args)]
pub(crate) struct SetAgentArgs {
    /// The agent's name in the configuration: letters, digits, `-` and `_`
    #[arg(value_name = "TYPE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) agent_type: String,
    /// The name to show
    #[arg(long, value_name = "NAME")]
    pub(crate) display_name: Option<String>,
    /// The purpose of the agent, for the model that gives it tasks
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// An ability of the agent, in a word or two; may be given several times, and replaces the whole list
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) capability: Vec<String>,
    /// The runner of its turns, as listed by `scorelctl runners`; `scorel` is the daemon's own engine
    #[arg(long, short, value_name = "RUNNER", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) runner: Option<String>,
    /// Its model, as listed by `scorelctl models`
    #[arg(long, short)]
    pub(crate) model: Option<String>,
    /// The level of reasoning of its model
    #[arg(long, value_name = "LEVEL", value_parser = protocol_name::<ThinkingLevel>(THINKING_LEVELS))]
    pub(crate) thinking_level: Option<ThinkingLevel>,
    /// Its tools
    #[arg(long, value_name = "PRESET",
        value_parser = protocol_name::<ToolPreset>(ToolPreset::ALL.map(ToolPreset::name)))]
    pub(crate) tools: Option<ToolPreset>,
    /// Its prompt, besides the task; `@FILE` reads a file
    #[arg(long, value_name = "TEXT|@FILE")]
    pub(crate) prompt: Option<String>,
    /// The files that it works on: shared (the project's) or worktree (a git worktree for each task)
    #[arg(long, value_name = "WHICH", value_parser = protocol_name::<AgentWorkspace>(WORKSPACES))]
    pub(crate) workspace: Option<AgentWorkspace>,
    /// The greatest number of its runtimes that may run at once where no quota of a project says otherwise
    #[arg(long, value_name = "N")]
    pub(crate) default_quota: Option<u32>,
    /// The most tokens that a turn of it may use
    #[arg(long, value_name = "N")]
    pub(crate) max_turn_tokens: Option<u64>,
    /// The longest time that a turn of it may take
    #[arg(long, value_name = "SECONDS")]
    pub(crate) max_turn_seconds: Option<u64>,
    /// The most that a session of it may cost
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    pub(crate) max_session_cost: Option<Number>,
    /// Take a key out of the configuration, so that its default counts; may be given several times
    #[arg(long, value_name = "KEY", value_parser = PossibleValuesParser::new(AGENT_KEYS))]
    pub(crate) unset: Vec<String>,
    /// Let it take tasks
    #[arg(long, conflicts_with = "disable")]
    pub(crate) enable: bool,
    /// Let it take no tasks; tasks it already has continue
    #[arg(long)]
    pub(crate) disable: bool,
}

fn dollars(text: &str) -> Result<Number, &'static str> {
    text.parse().map_err(|_| "the form is 2.5")
}

/// Adds an agent, or changes what the arguments name.
pub(super) async fn run(args: &SetAgentArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let answer = cli.call::<SetAgent>(&params(args)?).await?;
    cli.result(&answer, |output| {
        output.lines(table::lines(std::slice::from_ref(&answer.agent)))?;
        match limits(&answer.agent.config) {
            limits if limits.is_empty() => Ok(()),
            limits => output.line(&format!("limits: {limits}")),
        }
    })
}

/// The limits of an agent in words; empty if it has none of its own.
fn limits(config: &AgentConfig) -> String {
    let limits = [
        config
            .max_turn_tokens
            .map(|it| format!("{it} tokens a turn")),
        config.max_turn_seconds.map(|it| format!("{it} s a turn")),
        config
            .max_session_cost
            .as_ref()
            .map(|it| format!("${it} a session")),
    ];
    limits.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn params(args: &SetAgentArgs) -> Result<SetAgentParams, Failure> {
    let params = SetAgentParams {
        agent_type: args.agent_type.clone(),
        display_name: args.display_name.clone().map(Some),
        description: args.description.clone().map(Some),
        capabilities: (!args.capability.is_empty()).then(|| Some(args.capability.clone())),
        runner: args.runner.clone().map(Some),
        model: args.model.clone().map(Some),
        thinking_level: args.thinking_level.map(Some),
        tools: args.tools.map(Some),
        prompt: args.prompt.as_deref().map(prompt).transpose()?.map(Some),
        workspace: args.workspace.map(Some),
        default_quota: args.default_quota.map(Some),
        enabled: (args.enable || args.disable).then_some(Some(args.enable)),
        max_turn_tokens: args.max_turn_tokens.map(Some),
        max_turn_seconds: args.max_turn_seconds.map(Some),
        max_session_cost: args.max_session_cost.clone().map(Some),
        command_id: Some(new_command_id()),
    };
    without(&params, &args.unset)
}

/// The parameters with `null` for keys that are to go.
fn without(params: &SetAgentParams, keys: &[String]) -> Result<SetAgentParams, Failure> {
    let mut wire = serde_json::to_value(params).expect("parameters are JSON");
    for key in keys {
        if wire.get(key).is_some_and(|value| !value.is_null()) {
            let message = format!("`{key}` cannot be set and taken out at once");
            return Err(Failure::usage(message));
        }
        wire[key] = Value::Null;
    }
    Ok(serde_json::from_value(wire).expect("every key may be null"))
}

/// The prompt, or the content of the file that it names.
fn prompt(text: &str) -> Result<String, Failure> {
    let Some(path) = text.strip_prefix('@').map(Path::new) else {
        return Ok(text.to_owned());
    };
    std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::commands::agents::AgentsCommand;
    use crate::commands::{CliArguments, CliCommand, ConnectedCommand};

    fn parsed(line: &[&str]) -> Result<SetAgentParams, Failure> {
        let words = ["scorelctl", "agents", "set", "reviewer"];
        let words = words.iter().chain(line);
        let arguments = CliArguments::try_parse_from(words).expect("parsed");
        let Some(CliCommand::Connected(ConnectedCommand::Agents(args))) = arguments.command else {
            panic!("agents")
        };
        let Some(AgentsCommand::Set(args)) = args.action else {
            panic!("set")
        };
        params(&args)
    }

    #[test]
    fn what_is_not_named_stays() {
        let params = parsed(&[]).expect("params");
        let unchanged = SetAgentParams {
            agent_type: "reviewer".to_owned(),
            command_id: params.command_id.clone(),
            ..SetAgentParams::default()
        };
        assert_eq!(params, unchanged);
        assert_eq!(
            parsed(&["--enable"]).expect("params").enabled,
            Some(Some(true))
        );
        assert_eq!(
            parsed(&["--disable"]).expect("params").enabled,
            Some(Some(false))
        );
        let params = parsed(&["--capability", "rust", "--capability", "tests"]).expect("params");
        assert_eq!(
            params.capabilities,
            Some(Some(vec!["rust".to_owned(), "tests".to_owned()]))
        );
    }

    #[test]
    fn a_key_that_is_taken_out_is_null() {
        let line = [
            "--max-session-cost",
            "2.5",
            "--unset",
            "model",
            "--unset",
            "maxTurnTokens",
        ];
        let wire = serde_json::to_value(parsed(&line).expect("params")).expect("json");
        let null = Some(&Value::Null);
        assert_eq!((wire.get("model"), wire.get("maxTurnTokens")), (null, null));
        assert_eq!(wire["maxSessionCost"], 2.5);
        assert_eq!(wire.get("maxTurnSeconds"), None);
        for key in AGENT_KEYS {
            let wire = serde_json::to_value(parsed(&["--unset", key]).expect("params"));
            assert_eq!(wire.expect("json").get(key), null, "{key}");
        }
        let both = ["--disable", "--unset", "enabled"];
        assert!(parsed(&both).is_err());
    }

    #[test]
    fn a_prompt_may_be_in_a_file() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("prompt.md");
        std::fs::write(&file, "Be strict.\n").expect("written");
        assert_eq!(prompt("Be kind.").expect("a prompt"), "Be kind.");
        let named = format!("@{}", file.display());
        assert_eq!(prompt(&named).expect("a prompt"), "Be strict.\n");
        assert!(prompt("@/no/such/file").is_err());
    }
}
