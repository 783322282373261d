use std::path::Path;

use scorel_proto::{SetAgent, SetAgentParams};

use super::table;
use crate::args::SetAgentArgs;
use crate::daemon::{DaemonClient, new_command_id};
use crate::failure::Failure;
use crate::output::{Output, result};

/// Adds an agent, or changes what the arguments name.
pub(super) async fn run(
    args: &SetAgentArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<(), Failure> {
    let answer = control.call::<SetAgent>(&params(args)?).await?;
    result(output, &answer, |output| {
        let mut lines = table::lines(std::slice::from_ref(&answer.agent)).into_iter();
        lines.try_for_each(|line| output.line(&line))
    })?;
    Ok(())
}

fn params(args: &SetAgentArgs) -> Result<SetAgentParams, Failure> {
    Ok(SetAgentParams {
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
        max_turn_tokens: None,
        max_turn_seconds: None,
        max_session_cost: None,
        command_id: Some(new_command_id()),
    })
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
    use crate::args::{AgentsCommand, CliArguments, CliCommand};

    fn parsed(line: &[&str]) -> Result<SetAgentParams, Failure> {
        let words = ["scorelctl", "agents", "set", "reviewer"];
        let words = words.iter().chain(line);
        let arguments = CliArguments::try_parse_from(words).expect("parsed");
        let CliCommand::Agents(args) = arguments.command else {
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
