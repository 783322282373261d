use std::io;
use std::time::Duration;

use bytes::{BufMut as _, BytesMut};
use scorel_client::Caller;
use scorel_peer::{Closed, EnvelopeLimits, Frame, FrameEntry, RequestId, invalid_request};
use scorel_proto::{ErrorCode, RpcError};
use serde_json::json;
use tokio::time::timeout;

use crate::daemon::{Connector, Daemon};
use crate::editor::Editor;
use crate::lines::{Line, Lines, MAX_LINE};
use crate::room::Room;
use crate::stdio::{self, Output};
use crate::v1::Agent;

const LIMITS: EnvelopeLimits = EnvelopeLimits {
    nesting: 128,
    batch: 1,
    values: 1_000_000,
};

/// The time that answers have to come and to be written once nothing more is read. Turns go on without the editor.
const LAST_ANSWERS: Duration = Duration::from_secs(10);

/// Serves the editor on the standard streams until standard input ends or standard output is closed.
///
/// `caller` makes the calls, `connector` the connections of the sessions that are followed.
///
/// # Errors
/// Those of writing to standard output, but for an editor that is gone.
pub async fn serve_stdio<C: Connector>(caller: Caller<C>, connector: C) -> io::Result<()> {
    let editor = Editor::new();
    let agent = Agent::new(Daemon::new(caller, connector), editor.clone());
    let reading = async {
        let room = Room::default();
        let mut lines = Lines::new(stdio::read());
        while let Some(line) = lines.next().await {
            if take(&line, &agent, &editor, &room).await.is_err() {
                break;
            }
        }
        room.empty(LAST_ANSWERS).await;
        editor.peer().close();
    };
    let writing = write(&editor);
    tokio::pin!(writing);
    let written = tokio::select! {
        written = &mut writing => written,
        () = reading => timeout(LAST_ANSWERS, writing).await.unwrap_or(Ok(())),
    };
    editor.peer().close();
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Takes a line. Waits while there is no room for another request.
async fn take<C: Connector>(
    line: &Line,
    agent: &Agent<C>,
    editor: &Editor,
    room: &Room,
) -> Result<(), Closed> {
    let line = match line {
        Line::Whole(line) if line.iter().all(u8::is_ascii_whitespace) => return Ok(()),
        Line::Whole(line) => line,
        Line::TooLong => {
            let message = format!("a line is longer than {MAX_LINE} bytes");
            let error = RpcError::new(ErrorCode::PayloadTooLarge, message);
            let error = error.with_details(json!({ "limit": MAX_LINE }));
            return editor.refuse(&RequestId::null(), &error).await;
        }
    };
    let entry = match Frame::parse(line, &LIMITS) {
        Frame::Single(entry) => entry,
        Frame::Refused(error) => return editor.refuse(&RequestId::null(), &error).await,
        Frame::Batch(_) => {
            let error = invalid_request("this protocol has no batches");
            return editor.refuse(&RequestId::null(), &error).await;
        }
        Frame::NotUtf8 => {
            let error = RpcError::new(ErrorCode::ParseError, "the line is not UTF-8");
            return editor.refuse(&RequestId::null(), &error).await;
        }
    };
    match entry {
        FrameEntry::Call(id, request) => {
            let taken = room.take(line.len()).await;
            let params = request.params.unwrap_or("{}");
            agent.request(id, &request.method, params, taken);
        }
        FrameEntry::Notification(request) => {
            agent.notification(&request.method, request.params.unwrap_or("{}"));
        }
        FrameEntry::Answer(members) => editor.peer().answered(&members),
        FrameEntry::Invalid(id, error) => editor.refuse(&id, &error).await?,
    }
    // What is taken without waiting must not keep the other tasks waiting.
    tokio::task::consume_budget().await;
    Ok(())
}

/// Writes what is queued, until the outbox is closed and empty.
async fn write(editor: &Editor) -> io::Result<()> {
    let output = Output::new()?;
    let outbox = editor.peer().outbox();
    let mut batch = Vec::new();
    while let Some(room) = outbox.take(&mut batch).await {
        let mut piece = BytesMut::new();
        for text in batch.drain(..) {
            text.put(&mut piece);
            piece.put_u8(b'\n');
        }
        output.write(piece).await?;
        outbox.release(room);
    }
    Ok(())
}
