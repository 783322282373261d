use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use scorel_client::{Caller, Connect};
use scorel_peer::{
    Closed, EnvelopeLimits, Frame, FrameEntry, FrameLimits, IncomingTexts, RequestId, TextStream,
    write,
};
use scorel_proto::{ErrorCode, RpcError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::daemon::Daemon;
use crate::editor::Editor;
use crate::room::Room;
use crate::v1::Agent;

/// The longest line of an editor, in bytes. A prompt may hold several images, of which the daemon takes 4 MiB each.
const MAX_LINE: usize = 32 * 1024 * 1024;

const LIMITS: FrameLimits = FrameLimits {
    frame: MAX_LINE,
    partial_frame: None,
    write: None,
};

const ENVELOPES: EnvelopeLimits = EnvelopeLimits {
    nesting: 128,
    batch: 1,
    values: 100_000,
};

/// The time that requests have, and then answers, once the editor has closed its end.
const GOODBYE: Duration = Duration::from_secs(5);

/// Serves the editor at the other end of the standard streams, until it closes its end.
///
/// `caller` calls the daemon, which it may start; `connector` makes the connections on which sessions are followed, and
/// does not: a daemon that was stopped stays so until the editor asks for something. `is_local` says that the daemon's files
/// are those of this machine.
///
/// # Errors
/// The editor's output has no end or cannot be read, or the standard output cannot be used.
pub async fn serve_stdio<C>(caller: Caller<C>, connector: C, is_local: bool) -> io::Result<()>
where
    C: Connect + Clone + Send + Sync + 'static,
{
    // A descriptor of our own: the program may hold the lock of the standard output.
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    let output = tokio::fs::File::from_std(File::from(output));
    let daemon = Daemon::new(caller, connector, is_local);
    serve(daemon, tokio::io::stdin(), output).await
}

/// Serves the editor that writes to `reader` and reads from `writer`. Its turns go on when it ends.
///
/// # Errors
/// The editor's output has no end, or cannot be read.
async fn serve<C, R, W>(daemon: Daemon<C>, reader: R, writer: W) -> io::Result<()>
where
    C: Connect + Clone + Send + Sync + 'static,
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Send + 'static,
{
    let TextStream { incoming, outgoing } = TextStream::of_lines(reader, writer, &LIMITS);
    let editor = Editor::new();
    let mut server = Server {
        agent: Arc::new(Agent::new(daemon, editor.clone())),
        editor: editor.clone(),
        room: Room::default(),
        requests: JoinSet::new(),
    };
    let reading = async {
        let read = server.read(incoming).await;
        // Requests that the editor wrote before it went are carried out; its turns are not waited for.
        server.room.empty(GOODBYE).await;
        let _left = timeout(GOODBYE, server.agent.leave()).await;
        editor.peer().close();
        read
    };
    let writing = write(editor.peer().outbox(), outgoing);
    tokio::pin!(reading, writing);
    tokio::select! {
        read = &mut reading => {
            let _written = timeout(GOODBYE, writing).await;
            read
        }
        // The editor reads no more.
        _ = &mut writing => Ok(()),
    }
}

struct Server<C> {
    agent: Arc<Agent<C>>,
    editor: Editor,
    room: Room,
    requests: JoinSet<()>,
}

impl<C: Connect + Clone + Send + Sync + 'static> Server<C> {
    async fn read(&mut self, mut incoming: IncomingTexts) -> io::Result<()> {
        while let Some(text) = incoming.next().await {
            let taken = match text {
                Ok(text) => self.take(&text).await,
                Err(error) => {
                    let refused = RpcError::new(ErrorCode::InvalidRequest, error.to_string());
                    let _: Result<(), Closed> = self.refuse(&refused).await;
                    return Err(io::Error::new(io::ErrorKind::InvalidData, error));
                }
            };
            if taken.is_err() {
                break;
            }
            while self.requests.try_join_next().is_some() {}
            tokio::task::consume_budget().await;
        }
        Ok(())
    }

    /// # Errors
    /// The editor is gone.
    async fn take(&mut self, text: &[u8]) -> Result<(), Closed> {
        match Frame::parse(text, &ENVELOPES) {
            Frame::Single(entry) => self.entry(entry, text.len()).await,
            Frame::Batch(_) => {
                let message = "batches are not offered";
                self.refuse(&RpcError::new(ErrorCode::InvalidRequest, message))
                    .await
            }
            Frame::Refused(error) => self.refuse(&error).await,
            Frame::NotUtf8 => {
                let message = "a message is text in UTF-8";
                self.refuse(&RpcError::new(ErrorCode::ParseError, message))
                    .await
            }
        }
    }

    async fn entry(&mut self, entry: FrameEntry<'_>, bytes: usize) -> Result<(), Closed> {
        match entry {
            FrameEntry::Call(id, request) => {
                let room = self.room.take(bytes).await;
                self.requests.spawn(self.agent.request(id, &request, room));
                Ok(())
            }
            FrameEntry::Notification(notification) => {
                self.agent.notified(&notification);
                Ok(())
            }
            FrameEntry::Answer(answer) => {
                self.editor.peer().answered(&answer);
                Ok(())
            }
            FrameEntry::Invalid(id, error) => self.editor.refuse(&id, &error).await,
        }
    }

    async fn refuse(&self, error: &RpcError) -> Result<(), Closed> {
        self.editor.refuse(&RequestId::null(), error).await
    }
}
