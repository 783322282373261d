use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, ReadBuf};

use crate::secrets::{SecretRedactor, Secrets};

/// Bytes read at a time: the capacity of a pipe.
const CHUNK: usize = 64 * 1024;

/// A byte stream without the secrets in it.
#[derive(Debug)]
pub struct RedactedReader<R> {
    inner: R,
    redactor: SecretRedactor,
    /// Redacted and not taken yet.
    told: Bytes,
    buffer: Box<[u8]>,
    has_ended: bool,
}

impl<R> RedactedReader<R> {
    pub fn new(inner: R, secrets: Secrets) -> Self {
        Self {
            inner,
            redactor: SecretRedactor::new(secrets),
            told: Bytes::new(),
            buffer: vec![0; CHUNK].into_boxed_slice(),
            has_ended: false,
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for RedactedReader<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.told.is_empty() && !this.has_ended {
            let mut piece = ReadBuf::new(&mut this.buffer);
            ready!(Pin::new(&mut this.inner).poll_read(cx, &mut piece))?;
            this.has_ended = piece.filled().is_empty();
            this.told = match this.has_ended {
                true => this.redactor.end().into(),
                false => this.redactor.push(piece.filled()).into(),
            };
        }
        let count = this.told.len().min(out.remaining());
        out.put_slice(&this.told[..count]);
        this.told.advance(count);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn a_secret_is_cut_out_of_a_stream_and_the_end_is_read() {
        let secrets = Secrets::named([("KEY".to_owned(), "sk-12345".to_owned())]);
        let mut reader = RedactedReader::new(&b"a sk-12345 b sk-123"[..], secrets);
        let mut text = String::new();
        reader.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "a [secret KEY] b sk-123");
    }
}
