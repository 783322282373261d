use clap::Args;
use scorel_client::ClientError;
use scorel_proto::{ErrorCode, METHODS};
use serde_json::Value;
use serde_json::value::RawValue;

use super::input::read_input;
use crate::daemon::{DaemonConnector, no_daemon};
use crate::failure::Failure;
use crate::output::Output;
use crate::similar::similar;

#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// Name of the method
    #[arg(value_name = "METHOD")]
    pub(crate) method: String,
    /// Parameters as JSON; `-` reads standard input
    #[arg(value_name = "JSON|-")]
    pub(crate) params: Option<String>,
}

/// Calls a method once, without repeating it after a lost connection: it may not be idempotent.
pub(super) async fn run(
    args: &CallArgs,
    link: &DaemonConnector,
    output: &mut Output,
) -> Result<(), Failure> {
    let params = match args.params.as_deref() {
        None => None,
        Some("-") => Some(parse(&read_input()?)?),
        Some(text) => Some(parse(text)?),
    };
    let connection = link
        .connect_identified()
        .await
        .map_err(|error| no_daemon(link.start, error))?;
    let answer = connection.call_raw(&args.method, params.as_deref()).await;
    let result = answer.map_err(|error| refused(&args.method, error))?;
    if output.json || !output.out_is_terminal {
        output.raw_line(result.get())?;
    } else {
        output.line(&pretty(&result))?;
    }
    Ok(())
}

fn refused(method: &str, error: ClientError) -> Failure {
    let is_unknown =
        matches!(&error, ClientError::Rpc(error) if error.code == ErrorCode::MethodNotFound);
    let methods = METHODS.iter().map(|method| method.name);
    match similar(method, methods).filter(|_| is_unknown) {
        Some(name) => Failure::from(error).hint(format!("did you mean `{name}`?")),
        None => error.into(),
    }
}

fn parse(text: &str) -> Result<Box<RawValue>, Failure> {
    RawValue::from_string(text.trim().to_owned())
        .map_err(|error| Failure::usage(format!("the parameters are not JSON: {error}")))
}

fn pretty(result: &RawValue) -> String {
    let value: serde_json::Result<Value> = serde_json::from_str(result.get());
    let text = value.and_then(|value| serde_json::to_string_pretty(&value));
    text.unwrap_or_else(|_| result.get().to_owned())
}
