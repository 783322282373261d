//! Saying something and following the answer.

mod answer;
mod follow;
mod questions;

use std::io::{self, IsTerminal};

use scorel_client::{Anchors, SessionStream};
use scorel_proto::{
    Content, CreateSession, CreateSessionParams, GetStatus, NoParams, SendMessage,
    SendMessageParams, SendMessageResult, Session, SessionId, UpdateSession, UpdateSessionParams,
    WhileRunning,
};
use serde::Serialize;

use super::read_input;
use crate::args::SendArgs;
use crate::control::{Control, Link, PATIENCE, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::output::Output;
use crate::target;
use crate::wanted::Wanted;
use follow::{Follow, Own};
use questions::Questions;

/// Sends a message and follows its turn to the outcome.
pub(super) async fn run(args: SendArgs, link: Link, output: &mut Output) -> Result<Exit, Failure> {
    let text = message(&args.text)?;
    let mut interrupts = Interrupts::listen()?;
    let sent = tokio::select! {
        sent = send(&args, &text, link, output) => sent?,
        () = interrupts.next() => return Ok(Exit::Interrupted),
    };
    if output.json {
        output.json(&Accepted::new(&sent))?;
    }
    let Some(stream) = sent.stream else {
        if !output.json {
            output.line(&sent.session_id.to_string())?;
        }
        return Ok(Exit::Success);
    };
    let own = Own::from(sent.answer);
    let questions = Questions::new(sent.session_id, args.on_ask, output);
    let mut follow = Follow::new(sent.control, (sent.session_id, own), questions, output);
    follow.run(stream, &mut interrupts).await
}

/// What to say, from the command line or from standard input.
fn message(words: &[String]) -> Result<String, Failure> {
    let text = match words {
        [dash] if dash == "-" => read_input()?,
        [] if !io::stdin().is_terminal() => read_input()?,
        [] => {
            return Err(Failure::usage("there is nothing to say")
                .hint("`scorelctl send TEXT`, or `scorelctl send -` with the text as input"));
        }
        words => words.join(" "),
    };
    if text.trim().is_empty() {
        return Err(Failure::usage("the message is empty"));
    }
    Ok(text)
}

/// A message that the daemon has.
struct Sent {
    control: Control,
    session_id: SessionId,
    answer: SendMessageResult,
    /// The session from before the message on, unless nobody wants to follow it.
    stream: Option<SessionStream<Link>>,
}

/// The first line for programs.
#[derive(Serialize)]
#[serde(tag = "type", rename = "accepted", rename_all = "camelCase")]
struct Accepted<'a> {
    session_id: SessionId,
    #[serde(flatten)]
    answer: &'a SendMessageResult,
}

impl<'a> Accepted<'a> {
    const fn new(sent: &'a Sent) -> Self {
        Self {
            session_id: sent.session_id,
            answer: &sent.answer,
        }
    }
}

/// The stream is opened first, so that nothing of the turn can be missed.
async fn send(
    args: &SendArgs,
    text: &str,
    link: Link,
    output: &mut Output,
) -> Result<Sent, Failure> {
    let mut control = Control::connect(link).await?;
    let session = session(args, &mut control).await?;
    let session = with_tools(args, session, &mut control).await?;
    say_demo(&session, args, &mut control, output).await?;
    let stream = if args.detach {
        None
    } else {
        let anchors = Anchors::new(session.last_persistent_seq, Some(session.current_seq));
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
    Ok(Sent {
        control,
        session_id: session.session_id,
        answer,
        stream,
    })
}

/// The session to send to, made if need be.
async fn session(args: &SendArgs, control: &mut Control) -> Result<Session, Failure> {
    let session_id = match &args.session {
        Wanted::Latest | Wanted::New => {
            let directory = target::project_directory(args.project.as_deref())?;
            let project = target::register(control, &directory).await?;
            if args.session == Wanted::Latest
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

/// The session with the tools that are wanted.
async fn with_tools(
    args: &SendArgs,
    session: Session,
    control: &mut Control,
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
        command_id: Some(new_command_id()),
    };
    Ok(control.call::<UpdateSession>(&params).await?.session)
}

/// Whoever talks to the built-in demonstration should know it.
async fn say_demo(
    session: &Session,
    args: &SendArgs,
    control: &mut Control,
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
            "note: the demo model answers, which is no language model; `scorelctl init` writes {} \
             with a real one",
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
            let line = Accepted {
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
