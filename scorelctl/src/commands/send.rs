//! Sends a message and follows its turn.

mod answer;
mod follow;
mod questions;

use std::io::{self, IsTerminal};

use scorel_client::{ClientAnchors, SessionStream};
use scorel_proto::{
    Content, CreateSession, CreateSessionParams, GetStatus, NoParams, SendMessage,
    SendMessageParams, SendMessageResult, Session, SessionId, UpdateSession, UpdateSessionParams,
    WhileRunning,
};
use serde::Serialize;

use super::input::read_input;
use crate::args::SendArgs;
use crate::daemon::{DaemonClient, DaemonConnector, PATIENCE, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::output::Output;
use crate::selector::SessionSelector;
use crate::target;
use follow::{OwnTurn, TurnFollower};
use questions::Questions;

pub(super) async fn run(
    args: SendArgs,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let text = message(&args.text)?;
    let mut interrupts = Interrupts::listen()?;
    let sent = tokio::select! {
        sent = send(&args, &text, link, output) => sent?,
        () = interrupts.next() => return Ok(Exit::Interrupted),
    };
    if output.json {
        output.json(&AcceptedLine::new(&sent))?;
    }
    let Some(stream) = sent.stream else {
        if !output.json {
            output.line(&sent.session_id.to_string())?;
        }
        return Ok(Exit::Success);
    };
    let own = OwnTurn::from(sent.answer);
    let questions = Questions::new(sent.session_id, args.on_ask, output);
    let mut follow = TurnFollower::new(sent.control, (sent.session_id, own), questions, output);
    follow.run(stream, &mut interrupts).await
}

/// The message, from the command line or from standard input.
fn message(words: &[String]) -> Result<String, Failure> {
    let text = match words {
        [dash] if dash == "-" => read_input()?,
        [] if !io::stdin().is_terminal() => read_input()?,
        [] => {
            return Err(Failure::usage("no message given")
                .hint("`scorelctl send TEXT`, or `scorelctl send -` to read standard input"));
        }
        words => words.join(" "),
    };
    if text.trim().is_empty() {
        return Err(Failure::usage("the message is empty"));
    }
    Ok(text)
}

/// An accepted message.
struct SentMessage {
    control: DaemonClient,
    session_id: SessionId,
    answer: SendMessageResult,
    /// The events of the session from before the message; `None` with `--detach`.
    stream: Option<SessionStream<DaemonConnector>>,
}

/// The first line with `--json`, a stable format.
#[derive(Serialize)]
#[serde(tag = "type", rename = "accepted", rename_all = "camelCase")]
struct AcceptedLine<'a> {
    session_id: SessionId,
    #[serde(flatten)]
    answer: &'a SendMessageResult,
}

impl<'a> AcceptedLine<'a> {
    const fn new(sent: &'a SentMessage) -> Self {
        Self {
            session_id: sent.session_id,
            answer: &sent.answer,
        }
    }
}

/// Sends the message. The stream is opened before, so that it has every event of the turn.
async fn send(
    args: &SendArgs,
    text: &str,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<SentMessage, Failure> {
    let mut control = DaemonClient::connect(link).await?;
    let session = session(args, &mut control).await?;
    let session = with_tools(args, session, &mut control).await?;
    say_demo(&session, args, &mut control, output).await?;
    let stream = if args.detach {
        None
    } else {
        let anchors = ClientAnchors::new(session.last_persistent_seq, Some(session.current_seq));
        let link = control.link().clone();
        let stream = SessionStream::open(link, session.session_id, anchors).await?;
        Some(stream.give_up_after(PATIENCE))
    };
    let params = SendMessageParams {
        session_id: session.session_id,
        content: Content::from(text),
        while_running: Some(WhileRunning::from(args.while_running)),
        parent_event_id: None,
        expected_leaf_id: None,
        model: args.model.clone(),
        command_id: Some(new_command_id()),
    };
    let answer = control.call::<SendMessage>(&params).await?;
    Ok(SentMessage {
        control,
        session_id: session.session_id,
        answer,
        stream,
    })
}

/// The selected session, created if necessary.
async fn session(args: &SendArgs, control: &mut DaemonClient) -> Result<Session, Failure> {
    let session_id = match &args.session {
        SessionSelector::Latest | SessionSelector::New => {
            let directory = target::project_directory(args.project.as_deref())?;
            let project = target::register(control, &directory).await?;
            if args.session == SessionSelector::Latest
                && let Some(session) = target::latest_of(control, project.project_id).await?
            {
                return Ok(session);
            }
            let params = CreateSessionParams {
                project_id: project.project_id,
                title: None,
                model: args.model.clone(),
                thinking_level: None,
                tools: args.tools,
                command_id: Some(new_command_id()),
            };
            return Ok(control.call::<CreateSession>(&params).await?.session);
        }
        wanted => target::existing(control, wanted, args.project.as_deref()).await?,
    };
    target::get(control, session_id).await
}

/// Changes the session's tools if `--tools` asks for others.
async fn with_tools(
    args: &SendArgs,
    session: Session,
    control: &mut DaemonClient,
) -> Result<Session, Failure> {
    if args.tools.is_none() || args.tools == session.tools {
        return Ok(session);
    }
    let params = UpdateSessionParams {
        session_id: session.session_id,
        title: None,
        model: None,
        thinking_level: None,
        tools: args.tools,
        refresh_instructions: None,
        command_id: Some(new_command_id()),
    };
    Ok(control.call::<UpdateSession>(&params).await?.session)
}

/// Tells the user if the demo model is going to answer.
async fn say_demo(
    session: &Session,
    args: &SendArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<(), Failure> {
    if output.json {
        return Ok(());
    }
    let model = match args.model.as_ref().or(session.model.as_ref()) {
        Some(model) => model.clone(),
        None => control.call::<GetStatus>(&NoParams {}).await?.default_model,
    };
    if model == "demo" || model.starts_with("demo/") || model.starts_with("demo:") {
        let config = control.link().home().path().join("config.toml");
        output.note(&format!(
            "note: the demo model answers, which is not a language model; `scorelctl init` sets up \
             a real one in {}",
            config.display()
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use scorel_proto::{EventId, QueueItemId, Seq, TurnId};

    use super::*;

    #[test]
    fn words_make_a_message_and_blanks_do_not() {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            message(&words(&["fix", "it"])).expect("a message"),
            "fix it"
        );
        assert!(matches!(message(&words(&[" "])), Err(Failure::Report(_))));
    }

    #[test]
    fn the_accepted_line_has_what_the_daemon_answered() {
        let session_id = SessionId::generate();
        for answer in [
            SendMessageResult::Accepted {
                user_event_id: EventId::generate(),
                turn_id: TurnId::generate(),
                seq: Seq::ZERO,
            },
            SendMessageResult::Queued {
                queue: WhileRunning::FollowUp,
                queue_item_id: QueueItemId::generate(),
                position: 1,
                seq: Seq::ZERO,
            },
        ] {
            let line = AcceptedLine {
                session_id,
                answer: &answer,
            };
            let line = serde_json::to_value(&line).expect("JSON");
            assert_eq!(line["type"], "accepted");
            assert_eq!(line["sessionId"], session_id.to_string());
            let known = ["accepted", "queued"]
                .iter()
                .any(|status| line["status"] == *status);
            assert!(known, "{line}");
        }
    }
}
