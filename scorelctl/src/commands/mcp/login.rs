//! `mcp login` and `mcp logout`.

use std::env;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use scorel_proto::{McpLogin, McpLoginParams, McpLogout, McpLogoutParams, McpLogoutResult};
use scorel_screen::escape::one_line;
use serde_json::json;
use tokio::time::timeout;

use super::callback::{Callback, CallbackQuery};
use crate::cli::Cli;
use crate::failure::Failure;

/// The time that a person has to log in, as the daemon keeps it.
const TIME: Duration = Duration::from_secs(600);

/// The programs that open an address in the browser of a desktop.
const OPENERS: [&str; 2] = ["xdg-open", "open"];

#[derive(Debug, Args)]
pub(crate) struct McpLoginArgs {
    /// Its name
    #[arg(value_name = "SERVER")]
    name: String,
    /// Project directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Port of this machine to which the browser comes back, for clients that were registered by hand with the address
    /// `http://127.0.0.1:PORT/callback` [default: a free one]
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Open no browser; read the address to which one was sent, from a browser anywhere, from standard input
    #[arg(long)]
    no_browser: bool,
}

/// Logs in to a server.
pub(super) async fn login(args: McpLoginArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let callback = Callback::listen(args.port).await?;
    let begin = McpLoginParams {
        project_id: cli.project_or_none(args.project.as_deref()).await?,
        name: Some(args.name.clone()),
        redirect_uri: Some(callback.address()),
        ..McpLoginParams::default()
    };
    let begun = cli.call::<McpLogin>(&begin).await?;
    let page = one_line(&begun.url.unwrap_or_default());
    // With `--json` too: without it there is no login.
    cli.output.aside(&format!("Log in at\n{page}\n"))?;
    let query = match args.no_browser {
        true => {
            cli.note("then give the address to which the browser was sent, as a line:")?;
            pasted()?
        }
        false => {
            open(&page);
            let query = timeout(TIME, callback.query()).await;
            query
                .map_err(|_| Failure::refused("login_overdue", "no browser came back in time"))??
        }
    };
    if let Some(error) = query.error {
        let message = format!("the login was refused: {}", one_line(&error));
        return Err(Failure::refused("login_refused", message));
    }
    let end = McpLoginParams {
        login_id: begun.login_id,
        code: query.code,
        state: query.state,
        iss: query.iss,
        ..McpLoginParams::default()
    };
    cli.call::<McpLogin>(&end).await?;
    let said = format!("logged in to {}", args.name);
    cli.result(&json!({ "name": args.name }), |output| output.line(&said))
}

/// Forgets the login to a server.
pub(super) async fn logout(
    name: String,
    project: Option<PathBuf>,
    cli: &mut Cli<'_>,
) -> Result<(), Failure> {
    let params = McpLogoutParams {
        project_id: cli.project_or_none(project.as_deref()).await?,
        name,
    };
    let text = |answer: &McpLogoutResult| match answer.was_logged_in {
        true => format!("logged out of {}", params.name),
        false => format!("there was no login to {}", params.name),
    };
    cli.tell::<McpLogout>(&params, text).await
}

fn pasted() -> Result<CallbackQuery, Failure> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    let query = CallbackQuery::of(&line);
    query.ok_or_else(|| Failure::usage("that is not the address to which a login sends a browser"))
}

/// Opens a page, if there is a desktop. The address was printed, so a failure needs no words.
fn open(page: &str) {
    let has_desktop = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|it| env::var_os(it).is_some());
    if !has_desktop && !cfg!(target_os = "macos") {
        return;
    }
    for opener in OPENERS {
        let mut command = Command::new(opener);
        let quiet = command.arg(page).stdin(Stdio::null()).stdout(Stdio::null());
        if quiet.stderr(Stdio::null()).spawn().is_ok() {
            return;
        }
    }
}
