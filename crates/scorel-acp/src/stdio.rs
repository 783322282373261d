//! The standard streams. Each has a thread, since a read or a write that blocks cannot be cancelled and must not keep
//! the program alive.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd as _;
use std::thread;

use bytes::{Bytes, BytesMut};
use tokio::sync::{mpsc, oneshot};

/// Of a read, in bytes.
const READ: usize = 64 * 1024;

/// Reads standard input in pieces. One waits at most.
pub(crate) fn read() -> mpsc::Receiver<Bytes> {
    let (sender, pieces) = mpsc::channel(1);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        let mut buffer = vec![0; READ];
        loop {
            match input.read(&mut buffer) {
                Ok(0) => return,
                Ok(length) => {
                    let piece = Bytes::copy_from_slice(&buffer[..length]);
                    if sender.blocking_send(piece).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Nothing more can come, as at the end.
                Err(_) => return,
            }
        }
    });
    pieces
}

/// Standard output.
#[derive(Debug)]
pub(crate) struct Output(mpsc::Sender<Piece>);

type Piece = (BytesMut, oneshot::Sender<io::Result<()>>);

impl Output {
    /// # Errors
    /// There is no standard output.
    pub(crate) fn new() -> io::Result<Self> {
        // A file of its own: the program's main thread may hold the lock of `io::stdout`.
        let mut output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let (sender, mut pieces) = mpsc::channel::<Piece>(1);
        thread::spawn(move || {
            while let Some((piece, written)) = pieces.blocking_recv() {
                let result = output.write_all(&piece);
                // Fails if the wait for it was given up.
                drop(written.send(result));
            }
        });
        Ok(Self(sender))
    }

    /// Writes and waits until it is written.
    ///
    /// # Errors
    /// Those of the write, such as that the editor is gone.
    pub(crate) async fn write(&self, piece: BytesMut) -> io::Result<()> {
        let (sender, written) = oneshot::channel();
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.send((piece, sender)).await.map_err(|_| gone())?;
        written.await.map_err(|_| gone())?
    }
}
