//! A server on the standard input and output of its process: a JSON text a line.

use std::fs::File;
use std::future::Future;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use scorel_proto::{ErrorCode, RpcError};
use tokio::time::timeout;

use crate::envelope::{EnvelopeLimits, Frame, FrameEntry, RequestId, RequestObject};
use crate::framing::FrameLimits;
use crate::message_text::refusal;
use crate::outbox::Closed;
use crate::peer::Peer;
use crate::text_stream::{IncomingTexts, TextStream};
use crate::writer::write;

const ENVELOPES: EnvelopeLimits = EnvelopeLimits {
    nesting: 128,
    batch: 1,
    values: 100_000,
};

/// The time for the last answers, once the client has closed its end.
const GOODBYE: Duration = Duration::from_secs(5);

/// A service for the program at the other end.
pub trait StdioService: Send {
    /// The way to the client.
    fn peer(&self) -> &Arc<Peer>;

    /// Takes a request, which has so many bytes. The next line is read once this returns, so waiting here holds the
    /// client back.
    ///
    /// # Errors
    /// The client is gone.
    fn called(
        &mut self,
        id: RequestId,
        request: &RequestObject<'_>,
        bytes: usize,
    ) -> impl Future<Output = Result<(), Closed>> + Send;

    /// Takes a notification. Returns at once.
    fn notified(&mut self, notification: &RequestObject<'_>);

    /// The client has closed its end. Resolves once what it asked for before is done, or has had its time.
    fn finish(&mut self) -> impl Future<Output = ()> + Send;
}

/// Serves the client at the other end of the standard streams, until it closes its end. Its lines are at most so long.
///
/// # Errors
/// A line of the client has no end or cannot be read, or the standard output cannot be used.
pub async fn serve_stdio(mut service: impl StdioService, max_line: usize) -> io::Result<()> {
    // A descriptor of our own: the program may hold the lock of the standard output.
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    let output = tokio::fs::File::from_std(File::from(output));
    let limits = FrameLimits {
        frame: max_line,
        partial_frame: None,
        write: None,
    };
    let TextStream { incoming, outgoing } =
        TextStream::of_lines(tokio::io::stdin(), output, &limits);
    let peer = Arc::clone(service.peer());
    let reading = async {
        let read = read(&mut service, incoming).await;
        service.finish().await;
        peer.close();
        read
    };
    let writing = write(peer.outbox(), outgoing);
    tokio::pin!(reading, writing);
    tokio::select! {
        read = &mut reading => {
            let _written = timeout(GOODBYE, writing).await;
            read
        }
        // The client reads no more.
        _ = &mut writing => Ok(()),
    }
}

async fn read(service: &mut impl StdioService, mut incoming: IncomingTexts) -> io::Result<()> {
    while let Some(text) = incoming.next().await {
        let taken = match text {
            Ok(text) => take(service, &text).await,
            Err(error) => {
                let refused = RpcError::new(ErrorCode::InvalidRequest, error.to_string());
                let _: Result<(), Closed> = refuse(service, &RequestId::null(), &refused).await;
                return Err(io::Error::new(io::ErrorKind::InvalidData, error));
            }
        };
        if taken.is_err() {
            break;
        }
        tokio::task::consume_budget().await;
    }
    Ok(())
}

/// # Errors
/// The client is gone.
async fn take(service: &mut impl StdioService, text: &[u8]) -> Result<(), Closed> {
    let refused = match Frame::parse(text, &ENVELOPES) {
        Frame::Single(entry) => return take_entry(service, entry, text.len()).await,
        Frame::Batch(_) => RpcError::new(ErrorCode::InvalidRequest, "batches are not offered"),
        Frame::Refused(error) => error,
        Frame::NotUtf8 => RpcError::new(ErrorCode::ParseError, "a message is text in UTF-8"),
    };
    refuse(service, &RequestId::null(), &refused).await
}

async fn take_entry(
    service: &mut impl StdioService,
    entry: FrameEntry<'_>,
    bytes: usize,
) -> Result<(), Closed> {
    match entry {
        FrameEntry::Call(id, request) => return service.called(id, &request, bytes).await,
        FrameEntry::Notification(notification) => service.notified(&notification),
        FrameEntry::Answer(answer) => service.peer().answered(&answer),
        FrameEntry::Invalid(id, error) => return refuse(service, &id, &error).await,
    }
    Ok(())
}

async fn refuse(
    service: &impl StdioService,
    id: &RequestId,
    error: &RpcError,
) -> Result<(), Closed> {
    let text = refusal(id, error);
    service.peer().outbox().send(text).await
}
