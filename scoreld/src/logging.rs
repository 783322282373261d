use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::panic;
use std::path::{Path, PathBuf};

use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_appender::rolling::{InitError, RollingFileAppender, Rotation};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

use crate::args::LogLevel;

/// How many days are kept, one file each.
const FILES: usize = 5;

/// How many lines may wait for the disk; more are dropped, because logging never holds work up.
const WAITING_LINES: usize = 8_192;

/// The daemon's own log. Lines that wait are written when this value goes.
#[derive(Debug)]
pub(crate) struct Logging {
    _writer: WorkerGuard,
    dropped: ErrorCounter,
}

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoggingError {
    /// The directory cannot be made.
    #[error("cannot create {path}")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file cannot be opened.
    #[error("cannot write a log file in {path}")]
    File {
        /// The directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: InitError,
    },
    /// Something in this process logs elsewhere already.
    #[error("logging is set up already")]
    Taken(#[from] TryInitError),
}

impl Logging {
    /// Writes what happens to `scoreld.log.<date>` in `dir`, and to stderr too if asked.
    ///
    /// Other crates' messages are logged from warnings up whatever the level: at lower levels some
    /// of them show what they send.
    ///
    /// # Errors
    /// The directory or the file cannot be written, or logging was started before.
    pub(crate) fn start(dir: &Path, level: LogLevel, stderr: bool) -> Result<Self, LoggingError> {
        let (writer, guard) = writer(dir)?;
        let dropped = writer.error_counter();
        let file = fmt::layer().with_ansi(false).with_writer(writer);
        let terminal = stderr.then(|| fmt::layer().with_ansi(false).with_writer(io::stderr));
        tracing_subscriber::registry()
            .with(file.with_filter(targets(level)))
            .with(terminal.with_filter(targets(level)))
            .try_init()?;
        panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
        Ok(Self {
            _writer: guard,
            dropped,
        })
    }

    /// How many lines were dropped because the disk was too slow.
    #[must_use]
    pub(crate) fn dropped_lines(&self) -> usize {
        self.dropped.dropped_lines()
    }
}

fn writer(dir: &Path) -> Result<(NonBlocking, WorkerGuard), LoggingError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(|source| LoggingError::Directory {
        path: dir.to_owned(),
        source,
    })?;
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("scoreld.log")
        .max_log_files(FILES)
        .build(dir)
        .map_err(|source| LoggingError::File {
            path: dir.to_owned(),
            source,
        })?;
    Ok(NonBlockingBuilder::default()
        .buffered_lines_limit(WAITING_LINES)
        .lossy(true)
        .thread_name("log")
        .finish(appender))
}

fn targets(level: LogLevel) -> Targets {
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    // A prefix: it covers the daemon and all crates of this project.
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
        assert!(enabled(LogLevel::Trace, "scorel_rpc::driver", Level::TRACE));
        assert!(enabled(LogLevel::Debug, "scoreld", Level::DEBUG));
        assert!(!enabled(LogLevel::Info, "scoreld", Level::DEBUG));
        assert!(!enabled(LogLevel::Trace, "hyper::client", Level::INFO));
        assert!(!enabled(LogLevel::Error, "hyper::client", Level::WARN));
    }
}
