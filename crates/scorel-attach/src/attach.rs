//! Puts the parts together.

use std::env;
use std::io::{IsTerminal as _, stdin, stdout};

use scorel_client::Connect;
use scorel_screen::Theme;

use crate::app::{App, Setup};
use crate::composer::StateDir;
use crate::effect::Effect;
use crate::interactive::Interactive;
use crate::jobs::follow_host;
use crate::options::{AttachError, AttachOptions};
use crate::plain::Plain;
use crate::settings::AttachSettings;
use crate::size::Size;
use crate::worker::Worker;

/// Shows a session until the user detaches. Returns what is left to be said.
///
/// # Errors
///
/// The terminal cannot be used, or the configuration is invalid.
pub async fn attach<C>(options: AttachOptions<C>) -> Result<Option<String>, AttachError>
where
    C: Connect + Clone + Send + Sync + 'static,
{
    let settings = AttachSettings::load(&options.home)?;
    let is_dumb = env::var_os("TERM").is_none_or(|term| term == "dumb");
    let asks_plain =
        env::var_os("SCOREL_PLAIN").is_some_and(|value| !value.is_empty() && value != "0");
    let has_terminal = stdin().is_terminal() && stdout().is_terminal();
    let is_plain = options.is_plain || settings.plain || asks_plain || is_dumb || !has_terminal;
    let state = StateDir::of(env::var_os("XDG_STATE_HOME"), env::var_os("HOME"));
    let setup = Setup {
        while_running: settings.while_running.into(),
        is_plain,
        is_local: options.is_local,
        client_id: options.client_id,
        program: options.program,
        state_dir: state.ok_or(AttachError::NoStateDir)?,
        theme: theme(is_plain),
    };
    let host = follow_host(options.connector.clone());
    let worker = Worker::new(options.connector, options.caller);
    let mut app = App::new(setup, usize::from(Size::now().columns));
    for note in &options.notes {
        app.note(note);
    }
    app.begin(options.session);
    if is_plain {
        return Ok(Plain::new(app, worker, host)?.run().await?);
    }
    Ok(Interactive::new(app, worker, host)?.run().await?)
}

impl App {
    /// Opens the session that was asked for, or lists all.
    fn begin(&mut self, session: Option<scorel_proto::SessionId>) {
        match session {
            Some(id) => self.effects.push_back(Effect::Open(id)),
            None => self.go_to_all(),
        }
    }
}

fn theme(is_plain: bool) -> Theme {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|it| !it.is_empty()));
    let unicode = locale.is_some_and(|it| {
        let lower = it.to_lowercase();
        lower.contains("utf-8") || lower.contains("utf8")
    });
    let is_console = env::var("TERM").is_ok_and(|term| term == "linux");
    Theme {
        colours: !is_plain && !is_set("NO_COLOR"),
        unicode,
        links: !is_plain && !is_console,
    }
}
