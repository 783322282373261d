//! Following a session.

mod place;

use scorel_client::{Item, SessionStream};
use scorel_proto::{EncodedEvent, EndReason, Event, Seq, SyncMarker};

use super::sync_line::Reload;
use crate::args::TailArgs;
use crate::control::{Control, Link};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupts::Interrupts;
use crate::output::Output;
use crate::render::{Aside, Screen, Transcript};
use crate::target;
use place::Place;

/// How many lines of a tool's result are shown.
const RESULT_LINES: usize = 6;

/// Prints a session's events from a place on, and goes on with what happens then.
pub(super) async fn run(args: &TailArgs, link: Link, output: &mut Output) -> Result<Exit, Failure> {
    let mut interrupts = Interrupts::listen()?;
    let follow = follow(args, link, output);
    tokio::select! {
        ended = follow => ended,
        () = interrupts.next() => Ok(Exit::Success),
    }
}

async fn follow(args: &TailArgs, link: Link, output: &mut Output) -> Result<Exit, Failure> {
    let mut control = Control::connect(link).await?;
    let wanted = &args.target.session;
    let directory = args.target.project.as_deref();
    let session_id = target::existing(&mut control, wanted, directory).await?;
    let place = match args.from_seq {
        Some(from) => Place::at(&mut control, session_id, from).await?,
        None => Place::last_turn(&mut control, session_id).await?,
    };
    // A daemon that somebody stops stays stopped although a tail looks on.
    let mut link = control.link().clone();
    link.start = false;
    drop(control);
    let stream = SessionStream::open(link, session_id, place.anchors).await?;
    let mut tail = Tail::new(place.from, args.follows(), output);
    tail.run(stream).await
}

struct Tail<'a> {
    from: Seq,
    follow: bool,
    /// The last record that was printed: after a full reload it comes again.
    printed: Seq,
    reload: Reload,
    transcript: Transcript,
    output: &'a mut Output,
}

impl<'a> Tail<'a> {
    fn new(from: Seq, follow: bool, output: &'a mut Output) -> Self {
        Self {
            from,
            follow,
            printed: Seq::ZERO,
            reload: Reload::default(),
            transcript: Transcript::new(Screen::new(Aside::Output, RESULT_LINES), true),
            output,
        }
    }

    async fn run(&mut self, mut stream: SessionStream<Link>) -> Result<Exit, Failure> {
        loop {
            if !stream.is_ready() {
                self.output.flush()?;
            }
            match stream.next().await? {
                Some(Item::Event(encoded, event)) => self.event(&encoded, &event)?,
                Some(Item::Marker(marker)) => {
                    if let Some(exit) = self.marker(&marker)? {
                        return Ok(exit);
                    }
                }
                Some(Item::Reconnecting { attempt: 1, .. }) => {
                    self.output
                        .note("the connection was lost; waiting for the daemon")?;
                }
                Some(Item::Reconnecting { .. }) => {}
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
                "the session cannot be used any more",
            )),
        }
    }
}
