//! Agents that are installed, tested as `runners check` does.

use std::time::Duration;

use scorel_client::ClientError;
use scorel_proto::{
    CheckRunner, CheckRunnerParams, ListRunners, ListRunnersParams, RunnerErrorKind, RunnerInfo,
    RunnerType,
};
use serde::Deserialize as _;
use tokio::time::{Instant, timeout_at};

use crate::cli::Cli;
use crate::failure::Failure;
use scorel_screen::escape::one_line;

/// For all tests together. An agent that needs longer is tested again once it is chosen.
const PATIENCE: Duration = Duration::from_secs(10);

/// An agent whose program is there.
#[derive(Debug)]
pub(super) struct RunnerOffer {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) is_usable: bool,
}

/// The agents whose programs are there, by name.
pub(super) async fn installed(cli: &mut Cli<'_>) -> Result<Vec<RunnerOffer>, Failure> {
    let params = ListRunnersParams::default();
    let mut runners = cli.call::<ListRunners>(&params).await?.runners;
    runners.retain(|it| it.installed == Some(true) && it.problem.is_none());
    if runners.is_empty() {
        return Ok(Vec::new());
    }
    cli.note("testing the agents that are installed …")?;
    let connection = cli.daemon.link().connect_identified().await?;
    let until = Instant::now() + PATIENCE;
    let test = |runner: RunnerInfo| {
        let connection = connection.clone();
        tokio::spawn(async move {
            let params = CheckRunnerParams {
                runner: runner.name.clone(),
            };
            let check = timeout_at(until, connection.call::<CheckRunner>(&params));
            let failure = check.await.map(Result::err);
            offer(&runner, failure.ok().as_ref().map(Option::as_ref))
        })
    };
    let tests: Vec<_> = runners.into_iter().map(test).collect();
    let mut offers = Vec::new();
    for test in tests {
        // One that panicked offers nothing.
        offers.extend(test.await.ok());
    }
    Ok(offers)
}

/// An agent with the result of its test: `None` if that has not ended in time, otherwise its failure, if there is one.
fn offer(runner: &RunnerInfo, failure: Option<Option<&ClientError>>) -> RunnerOffer {
    let kind = match failure.flatten() {
        Some(ClientError::Rpc(error)) => RunnerErrorKind::deserialize(&error.details["kind"]).ok(),
        _ => None,
    };
    let found = match (failure, kind) {
        (None, _) => "is installed".to_owned(),
        (Some(None), _) if runner.runner_type == RunnerType::ClaudeCode => {
            "is installed; its first answer tells whether it is logged in".to_owned()
        }
        (Some(None), _) => "is installed and can be used".to_owned(),
        (_, Some(RunnerErrorKind::NotLoggedIn)) => match &runner.login_command {
            Some(login) => format!("is installed, not logged in: run `{login}`"),
            None => "is installed, not logged in".to_owned(),
        },
        (Some(Some(error)), _) => format!("is installed and cannot be used: {error}"),
    };
    RunnerOffer {
        name: runner.name.clone(),
        text: one_line(&format!("{:<12}{} {found}", runner.name, runner.label)),
        is_usable: failure.flatten().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use scorel_proto::{ErrorCode, RpcError};
    use serde_json::json;

    use super::*;

    #[test]
    fn an_agent_that_fails_its_test_is_told_and_not_offered() {
        let runner = |kind: &str| -> RunnerInfo {
            let all = json!({
                "permissions": true, "steer": true, "resume": true, "images": true, "usage": true,
                "cost": true, "cancel": true,
            });
            let info = json!({
                "name": "x", "label": "X", "type": kind, "capabilities": all,
                "loginCommand": "x login",
            });
            serde_json::from_value(info).expect("a runner")
        };
        let failed = |kind: &str| {
            let error = RpcError::new(ErrorCode::RunnerError, "it is silent");
            Some(Some(ClientError::Rpc(
                error.with_details(json!({"kind": kind})),
            )))
        };
        for (kind, failure, is_usable, expected) in [
            ("codex", None, true, "X is installed"),
            ("codex", Some(None), true, "X is installed and can be used"),
            (
                "claude-code",
                Some(None),
                true,
                "X is installed; its first answer tells whether it is logged in",
            ),
            (
                "acp",
                failed("runner_not_logged_in"),
                false,
                "X is installed, not logged in: run `x login`",
            ),
            (
                "acp",
                failed("runner_protocol"),
                false,
                "X is installed and cannot be used: it is silent",
            ),
        ] {
            let offered = offer(&runner(kind), failure.as_ref().map(Option::as_ref));
            assert_eq!(offered.is_usable, is_usable, "{expected}");
            assert_eq!(offered.text, format!("x           {expected}"));
        }
    }
}
