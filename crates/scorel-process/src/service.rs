use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;
use scorel_exec::PipedRun;
use scorel_peer::TextStream;
use scorel_proto::RpcError;
use serde_json::value::RawValue;

use crate::secrets::Secrets;
use crate::service_link::ServiceLink;
use crate::service_words::ServiceWords;

/// From the start of a program until it is ready.
const START: Duration = Duration::from_secs(30);

/// The time after the last call at which a process is stopped.
const IDLE: Duration = Duration::from_secs(1800);

/// Bytes of the largest text that is read.
const FRAME: usize = 4 * 1024 * 1024;

/// One kind of process that stays: how it is started, and what it may ask.
pub trait Service: fmt::Debug + Send + Sync + 'static {
    /// Names it in the log and to people, such as `extension notes`.
    fn name(&self) -> &str;

    /// The bounds of its process.
    fn limits(&self) -> ServiceLimits {
        ServiceLimits::default()
    }

    /// Starts its program, or connects. What blocks runs elsewhere.
    ///
    /// The error is a sentence for people, without its full stop.
    fn start(&self) -> BoxFuture<'_, Result<StartedService, String>>;

    /// Greets a program that was started. It is ready once this returns. The error is a sentence as above.
    fn open<'a>(&'a self, link: &'a ServiceLink) -> BoxFuture<'a, Result<(), String>>;

    /// Answers a call of the program. It may be dropped when the program ends.
    fn called(
        &self,
        method: Box<str>,
        params: Box<RawValue>,
    ) -> BoxFuture<'static, Result<Box<RawValue>, RpcError>>;

    /// Takes a notification. Returns at once.
    fn notified(&self, method: &str, params: &RawValue);

    /// The messages of its protocol that are no methods of its own.
    fn words(&self) -> ServiceWords {
        ServiceWords::default()
    }

    /// Asked when a program ended, or was refused by [`Self::open`], before it was ready. True if it is started
    /// again at once, which is not a failure: another greeting may do better. Two in a row have to end with false.
    fn greets_again(&self) -> bool {
        false
    }
}

/// A service that was started.
#[derive(Debug)]
pub enum StartedService {
    Program(StartedProgram),
    /// A connection to one that runs elsewhere, without the secrets in it.
    Connection(TextStream),
}

impl From<StartedProgram> for StartedService {
    fn from(program: StartedProgram) -> Self {
        Self::Program(program)
    }
}

/// A program that was started, with the secrets that it got.
#[derive(Debug)]
pub struct StartedProgram {
    pub process: PipedRun,
    /// Cut out of all that it writes.
    pub secrets: Secrets,
    pub framing: ServiceFraming,
}

/// The framing of texts on a program's pipes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ServiceFraming {
    /// A text a line, until the program answers otherwise.
    #[default]
    Lines,
    /// A text a line. A line that is not a message is part of the log: programs print there what is for people.
    LooseLines,
    /// Header blocks with `Content-Length`, from the first text on.
    Headers,
}

/// The bounds of a process.
#[derive(Debug, Clone, Copy)]
pub struct ServiceLimits {
    /// From the start of the program until it is ready.
    pub start: Duration,
    /// The time after the last call at which it is stopped; `None` for never.
    pub idle: Option<Duration>,
    /// Bytes of the largest text that is read.
    pub frame: usize,
}

impl Default for ServiceLimits {
    fn default() -> Self {
        Self {
            start: START,
            idle: Some(IDLE),
            frame: FRAME,
        }
    }
}
