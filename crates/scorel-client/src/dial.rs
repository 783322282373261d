use std::path::Path;

use scorel_peer::{FrameLimits, TextStream};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;

use crate::ClientError;

/// The longest line accepted: the daemon writes frames of at most 16 MiB, which a 1 MiB margin
/// covers whatever the daemon counts towards them.
const MAX_LINE: usize = 17 * 1024 * 1024;

/// A way to the daemon. Everything above it is the same however the daemon is reached.
pub trait Dial {
    /// Opens a stream to the daemon. A second one may lead to the daemon after a restart.
    ///
    /// # Errors
    ///
    /// [`ClientError::Unreachable`] if nothing is there.
    fn dial(&self) -> impl Future<Output = Result<TextStream, ClientError>> + Send;
}

/// The daemon's Unix socket on this machine.
impl Dial for Path {
    async fn dial(&self) -> Result<TextStream, ClientError> {
        let stream = UnixStream::connect(self).await;
        let stream = stream.map_err(|source| ClientError::Unreachable {
            path: self.to_path_buf(),
            source,
        })?;
        let (reader, writer) = stream.into_split();
        Ok(text_stream(reader, writer))
    }
}

/// The texts of a connection to a daemon.
pub(crate) fn text_stream(
    reader: impl AsyncRead + Unpin + Send + 'static,
    writer: impl AsyncWrite + Send + 'static,
) -> TextStream {
    // A daemon that is stopped goes on where it was, so nothing here ends by time.
    let limits = FrameLimits {
        frame: MAX_LINE,
        partial_frame: None,
        write: None,
    };
    TextStream::of_bytes(reader, writer, &limits)
}
