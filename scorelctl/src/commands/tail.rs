//! Prints a session and follows it.

mod start;

use clap::{ArgAction, Args};
use scorel_client::{SessionStream, StreamItem};
use scorel_proto::{
    EncodedEvent, EndReason, Event, OutcomeReason, PersistentBody, PersistentEvent, Seq, SessionId,
    SyncMarker,
};

use super::interrupted::interrupted_hint;
use super::stall::StallWatch;
use super::sync_line::SyncLineBuilder;
use super::upgrade_notice::say_upgrade;
use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::{DaemonConnector, StartDaemon};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::output::Output;
use crate::render::{AsideStream, Transcript};
use start::TailStart;

#[derive(Debug, Args)]
pub(crate) struct TailArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Start at the event with this number; if it does not exist yet, wait for it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..1 << 53))]
    pub(crate) from_seq: Option<u64>,
    /// Keep following live events [default: true]
    #[arg(
        long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_value_t = true, default_missing_value = "true", action = ArgAction::Set,
        hide_default_value = true, hide_possible_values = true
    )]
    pub(crate) follow: bool,
    /// Exit once all existing events are printed
    #[arg(long, conflicts_with = "follow")]
    pub(crate) no_follow: bool,
    /// Start the daemon again whenever it has ended [default: only the service manager brings it
    /// back]
    #[arg(long, conflicts_with = "no_follow")]
    pub(crate) start: bool,
}

impl TailArgs {
    pub(crate) const fn follows(&self) -> bool {
        self.follow && !self.no_follow
    }
}

/// The maximum number of lines of a tool result.
const RESULT_LINES: usize = 6;

pub(super) async fn run(
    args: &TailArgs,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut interrupts = Interrupts::listen()?;
    let begun = begin(args, link, output);
    let (mut tail, stream) = tokio::select! {
        begun = begun => begun?,
        () = interrupts.next() => return Ok(Exit::Success),
    };
    let ended = tokio::select! {
        ended = tail.run(stream) => ended,
        () = interrupts.next() => Ok(Exit::Success),
    };
    tail.transcript.flush(tail.cli.output)?;
    ended
}

async fn begin<'a>(
    args: &TailArgs,
    link: DaemonConnector,
    output: &'a mut Output,
) -> Result<(TailPrinter<'a>, SessionStream<DaemonConnector>), Failure> {
    let mut cli = Cli::connect(link, output).await?;
    say_upgrade(&mut cli).await?;
    let session_id = cli.session_id(&args.target).await?;
    let place = match args.from_seq {
        Some(from) => TailStart::at(&mut cli.daemon, session_id, from).await?,
        None => TailStart::last_turn(&mut cli.daemon, session_id).await?,
    };
    let mut link = cli.daemon.link().clone();
    if link.start == StartDaemon::Always && !args.start {
        link.start = StartDaemon::AsService;
    }
    let stream = SessionStream::open(link, session_id, place.anchors).await?;
    Ok((
        TailPrinter::new(cli, (session_id, place.from), args),
        stream,
    ))
}

struct TailPrinter<'a> {
    /// Its daemon is asked about a stall only.
    cli: Cli<'a>,
    session_id: SessionId,
    from: Seq,
    follow: bool,
    /// Set to start a daemon that the user has stopped.
    start: bool,
    /// True if the last turn was interrupted, and that has not been explained.
    interrupted: bool,
    /// True if everything that existed has been printed.
    is_live: bool,
    /// True if a turn runs. Only its records wait for storage, so an idle session is never asked.
    in_turn: bool,
    stall: StallWatch,
    /// The last printed record. A full reload sends the records again.
    printed: Seq,
    reload: SyncLineBuilder,
    transcript: Transcript,
}

impl<'a> TailPrinter<'a> {
    fn new(mut cli: Cli<'a>, (session_id, from): (SessionId, Seq), args: &TailArgs) -> Self {
        // The stream decides whether a daemon is started.
        cli.daemon.never_start();
        Self {
            session_id,
            from,
            follow: args.follows(),
            start: args.start,
            interrupted: false,
            is_live: false,
            in_turn: false,
            stall: StallWatch::new(),
            printed: Seq::ZERO,
            reload: SyncLineBuilder::default(),
            transcript: Transcript::live(AsideStream::Output, RESULT_LINES, cli.output),
            cli,
        }
    }

    async fn run(&mut self, mut stream: SessionStream<DaemonConnector>) -> Result<Exit, Failure> {
        loop {
            if !stream.is_ready() {
                self.cli.output.flush()?;
            }
            // A look would drop the attempt to reconnect, which then begins anew.
            let looks = self.looks_for_stalls() && !stream.is_reconnecting();
            let item = tokio::select! {
                biased;
                item = stream.next() => item?,
                () = self.stall.quiet(), if looks => {
                    self.look_for_a_stall().await?;
                    continue;
                }
            };
            self.stall.heard();
            match item {
                Some(StreamItem::Event(encoded, event)) => self.event(&encoded, &event)?,
                Some(StreamItem::Marker(marker)) => {
                    if let Some(exit) = self.marker(&marker, stream.connector_mut())? {
                        return Ok(exit);
                    }
                }
                Some(StreamItem::Reconnecting { attempt: 1, .. }) => {
                    self.cli
                        .output
                        .note("the connection was lost; waiting for the daemon")?;
                }
                Some(StreamItem::Reconnecting { .. }) => {}
                None => return Ok(Exit::Success),
            }
        }
    }

    /// With `--json` there is no line for it: `getSession` has the state.
    const fn looks_for_stalls(&self) -> bool {
        self.in_turn && self.is_live && !self.cli.output.json
    }

    async fn look_for_a_stall(&mut self) -> Result<(), Failure> {
        if let Some(text) = self.stall.look(&mut self.cli.daemon, self.session_id).await {
            self.transcript.flush(self.cli.output)?;
            self.cli.note(&text)?;
        }
        Ok(())
    }

    fn event(&mut self, encoded: &EncodedEvent, event: &Event) -> Result<(), Failure> {
        self.note_turn(event);
        if event.seq() < self.from {
            return Ok(());
        }
        if event.is_persistent() {
            if event.seq() <= self.printed {
                return Ok(());
            }
            self.printed = event.seq();
        }
        if self.cli.output.json {
            self.cli.output.raw_line(encoded.text())?;
        } else {
            self.transcript.event(event, self.cli.output)?;
        }
        if let Event::Persistent(record) = event {
            self.note_outcome(record)?;
        }
        Ok(())
    }

    fn note_turn(&mut self, event: &Event) {
        // Records of the session itself, such as a new title, name no turn.
        if event.turn_id().is_some() {
            let ended = matches!(event, Event::Persistent(record)
                if matches!(record.body, PersistentBody::TurnOutcome(_)));
            self.in_turn = !ended;
        }
    }

    /// Remembers whether the last turn was interrupted. Of earlier turns it does not matter: the
    /// session has gone on.
    fn note_outcome(&mut self, record: &PersistentEvent) -> Result<(), Failure> {
        match &record.body {
            PersistentBody::TurnOutcome(outcome) => {
                self.interrupted = outcome.reason == OutcomeReason::Interrupted;
            }
            PersistentBody::Message(_) => self.interrupted = false,
            _ => {}
        }
        self.explain_interruption()
    }

    fn explain_interruption(&mut self) -> Result<(), Failure> {
        if self.is_live && self.interrupted {
            self.interrupted = false;
            self.transcript.flush(self.cli.output)?;
            self.cli.note(&interrupted_hint(self.session_id))?;
        }
        Ok(())
    }

    fn marker(
        &mut self,
        marker: &SyncMarker,
        link: &mut DaemonConnector,
    ) -> Result<Option<Exit>, Failure> {
        let sync = self.reload.marker(marker);
        if let Some(sync) = sync.filter(|sync| sync.through_seq() >= self.from)
            && self.cli.output.json
        {
            self.cli.output.json(&sync)?;
        }
        match marker {
            SyncMarker::InFlight { in_flight, .. } => {
                self.in_turn = in_flight.turn_id.is_some();
                if !self.cli.output.json {
                    self.transcript.in_flight(in_flight, self.cli.output)?;
                }
            }
            SyncMarker::SyncStart { .. } => self.is_live = false,
            SyncMarker::SyncEnd { .. } => {
                self.is_live = true;
                self.explain_interruption()?;
                if !self.follow {
                    self.transcript.flush(self.cli.output)?;
                    return Ok(Some(Exit::Success));
                }
            }
            SyncMarker::End { reason, .. } => {
                if self.cli.output.json {
                    self.cli.output.json(marker)?;
                }
                return self.end(*reason, link);
            }
        }
        Ok(None)
    }

    fn end(
        &mut self,
        reason: EndReason,
        link: &mut DaemonConnector,
    ) -> Result<Option<Exit>, Failure> {
        match reason {
            EndReason::ShuttingDown => {
                if !self.start {
                    // A running tail must not start what the user has stopped.
                    link.start = StartDaemon::Never;
                }
                Ok(None)
            }
            EndReason::Deleted => {
                self.cli.note("the session was deleted")?;
                Ok(Some(Exit::Success))
            }
            EndReason::Failed => Err(Failure::new(
                Exit::Internal,
                "session_failed",
                "the session has failed and cannot be followed",
            )),
        }
    }
}
