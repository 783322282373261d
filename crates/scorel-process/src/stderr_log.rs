use std::sync::{Arc, Mutex, PoisonError};

use bytes::BytesMut;
use scorel_peer::LineCutter;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::task::yield_now;

use crate::log_pace::LogPace;
use crate::output_pace::OutputPace;
use crate::redacted_reader::RedactedReader;
use crate::secrets::Secrets;
use crate::stderr_tail::StderrTail;

/// Bytes of a line in the log. A longer one is cut into several.
const LINE: usize = 4 * 1024;

/// How many bytes of the pace one of these costs: it is cut into lines, and nothing waits for it.
const COST: usize = 16;

/// Bytes read at a time.
const CHUNK: usize = 16 * 1024;

/// The error output of a program: its logger.
#[derive(Debug, Clone, Default)]
pub struct StderrLog {
    tail: Arc<Mutex<StderrTail>>,
}

impl StderrLog {
    /// Reads to the end. Lines go to the daemon's log, within its pace.
    pub async fn read(&self, name: &str, stderr: impl AsyncRead + Unpin, secrets: Secrets) {
        let mut reader = RedactedReader::new(stderr, secrets);
        let (mut lines, mut unread) = (LineCutter::new(LINE), BytesMut::new());
        let mut pace = LogPace::new();
        let mut output_pace = OutputPace::new();
        let mut chunk = vec![0; CHUNK];
        while let Ok(count @ 1..) = reader.read(&mut chunk).await {
            // Nothing waits for this output, and a program may never pause.
            yield_now().await;
            output_pace.took(count * COST).await;
            self.tail().push(&chunk[..count]);
            unread.extend_from_slice(&chunk[..count]);
            loop {
                let line = match lines.next(&mut unread) {
                    Ok(Some(line)) => line,
                    Ok(None) => break,
                    Err(_) => {
                        lines = LineCutter::new(LINE);
                        let piece = unread.len().min(LINE);
                        unread.split_to(piece).freeze()
                    }
                };
                pace.log(name, &line);
            }
        }
        let rest = lines.rest(&mut unread);
        if !rest.is_empty() {
            pace.log(name, &rest);
        }
        self.tail().end();
        pace.end(name);
    }

    /// Nothing that was read so far is kept any longer.
    pub(crate) fn forget(&self) {
        *self.tail() = StderrTail::default();
    }

    /// The last line that is not blank.
    pub(crate) fn last_line(&self) -> String {
        self.tail().last_line()
    }

    /// All of the end that is kept.
    pub fn text(&self) -> String {
        self.tail().text()
    }

    /// At most `bytes` of the end.
    pub(crate) fn last(&self, bytes: usize) -> String {
        self.tail().last(bytes)
    }

    fn tail(&self) -> std::sync::MutexGuard<'_, StderrTail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_end_of_endless_lines_is_kept_without_secrets() {
        let secrets = Secrets::named([("KEY".to_owned(), "sk-12345".to_owned())]);
        let text = "x".repeat(300_000) + "sk-12345\nlast line\n";
        let log = StderrLog::default();
        log.read("test", text.as_bytes(), secrets).await;
        assert_eq!(log.last_line(), "last line");
        assert!(log.last(40).ends_with("x[secret KEY]\nlast line"));
    }
}
