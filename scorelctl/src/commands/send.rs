//! Sends a message and follows its turn.

mod answer;
mod args;
mod chosen_session;
mod follow;
mod kept_choice;
mod pause_watch;
mod questions;
mod terminal_memory;

use std::time::Duration;

use scorel_client::{ClientAnchors, SessionStream};
use scorel_proto::{
    Content, DeleteSession, DeleteSessionParams, ErrorCode, EventId, GetConfig, GetConfigParams,
    GetStatus, NoParams, OWN_RUNNER, ProjectId, RunCommand, RunCommandParams, RunCommandResult,
    SendMessageParams, SendMessageResult, Session, SessionId,
};
use serde::Serialize;
use tokio::time::timeout;

use super::input::{message_text, say_unread};
use super::outgoing::{MessageDraft, SentFile, SentFiles, TypedCommand};
use super::queue_pause;
use super::run::run_by_name;
use super::steer::description;
use super::upgrade_notice::say_upgrade;
use super::wait::{LEAST_PATIENCE, no_answer, timed_out};
use crate::args::OnAsk;
use crate::cli::Cli;
use crate::daemon::{DaemonClient, DaemonConnector, PATIENCE, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::id_part::end_of;
use crate::interrupts::Interrupts;
use crate::output::Output;
use crate::target;
pub(crate) use args::SendArgs;
use chosen_session::{session, with_tools};
use follow::{FollowedMessage, OwnTurn, TurnFollower};
use kept_choice::kept_choice;
use questions::Questions;
use scorel_screen::escape::one_line;
use terminal_memory::TerminalMemory;

pub(super) async fn run(
    args: SendArgs,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let draft = MessageDraft::of(message_text(&args.text, "send")?, &args.files);
    let is_unquoted = args.text.len() > 1;
    // In a session that is named a command is for that session.
    if let Some(command) = draft.command().filter(|_| args.session.is_none()) {
        let cli = &mut Cli::connect(link.clone(), output).await?;
        let project = cli.registered(args.project.as_deref()).await?.project_id;
        if run_by_name(&command.name, &command.arguments, project, cli).await? {
            return Ok(Exit::Success);
        }
    }
    let sent = Box::pin(run_at(args, draft, None, link, output)).await;
    // `send run rm -rf x` asks for the runner `f`.
    let hint = "`scorelctl runners` lists them; a message with options in it has to be in quotes";
    sent.map_err(|failure| {
        failure.hint_if(
            |report| is_unquoted && report.details["field"] == "runner",
            hint,
        )
    })
}

/// Where a message goes that replaces an earlier one.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessagePlace {
    /// The event that it attaches to; `None` starts the conversation over.
    pub(super) parent: Option<EventId>,
    /// The active leaf, as the user has seen it.
    pub(super) leaf: Option<EventId>,
}

/// Sends a message, to the leaf unless a place is given, and follows its turn.
pub(super) async fn run_at(
    args: SendArgs,
    draft: MessageDraft,
    place: Option<MessagePlace>,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut interrupts = Interrupts::listen()?;
    let limit = args.timeout.unwrap_or(Duration::MAX);
    let sent = tokio::select! {
        sent = timeout(limit.max(LEAST_PATIENCE), send(&args, draft, place, link, output)) => sent,
        () = interrupts.next() => return Ok(Exit::Interrupted),
    };
    let Ok(sent) = sent else {
        return Err(no_answer("whether it has accepted the message is unknown"));
    };
    let (daemon, sent) = sent?;
    let mut cli = Cli { daemon, output };
    let session_id = sent.session.session_id;
    if let Some(reply) = &sent.reply {
        say_reply(session_id, reply, cli.output)?;
    }
    let Some(answer) = sent.answer else {
        return Ok(Exit::Success);
    };
    if cli.output.json {
        cli.output.json(&AcceptedLine {
            session_id,
            answer: &answer,
            attached: &sent.files.attached,
        })?;
    }
    // Answers to questions may be piped in.
    if args.on_ask != Some(OnAsk::Ask) {
        say_unread(cli.output)?;
    }
    let waits = say_queued(&answer, &sent.session, &mut cli).await?;
    let Some(stream) = sent.stream else {
        if !cli.output.json {
            cli.output.line(&session_id.to_string())?;
        }
        return Ok(Exit::Success);
    };
    let message = FollowedMessage {
        session_id,
        own: OwnTurn::from(answer),
        waits,
        keeps: kept_choice(&args, &sent.session),
    };
    let questions = Questions::new(session_id, args.on_ask, cli.output);
    let mut follow = TurnFollower::new(cli, message, questions);
    match timeout(limit, follow.run(stream, &mut interrupts)).await {
        Ok(ended) => ended,
        Err(_) => Err(timed_out(session_id)),
    }
}

/// Says where the message waits, if it does. Returns whether it waits in a paused queue.
async fn say_queued(
    answer: &SendMessageResult,
    session: &Session,
    cli: &mut Cli<'_>,
) -> Result<bool, Failure> {
    if cli.output.json || !matches!(answer, SendMessageResult::Queued { .. }) {
        return Ok(false);
    }
    cli.note(&description(answer))?;
    let Some((waits, text)) = queue_pause::of_message(session, &mut cli.daemon).await else {
        return Ok(false);
    };
    cli.note(&text)?;
    Ok(waits)
}

struct SentMessage {
    /// The session before the message.
    session: Session,
    /// `None` for a command that sends no message.
    answer: Option<SendMessageResult>,
    /// Of an extension, to its command.
    reply: Option<String>,
    files: SentFiles,
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
    /// Absent if no file was attached.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    attached: &'a [SentFile],
}

/// The line about a reply with `--json`, a stable format.
#[derive(Serialize)]
#[serde(tag = "type", rename = "reply", rename_all = "camelCase")]
struct ReplyLine<'a> {
    session_id: SessionId,
    reply: &'a str,
}

/// Says what an extension has answered to its command.
fn say_reply(session_id: SessionId, reply: &str, output: &mut Output) -> Result<(), Failure> {
    if output.json {
        output.json(&ReplyLine { session_id, reply })?;
    } else {
        output.line(reply)?;
    }
    Ok(())
}

/// Sends the message. A session that was created for it does not outlive a refusal: the next message would go
/// there.
async fn send(
    args: &SendArgs,
    draft: MessageDraft,
    place: Option<MessagePlace>,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<(DaemonClient, SentMessage), Failure> {
    let mut cli = Cli::connect(link, output).await?;
    say_upgrade(&mut cli).await?;
    let (session, is_new) = session(args, &mut cli).await?;
    let (session_id, project_id) = (session.session_id, session.project_id);
    let sent = submit(args, draft, place, session, &mut cli).await;
    if is_new && sent.as_ref().is_err_and(Failure::is_refusal) {
        let params = DeleteSessionParams {
            session_id,
            children: None,
            now: Some(true),
            command_id: Some(new_command_id()),
        };
        // The user has to know why the message was refused, and nothing else.
        let _ = cli.call::<DeleteSession>(&params).await;
    }
    let sent = sent?;
    sent.files.say(cli.output)?;
    let memory = TerminalMemory::new();
    if args.session.is_none() && !is_new && !memory.is(session_id) {
        say_session(&sent.session, cli.output)?;
    }
    memory.keep(session_id);
    if let Some(SendMessageResult::Accepted { .. }) = sent.answer {
        say_old_configuration(project_id, &mut cli).await?;
    }
    Ok((cli.daemon, sent))
}

/// The stream is opened before the message is sent, so that it has every event of the turn.
async fn submit(
    args: &SendArgs,
    draft: MessageDraft,
    place: Option<MessagePlace>,
    session: Session,
    cli: &mut Cli<'_>,
) -> Result<SentMessage, Failure> {
    let session = with_tools(args, session, &mut cli.daemon).await?;
    say_demo(&session, args, cli).await?;
    let dir = target::work_dir(&mut cli.daemon, &session).await?;
    let stream = if args.detach {
        None
    } else {
        let anchors = ClientAnchors::new(session.last_persistent_seq, Some(session.current_seq));
        let link = cli.daemon.link().clone();
        let stream = SessionStream::open(link, session.session_id, anchors).await?;
        Some(stream.give_up_after(PATIENCE))
    };
    if let Some(command) = draft.command().filter(|_| place.is_none()) {
        let ran = run_command(args, command, &session, &draft, cli).await;
        let RunCommandResult { message, reply } = ran.map_err(not_sent)?;
        return Ok(SentMessage {
            session,
            answer: message,
            reply,
            files: SentFiles::default(),
            stream,
        });
    }
    let params = SendMessageParams {
        session_id: session.session_id,
        content: Content(Vec::new()),
        attachments: Vec::new(),
        while_running: Some(args.while_running),
        parent_event_id: place.map(|place| place.parent),
        expected_leaf_id: place.map(|place| place.leaf),
        model: args.model.clone(),
        runner: args.runner.clone(),
        mode: args.mode,
        channel: None,
        command_id: None,
    };
    // Nothing may fail from here on: a failure says that the message was not accepted.
    let sent = draft.send(params, &dir, &cli.daemon).await;
    let (answer, files) = sent.map_err(not_sent)?;
    Ok(SentMessage {
        session,
        answer: Some(answer),
        reply: None,
        files,
        stream,
    })
}

/// Runs a command. Its meaning is the daemon's to find.
async fn run_command(
    args: &SendArgs,
    command: TypedCommand,
    session: &Session,
    draft: &MessageDraft,
    cli: &mut Cli<'_>,
) -> Result<RunCommandResult, Failure> {
    if !draft.files.is_empty() {
        return Err(Failure::usage(
            "a command takes no files; name them in its arguments",
        ));
    }
    let params = RunCommandParams {
        session_id: session.session_id,
        name: command.name,
        arguments: command.arguments,
        while_running: Some(args.while_running),
        model: args.model.clone(),
        runner: args.runner.clone(),
        command_id: Some(new_command_id()),
    };
    Ok(cli.call::<RunCommand>(&params).await?)
}

/// Says at a terminal to which session the message went.
fn say_session(session: &Session, output: &mut Output) -> Result<(), Failure> {
    if !output.err_is_terminal {
        return Ok(());
    }
    let id = end_of(&session.session_id);
    let title = session.title.as_deref().unwrap_or("no title yet");
    output.note(&format!("session {id}, {}", one_line(title)))?;
    Ok(())
}

fn not_sent(failure: Failure) -> Failure {
    failure.hint_for(
        ErrorCode::AgentTaskBusy,
        "`send --while-running follow-up` queues a message; `scorelctl cancel` cancels the turn, with \
         `--clear-queue` also what is queued",
    )
}

/// Tells the user if the demo model is going to answer.
async fn say_demo(session: &Session, args: &SendArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let runner = args.runner.as_deref().unwrap_or(&session.runner);
    if cli.output.json || runner != OWN_RUNNER {
        return Ok(());
    }
    let model = match args.model.as_ref().or(session.model.as_ref()) {
        Some(model) => model.clone(),
        None => cli.call::<GetStatus>(&NoParams {}).await?.default_model,
    };
    if model == "demo" || model.starts_with("demo/") || model.starts_with("demo:") {
        let link = cli.daemon.link();
        let place = match link.local() {
            Some(_) => link.home().path().join("config.toml").display().to_string(),
            None => "the configuration there".to_owned(),
        };
        cli.note(&format!(
            "note: the demo model answers, which is not a language model; `scorelctl init` sets up \
             a real one in {place}"
        ))?;
    }
    Ok(())
}

/// Says that the turn uses what a file said before it became invalid. Also to programs: the turn does
/// not do what its user has written.
async fn say_old_configuration(project: ProjectId, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let params = GetConfigParams {
        project_id: Some(project),
    };
    // The message is accepted: that a daemon of another version has no answer must not look otherwise.
    let Ok(config) = cli.call::<GetConfig>(&params).await else {
        return Ok(());
    };
    for problem in &config.problems {
        cli.note(&format!(
            "warning: the configuration from before is in use, since this is invalid: {problem}"
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use scorel_proto::{QueueItemId, QueueKind, Seq, TurnId};

    use super::*;

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
                queue: QueueKind::FollowUp,
                queue_item_id: QueueItemId::generate(),
                position: 1,
                seq: Seq::ZERO,
            },
        ] {
            let line = AcceptedLine {
                session_id,
                answer: &answer,
                attached: &[],
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
