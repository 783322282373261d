use std::time::Instant;

use scorel_proto::{Phase, SessionView, ThinkingLevel};
use scorel_screen::TimeZone;
use scorel_screen::waits;

use super::state::{App, LinkState};

/// A connection that is lost for so long needs advice, in seconds.
const LONG: u64 = 10;

/// Less than so many events are no delay.
const BEHIND: u64 = 100;

impl App {
    /// The line at the bottom: what goes on, the model, what its window holds, the cost, the connection.
    pub(crate) fn status_line(&self, view: &SessionView) -> String {
        let mut parts = vec![self.phase(view)];
        if let Some(current) = &self.session {
            let session = &current.facts.session;
            let model = session
                .model
                .as_deref()
                .or(current.context.as_ref().map(|it| it.model.as_str()));
            let level = match session.thinking_level {
                ThinkingLevel::Default => String::new(),
                level => format!(" {}", level.name()),
            };
            if let Some(model) = model {
                let model = model.split_once(['/', ':']).map_or(model, |(_, id)| id);
                parts.push(format!("{model}{level}"));
            }
            if let Some(context) = &current.context {
                parts.push(format!(
                    "{}/{}",
                    short(context.tokens),
                    short(context.context_window)
                ));
            }
            if session.cost.micro_usd > 0 {
                parts.push(format!("${:.2}", dollars(session.cost.micro_usd)));
            }
        }
        if self.other_questions() > 0 {
            parts.push(format!("{} elsewhere ask: Ctrl+X", self.other_questions()));
        }
        parts.push(self.link_text(view));
        parts.retain(|part| !part.is_empty());
        parts.join(" · ")
    }

    fn phase(&self, view: &SessionView) -> String {
        let current = self.session.as_ref();
        let cancelling = current.and_then(|session| session.cancelling);
        if cancelling.is_some() && cancelling == view.state.turn_id() {
            return "cancelling".to_owned();
        }
        if let Some(retry) = &view.open.retry {
            let text = waits::retry(retry, &TimeZone::system());
            return text
                .lines()
                .next()
                .unwrap_or_default()
                .chars()
                .take(60)
                .collect();
        }
        match view.state.phase() {
            Phase::Idle if current.is_none() => "opening".to_owned(),
            Phase::Idle if current.is_some_and(|it| it.facts.session.archived) => {
                "archived".to_owned()
            }
            Phase::Idle if view.state.queue.paused => "idle, queue paused".to_owned(),
            Phase::Idle => "idle".to_owned(),
            Phase::AwaitingPermission => "asks".to_owned(),
            Phase::Waiting => {
                let waiting = view
                    .state
                    .turn
                    .as_ref()
                    .and_then(|turn| turn.waiting.as_ref());
                let text = waiting.map(|waiting| waits::waiting(waiting, &TimeZone::system()));
                let text = text.unwrap_or_else(|| "waiting".to_owned());
                text.split(" (")
                    .next()
                    .unwrap_or_default()
                    .split(": ")
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            }
            Phase::Cancelling => "cancelling".to_owned(),
            Phase::Failed => "failed".to_owned(),
            Phase::Preparing | Phase::Running => match self.turn_ms(view) {
                Some(ms) => format!("running {}", clock(ms / 1000)),
                None if view.state.compaction.is_some() => "summarising".to_owned(),
                None => "running".to_owned(),
            },
        }
    }

    fn link_text(&self, view: &SessionView) -> String {
        match &self.link {
            LinkState::Opening => "opening".to_owned(),
            LinkState::Over(_) => "ended".to_owned(),
            LinkState::Reconnecting { since, error } => {
                let seconds = Instant::now().saturating_duration_since(*since).as_secs();
                match seconds >= LONG {
                    true => format!(
                        "reconnecting {seconds} s: {error}; `scorelctl sessions` starts the daemon if it was stopped"
                    ),
                    false => format!("reconnecting {seconds} s"),
                }
            }
            LinkState::Live => {
                let known = self
                    .session
                    .as_ref()
                    .map_or(0, |it| it.facts.session.current_seq.get());
                let behind = known.saturating_sub(view.state.last_seq.get());
                match behind >= BEHIND && view.state.last_seq.get() > 0 {
                    true => format!("↓{behind} behind"),
                    false => "live".to_owned(),
                }
            }
        }
    }
}

fn clock(seconds: u64) -> String {
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// A number of tokens in at most four characters.
fn short(tokens: u64) -> String {
    match tokens {
        0..=999 => tokens.to_string(),
        1000..=999_999 => format!("{}k", tokens / 1000),
        _ => format!("{}M", tokens / 1_000_000),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the cost of a session is far below 2^53 millionths of a dollar"
)]
fn dollars(micro: u64) -> f64 {
    micro as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_tokens_are_short() {
        assert_eq!(
            (clock(41), clock(3_725)),
            ("0:41".to_owned(), "1:02:05".to_owned())
        );
        assert_eq!(
            [short(999), short(48_300), short(1_000_000)],
            ["999", "48k", "1M"]
        );
    }
}
