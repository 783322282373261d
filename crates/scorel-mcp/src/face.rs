//! The tools on sessions.

mod answers;
mod event_cursor;
mod events;
mod sessions;
mod turns;
mod wait;

use scorel_client::Connect;
use scorel_proto::ErrorCode;
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::answers::{AnswerArguments, QuestionsArguments};
use self::events::ReadArguments;
use self::sessions::{CreateArguments, ListArguments, NoArguments};
use self::turns::{CancelArguments, SendArguments};
use self::wait::WaitArguments;
use crate::answering::Answering;
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::tool_set::{ToolCall, ToolSet};
use crate::tool_spec::ToolSpec;

const INSTRUCTIONS: &str = "\
Scorel runs coding agents in sessions, each in the directory of a project. create_session makes one, send_message \
begins a turn, wait_turn waits for its answer and read_events has everything that happened. A session goes on when you \
do not wait.";

/// Sessions of a daemon as tools.
#[derive(Debug)]
pub(crate) struct Face<C> {
    daemon: Daemon<C>,
    answering: Answering,
}

impl<C> Face<C> {
    pub(crate) const fn new(daemon: Daemon<C>, answering: Answering) -> Self {
        Self { daemon, answering }
    }
}

impl<C: Connect + Clone + Send + Sync + 'static> ToolSet for Face<C> {
    fn instructions(&self) -> Option<&str> {
        Some(INSTRUCTIONS)
    }

    async fn tools(&self) -> Result<Vec<ToolSpec>, Failure> {
        let mut tools = vec![
            ToolSpec::looking::<NoArguments>("list_projects", sessions::LIST_PROJECTS),
            ToolSpec::looking::<ListArguments>("list_sessions", sessions::LIST),
            ToolSpec::changing::<CreateArguments>("create_session", sessions::CREATE),
            ToolSpec::changing::<SendArguments>("send_message", turns::SEND),
            ToolSpec::looking::<WaitArguments>("wait_turn", wait::WAIT),
            ToolSpec::looking::<ReadArguments>("read_events", events::READ),
            ToolSpec::changing::<CancelArguments>("cancel_turn", turns::CANCEL),
        ];
        if self.answering == Answering::Client {
            tools.extend([
                ToolSpec::looking::<QuestionsArguments>("list_questions", answers::LIST),
                ToolSpec::changing::<AnswerArguments>("answer_permission", answers::ANSWER),
            ]);
        }
        Ok(tools)
    }

    async fn call(&self, call: ToolCall) -> Outcome {
        let ToolCall { name, arguments } = call;
        let daemon = &self.daemon;
        match (&*name, self.answering) {
            ("list_projects", _) => sessions::list_projects(daemon, read(arguments)?).await,
            ("list_sessions", _) => sessions::list(daemon, read(arguments)?).await,
            ("create_session", _) => sessions::create(daemon, read(arguments)?).await,
            ("send_message", _) => turns::send(daemon, read(arguments)?).await,
            ("wait_turn", answering) => wait::wait(daemon, read(arguments)?, answering).await,
            ("read_events", _) => events::read(daemon, &read(arguments)?).await,
            ("cancel_turn", _) => turns::cancel(daemon, read(arguments)?).await,
            ("list_questions", Answering::Client) => answers::list(daemon, read(arguments)?).await,
            ("answer_permission", Answering::Client) => {
                answers::answer(daemon, read(arguments)?).await
            }
            ("list_questions" | "answer_permission", Answering::People) => {
                Err(not_answering(&name))
            }
            _ => Err(Failure::new(
                ErrorCode::UnknownName.name(),
                format!("there is no tool `{name}`"),
            )),
        }
    }
}

fn not_answering(tool: &str) -> Failure {
    let message = format!("`{tool}` is not offered: people answer permission requests");
    Failure::new(ErrorCode::Forbidden.name(), message)
        .help("a person who trusts this client with that starts it with `--allow-answers`")
}

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, Failure> {
    serde_json::from_value(arguments).map_err(|error| Failure::invalid(error.to_string()))
}
