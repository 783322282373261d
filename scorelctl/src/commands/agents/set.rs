use std::path::Path;

use scorel_proto::{AgentConfig, SetAgent, SetAgentParams};
use serde_json::Value;

use super::table;
use crate::args::SetAgentArgs;
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;

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
    use crate::args::{AGENT_KEYS, AgentsCommand, CliArguments, CliCommand, ConnectedCommand};

    fn parsed(line: &[&str]) -> Result<SetAgentParams, Failure> {
        let words = ["scorelctl", "agents", "set", "reviewer"];
        let words = words.iter().chain(line);
        let arguments = CliArguments::try_parse_from(words).expect("parsed");
        let CliCommand::Connected(ConnectedCommand::Agents(args)) = arguments.command else {
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
