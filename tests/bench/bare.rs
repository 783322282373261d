//! Baselines for the daemon: programs that only move bytes, each in its own process as the daemon
//! is.

use std::io::{Read as _, Write as _};
use std::path::Path;

use scorel_proto::{ClientId, EventId, Seq, SessionId, TextDelta, TransientBody, TransientEvent};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::process::{Child, Command};

/// The number of sockets of the bare fan-out.
pub(crate) const SOCKETS: usize = 32;

/// A running baseline with its connections.
pub(crate) struct Bare {
    pub(crate) sockets: Vec<UnixStream>,
    _child: Child,
    _directory: tempfile::TempDir,
}

impl Bare {
    pub(crate) async fn start(mode: &str, sockets: usize, more: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("s");
        let listener = UnixListener::bind(&path).unwrap();
        let child = Command::new(std::env::current_exe().unwrap())
            .arg(mode)
            .arg(&path)
            .args(more)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut accepted = Vec::new();
        while accepted.len() < sockets {
            accepted.push(listener.accept().await.unwrap().0);
        }
        Self {
            sockets: accepted,
            _child: child,
            _directory: directory,
        }
    }
}

#[tokio::main]
pub(crate) async fn echo(path: &str) {
    let mut stream = UnixStream::connect(path).await.unwrap();
    let echo = tokio::spawn(async move {
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            stream.write_all(&buffer[..read]).await.unwrap();
        }
    });
    echo.await.unwrap();
}

/// A runner that writes an event for each byte that it gets.
pub(crate) fn agent(path: &str) {
    let mut stream = std::os::unix::net::UnixStream::connect(path).unwrap();
    let mut output = std::io::stdout().lock();
    let mut buffer = [0; 64];
    while let Ok(read @ 1..) = stream.read(&mut buffer) {
        for _ in 0..read {
            let event = b"{\"type\": \"text\", \"text\": \" word\", \"delta\": true}\n";
            output.write_all(event).unwrap();
        }
        output.flush().unwrap();
    }
}

/// Encodes each event once and writes it to every socket, `batch` events per write.
#[tokio::main]
pub(crate) async fn fan_out(path: &str, events: u64, batch: u64) {
    let path = Path::new(path);
    let mut sockets = Vec::new();
    for _ in 0..SOCKETS {
        sockets.push(UnixStream::connect(path).await.unwrap());
    }
    let write = tokio::spawn(async move {
        let mut go = [0];
        sockets[0].read_exact(&mut go).await.unwrap();
        let mut event = delta();
        let mut lines = Vec::new();
        for number in 1..=events {
            event.seq = Seq::new(number).unwrap();
            serde_json::to_writer(&mut lines, &event).unwrap();
            lines.push(b'\n');
            if number % batch == 0 || number == events {
                for socket in &mut sockets {
                    socket.write_all(&lines).await.unwrap();
                }
                lines.clear();
            }
        }
        for socket in &mut sockets {
            socket.write_all(b"\"the end\"\n").await.unwrap();
        }
    });
    write.await.unwrap();
}

fn delta() -> TransientEvent {
    TransientEvent {
        seq: Seq::default(),
        session_id: SessionId::generate(),
        client_id: ClientId::Daemon,
        ts: 1_700_000_000_000,
        turn_id: Some(scorel_proto::TurnId::generate()),
        body: TransientBody::TextDelta(TextDelta {
            event_id: EventId::generate(),
            block_index: 0,
            delta: " word".to_owned(),
            from_seq: None,
        }),
    }
}
