use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{Sleep, sleep_until};

use crate::output_pace::OutputPace;

/// A program's output at the pace with which it is read. Bytes are counted and not messages, since one that never ends
/// is a flood as well.
#[derive(Debug)]
pub struct PacedReader<R> {
    inner: R,
    pace: OutputPace,
    wait: Option<Pin<Box<Sleep>>>,
}

impl<R> PacedReader<R> {
    pub fn new(inner: R) -> Self {
        Self {
            inner,
            pace: OutputPace::new(),
            wait: None,
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for PacedReader<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Some(wait) = &mut this.wait {
            ready!(wait.as_mut().poll(cx));
            this.wait = None;
        }
        let before = out.filled().len();
        ready!(Pin::new(&mut this.inner).poll_read(cx, out))?;
        let until = this.pace.count(out.filled().len() - before);
        this.wait = until.map(|until| Box::pin(sleep_until(until)));
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_text_without_an_end_is_held_up() {
        let began = Instant::now();
        let mut reader = PacedReader::new(tokio::io::repeat(b'x'));
        // As a pipe gives it: 33 MiB in pieces.
        let mut piece = vec![0; 64 * 1024];
        for _ in 0..33 * 16 {
            reader.read_exact(&mut piece).await.unwrap();
        }
        let took = began.elapsed().as_millis();
        assert!((1_900..2_100).contains(&took), "{took} ms");
    }
}
