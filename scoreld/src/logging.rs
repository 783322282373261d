use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::panic;
use std::path::{Path, PathBuf};

use scorel_home::FileProblem;
use scorel_home::trusted_file::require_regular;
use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_appender::rolling::{InitError, RollingFileAppender, Rotation};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

/// Daily log files kept.
const FILES: usize = 5;

/// Lines buffered for the writer thread; further ones are dropped, since logging must not block work. The queue
/// is allocated and written to when it is made, which is at each start.
const BUFFERED_LINES: usize = 1_024;

/// The daemon's own log. Dropping it flushes buffered lines.
#[derive(Debug)]
pub(crate) struct Logging {
    /// The threads that write to the file and to standard error.
    writers: Vec<(WorkerGuard, ErrorCounter)>,
}

/// Why logging could not be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoggingError {
    #[error("cannot create {path}")]
    Directory {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    NotRegular(#[from] FileProblem),
    #[error("cannot write a log file in {path}")]
    File {
        path: PathBuf,
        #[source]
        source: InitError,
    },
    /// The process has a global subscriber already.
    #[error("logging is already set up")]
    Taken(#[from] TryInitError),
}

impl Logging {
    /// Logs to `scoreld.log.<date>` in `dir`, and with `stderr` to standard error too.
    ///
    /// Other crates log warnings and errors only, whatever the level: at lower levels some HTTP
    /// crates print what they send.
    ///
    /// Without a directory, on a read-only file system, it logs to standard error only.
    pub(crate) fn start(
        dir: Option<&Path>,
        level: LevelFilter,
        stderr: bool,
    ) -> Result<Self, LoggingError> {
        let mut writers = Vec::new();
        let mut keep = |(writer, guard): (NonBlocking, WorkerGuard)| {
            writers.push((guard, writer.error_counter()));
            writer
        };
        let file = dir.map(log_file).transpose()?;
        let file = file.map(|file| keep(non_blocking(file)));
        // A terminal that is stopped, or a pipe that is not read, must not stop the daemon.
        let terminal = stderr.then(|| keep(non_blocking(io::stderr())));
        let file = file.map(|writer| fmt::layer().with_ansi(false).with_writer(writer));
        let terminal = terminal.map(|writer| fmt::layer().with_ansi(false).with_writer(writer));
        tracing_subscriber::registry()
            .with(file.with_filter(targets(level)))
            .with(terminal.with_filter(targets(level)))
            .try_init()?;
        // A panic in a task would otherwise only reach stderr, which is /dev/null in the background.
        panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
        Ok(Self { writers })
    }

    /// Lines dropped because a writer thread could not keep up.
    pub(crate) fn dropped_lines(&self) -> usize {
        let dropped = self.writers.iter().map(|(_, dropped)| dropped);
        dropped.map(ErrorCounter::dropped_lines).sum()
    }
}

fn log_file(dir: &Path) -> Result<RollingFileAppender, LoggingError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(|source| LoggingError::Directory {
        path: dir.to_owned(),
        source,
    })?;
    // The library would follow a link, and wait for a FIFO.
    require_regular(dir, "scoreld.log")?;
    RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("scoreld.log")
        .max_log_files(FILES)
        .build(dir)
        .map_err(|source| LoggingError::File {
            path: dir.to_owned(),
            source,
        })
}

fn non_blocking(writer: impl io::Write + Send + 'static) -> (NonBlocking, WorkerGuard) {
    NonBlockingBuilder::default()
        .buffered_lines_limit(BUFFERED_LINES)
        .lossy(true)
        .thread_name("log")
        .finish(writer)
}

fn targets(level: LevelFilter) -> Targets {
    // Targets match by prefix: this covers `scoreld` and every `scorel_*` crate.
    Targets::new()
        .with_default(level.min(LevelFilter::WARN))
        .with_target("scorel", level)
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn other_crates_are_quiet_whatever_the_level() {
        let enabled = |level, target, of: Level| targets(level).would_enable(target, &of);
        assert!(enabled(
            LevelFilter::TRACE,
            "scorel_rpc::driver",
            Level::TRACE
        ));
        assert!(enabled(LevelFilter::DEBUG, "scoreld", Level::DEBUG));
        assert!(!enabled(LevelFilter::INFO, "scoreld", Level::DEBUG));
        assert!(!enabled(LevelFilter::TRACE, "hyper::client", Level::INFO));
        assert!(!enabled(LevelFilter::ERROR, "hyper::client", Level::WARN));
    }
}
