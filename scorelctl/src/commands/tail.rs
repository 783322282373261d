//! Prints a session and follows it.

mod start;

use scorel_client::{SessionStream, StreamItem};
use scorel_proto::{EncodedEvent, EndReason, Event, Seq, SyncMarker};

use super::sync_line::SyncLineBuilder;
use crate::args::TailArgs;
use crate::daemon::{DaemonClient, DaemonConnector};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::output::Output;
use crate::render::{AsideStream, Screen, Transcript};
use crate::target;
use start::TailStart;

/// The maximum number of lines of a tool result.
const RESULT_LINES: usize = 6;

pub(super) async fn run(
    args: &TailArgs,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut interrupts = Interrupts::listen()?;
    let follow = follow(args, link, output);
    tokio::select! {
        ended = follow => ended,
        () = interrupts.next() => Ok(Exit::Success),
    }
}

async fn follow(
    args: &TailArgs,
    link: DaemonConnector,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut control = DaemonClient::connect(link).await?;
    let wanted = &args.target.session;
    let directory = args.target.project.as_deref();
    let session_id = target::existing(&mut control, wanted, directory).await?;
    let place = match args.from_seq {
        Some(from) => TailStart::at(&mut control, session_id, from).await?,
        None => TailStart::last_turn(&mut control, session_id).await?,
    };
    // If the user stops the daemon, a running tail must not start it again.
    let mut link = control.link().clone();
    link.start = false;
    drop(control);
    let stream = SessionStream::open(link, session_id, place.anchors).await?;
    let mut tail = TailPrinter::new(place.from, args.follows(), output);
    tail.run(stream).await
}

struct TailPrinter<'a> {
    from: Seq,
    follow: bool,
    /// The last printed record. A full reload sends the records again.
    printed: Seq,
    reload: SyncLineBuilder,
    transcript: Transcript,
    output: &'a mut Output,
}

impl<'a> TailPrinter<'a> {
    fn new(from: Seq, follow: bool, output: &'a mut Output) -> Self {
        Self {
            from,
            follow,
            printed: Seq::ZERO,
            reload: SyncLineBuilder::default(),
            transcript: Transcript::new(Screen::new(AsideStream::Output, RESULT_LINES), true),
            output,
        }
    }

    async fn run(&mut self, mut stream: SessionStream<DaemonConnector>) -> Result<Exit, Failure> {
        loop {
            if !stream.is_ready() {
                self.output.flush()?;
            }
            match stream.next().await? {
                Some(StreamItem::Event(encoded, event)) => self.event(&encoded, &event)?,
                Some(StreamItem::Marker(marker)) => {
                    if let Some(exit) = self.marker(&marker)? {
                        return Ok(exit);
                    }
                }
                Some(StreamItem::Reconnecting { attempt: 1, .. }) => {
                    self.output
                        .note("the connection was lost; waiting for the daemon")?;
                }
                Some(StreamItem::Reconnecting { .. }) => {}
                None => return Ok(Exit::Success),
            }
        }
    }

    fn event(&mut self, encoded: &EncodedEvent, event: &Event) -> Result<(), Failure> {
        if event.seq() < self.from {
            return Ok(());
        }
        if event.is_persistent() {
            if event.seq() <= self.printed {
                return Ok(());
            }
            self.printed = event.seq();
        }
        if self.output.json {
            self.output.raw_line(encoded.text())?;
        } else {
            self.transcript.event(event, self.output)?;
        }
        Ok(())
    }

    fn marker(&mut self, marker: &SyncMarker) -> Result<Option<Exit>, Failure> {
        let sync = self.reload.marker(marker);
        if let Some(sync) = sync.filter(|sync| sync.through_seq() >= self.from)
            && self.output.json
        {
            self.output.json(&sync)?;
        }
        match marker {
            SyncMarker::InFlight { in_flight, .. } if !self.output.json => {
                self.transcript.in_flight(in_flight, self.output)?;
            }
            SyncMarker::SyncEnd { .. } if !self.follow => {
                self.transcript.end_line(self.output)?;
                return Ok(Some(Exit::Success));
            }
            SyncMarker::End { reason, .. } => return self.end(marker, *reason),
            _ => {}
        }
        Ok(None)
    }

    fn end(&mut self, marker: &SyncMarker, reason: EndReason) -> Result<Option<Exit>, Failure> {
        if self.output.json {
            self.output.json(marker)?;
        }
        match reason {
            EndReason::ShuttingDown => Ok(None),
            EndReason::Deleted => {
                self.output.note("the session was deleted")?;
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
