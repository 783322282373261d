//! The one task of all schedules.
//!
//! It sleeps until the next is due, and looks at the wall clock at least every half minute: a timer stands still while
//! the machine sleeps, and the clock can be set. Without schedules it wakes up for a change of the configuration only.
//! The end of each is written behind the delivery, so a crash between the two delivers again, and the session knows the
//! message.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use scorel_engine::{Clock, spawn_blocking};
use scorel_home::{StateError, StateFile};
use scorel_proto::{
    ChannelKind, CronFire, CronFireState, ErrorCode, FireChannelResult, RpcError, SessionId,
};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::due::{DueTime, millis};
use super::entry::time_text;
use super::{ChannelsConfig, CronConfig, CronEntry, CronMessage, CronPort, CronReport, FireError};
use crate::channels_file::{ChannelsFile, CronState};

/// The longest sleep while there are schedules.
const LOOK: Duration = Duration::from_secs(30);

/// The time that a delivery may take. It goes on afterwards, and the next look finds what came of it.
const LIMIT: Duration = Duration::from_secs(60);

/// The schedules of a daemon.
pub struct Cron {
    clock: Arc<dyn Clock>,
    file: Arc<StateFile<ChannelsFile>>,
    source: Arc<dyn CronConfig>,
    port: Arc<dyn CronPort>,
    /// Held from a look at the file to what is written of it: the next message may be for the session that this one makes.
    sending: Mutex<()>,
}

impl fmt::Debug for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cron").finish_non_exhaustive()
    }
}

impl Cron {
    /// `path` is that of `channels.json`.
    pub fn new(
        path: PathBuf,
        clock: Arc<dyn Clock>,
        source: Arc<dyn CronConfig>,
        port: Arc<dyn CronPort>,
    ) -> Self {
        Self {
            clock,
            file: Arc::new(StateFile::new(path)),
            source,
            port,
            sending: Mutex::default(),
        }
    }

    /// Sends what is due until `closing` is cancelled. To be spawned, once.
    pub async fn run(self: Arc<Self>, closing: CancellationToken) {
        let mut changes = self.source.changes();
        let looks = async {
            loop {
                changes.mark_unchanged();
                let rest = self.look().await;
                let sleep = async {
                    match rest {
                        Some(rest) => self.clock.sleep(rest).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    changed = changes.changed() => if changed.is_err() { return },
                    () = sleep => {}
                }
            }
        };
        closing.run_until_cancelled(looks).await;
    }

    /// Sends all that is due now. Returns how long nothing else is; `None` without schedules.
    pub(super) async fn look(&self) -> Option<Duration> {
        self.send_all().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "no schedule is looked at");
            Some(LOOK)
        })
    }

    async fn send_all(&self) -> Result<Option<Duration>, FireError> {
        let config = self.config().await?;
        if config.cron.is_empty() || !config.is_enabled(ChannelKind::Cron) {
            return Ok(None);
        }
        let _sending = self.sending.lock().await;
        let now = self.clock.unix_ms();
        let states = self.begin(config.cron.clone(), now).await?;
        let mut next = now.saturating_add(millis(LOOK));
        for (entry, state) in config.cron.iter().zip(&states) {
            if let Some(due) = entry.due(state, now) {
                self.send_due(entry, state, due).await;
            }
            next = next.min(entry.next_due(state, now).unwrap_or(next));
        }
        let rest = next.saturating_sub(self.clock.unix_ms());
        Ok(Some(Duration::from_millis(rest).min(LOOK)))
    }

    async fn config(&self) -> Result<ChannelsConfig, FireError> {
        let source = Arc::clone(&self.source);
        blocking(move || Ok(source.channels())).await
    }

    /// The states of all schedules. Those that are new, and those whose clock was wrong, begin now; those that are gone
    /// are forgotten, and begin again if they come back.
    async fn begin(&self, entries: Vec<CronEntry>, now: u64) -> Result<Vec<CronState>, FireError> {
        let file = Arc::clone(&self.file);
        blocking(move || {
            let known = file.read()?.unwrap_or_default();
            let begun = |entry: &CronEntry| entry.begun(known.cron.get(entry.name.as_str()), now);
            let states: Vec<CronState> = entries.iter().map(begun).collect();
            let is_known = |(entry, state): (&CronEntry, &CronState)| {
                known.cron.get(entry.name.as_str()) == Some(state)
            };
            let is_same = known.cron.len() == entries.len();
            if !is_same || !entries.iter().zip(&states).all(is_known) {
                file.modify(|body| {
                    let named = entries.iter().map(|entry| entry.name.to_string());
                    body.cron = named.zip(states.iter().cloned()).collect();
                    Ok::<_, StateError>(())
                })?;
            }
            Ok(states)
        })
        .await
    }

    async fn send_due(&self, entry: &CronEntry, state: &CronState, due: DueTime) {
        let external_id = entry.external_id(due.at);
        let sent = match due.is_left_out {
            true => Ok(None),
            false => self
                .deliver(entry, &external_id, state.session_id)
                .await
                .map(Some),
        };
        let fire = match sent {
            Ok(sent) => self.fire_of(external_id, sent),
            // The next look sends it again.
            Err(error) if is_for_now(&error) => {
                tracing::warn!(name = %entry.name, error = error.message, "a schedule is due and waits");
                return;
            }
            Err(error) => self.failed(external_id, state.session_id, &error),
        };
        self.record(entry, Some(due.at), fire).await;
    }

    async fn deliver(
        &self,
        entry: &CronEntry,
        external_id: &str,
        last_session: Option<SessionId>,
    ) -> Result<FireChannelResult, RpcError> {
        let message = CronMessage {
            entry: entry.clone(),
            external_id: external_id.to_owned(),
            last_session,
        };
        let sent = tokio::time::timeout(LIMIT, self.port.deliver(message)).await;
        let late = |_| RpcError::new(ErrorCode::StorageStalled, "it takes too long");
        sent.map_err(late)?
    }

    /// A message that was sent, or was to be left out.
    fn fire_of(&self, external_id: String, sent: Option<FireChannelResult>) -> CronFire {
        CronFire {
            at: self.clock.unix_ms(),
            external_id,
            state: match sent {
                Some(_) => CronFireState::Delivered,
                None => CronFireState::Skipped,
            },
            problem: sent.is_none().then(|| "it was missed".to_owned()),
            session_id: sent.map(|sent| sent.session_id),
            outcome: None,
        }
    }

    fn failed(
        &self,
        external_id: String,
        session_id: Option<SessionId>,
        error: &RpcError,
    ) -> CronFire {
        let state = match is_busy(error) {
            true => CronFireState::Skipped,
            false => CronFireState::Failed,
        };
        CronFire {
            at: self.clock.unix_ms(),
            external_id,
            state,
            session_id,
            problem: Some(error.message.clone()),
            outcome: None,
        }
    }

    /// Writes what came of a schedule; `due` is the time that it was for, if it was one of the schedule.
    async fn record(&self, entry: &CronEntry, due: Option<u64>, fire: CronFire) {
        let (file, name) = (Arc::clone(&self.file), entry.name.to_string());
        let written = blocking(move || {
            file.modify(|body| {
                let state = body.cron.entry(name).or_default();
                state.done_until = state.done_until.max(due.unwrap_or_default());
                state.session_id = fire.session_id.or(state.session_id);
                state.last = Some(fire);
                Ok(())
            })
        });
        if let Err(error) = written.await {
            tracing::warn!(name = %entry.name, %error, "what came of a schedule is not written");
        }
    }

    /// Has a schedule send its message now. `id` is the part of the message's id behind the name, if not the time.
    ///
    /// # Errors
    /// There is no such schedule, or its message is refused.
    pub async fn fire(
        &self,
        name: &str,
        id: Option<String>,
    ) -> Result<FireChannelResult, FireError> {
        if id.as_deref().is_some_and(|id| !is_id(id)) {
            return Err(FireError::InvalidId);
        }
        let config = self.config().await?;
        let found = config.cron.iter().find(|it| it.name.as_str() == name);
        let Some(entry) = found.cloned() else {
            let known = config.cron.iter().map(|it| it.name.to_string()).collect();
            let name = name.to_owned();
            return Err(FireError::Unknown { name, known });
        };
        if !config.is_enabled(ChannelKind::Cron) {
            return Err(FireError::Disabled);
        }
        let _sending = self.sending.lock().await;
        let now = self.clock.unix_ms();
        let states = self.begin(config.cron.clone(), now).await?;
        let mut states = config.cron.iter().zip(states);
        let state = states.find(|(known, _)| known.name == entry.name);
        let last_session = state.and_then(|(_, state)| state.session_id);
        let id = id.unwrap_or_else(|| time_text(now));
        let external_id = format!("{name}@{id}");
        let sent = self.deliver(&entry, &external_id, last_session).await;
        let sent = sent.map_err(FireError::Refused)?;
        let fire = self.fire_of(external_id, Some(sent.clone()));
        self.record(&entry, None, fire).await;
        Ok(sent)
    }

    /// All schedules of the configuration, in its order.
    ///
    /// # Errors
    /// `channels.json` cannot be read.
    pub async fn list(&self) -> Result<Vec<CronReport>, FireError> {
        let config = self.config().await?;
        let is_enabled = config.is_enabled(ChannelKind::Cron);
        let (file, now) = (Arc::clone(&self.file), self.clock.unix_ms());
        blocking(move || {
            let known = file.read()?.unwrap_or_default();
            let report = |entry: CronEntry| {
                let state = entry.begun(known.cron.get(entry.name.as_str()), now);
                CronReport::new(entry, state, now, is_enabled)
            };
            Ok(config.cron.into_iter().map(report).collect())
        })
        .await
    }
}

/// The session works, and the schedule is left out then.
const fn is_busy(error: &RpcError) -> bool {
    matches!(
        error.code,
        ErrorCode::AgentTaskBusy | ErrorCode::QueuePaused
    )
}

/// The same message can be sent again later.
const fn is_for_now(error: &RpcError) -> bool {
    !is_busy(error) && error.code.retryable()
}

fn is_id(text: &str) -> bool {
    let usual = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
    (1..=64).contains(&text.len()) && text.bytes().all(usual)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StateError> + Send + 'static,
) -> Result<T, FireError> {
    match spawn_blocking(work).await {
        Ok(done) => Ok(done?),
        Err(error) => Err(FireError::Lost(error.to_string())),
    }
}
