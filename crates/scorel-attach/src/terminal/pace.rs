use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;

/// The question for the terminal's state. Its answer says that all before it has been shown.
pub(super) const QUESTION: &[u8] = b"\x1b[5n";

/// A terminal that has not answered by then gets no further questions.
const FIRST_ANSWER: Duration = Duration::from_millis(500);
const ANY_ANSWER: Duration = Duration::from_secs(10);
/// More waiting in front of the terminal than this makes keys slow.
const LATE: Duration = Duration::from_millis(120);
const PROMPT: Duration = Duration::from_millis(40);
const MIN_WINDOW: usize = 512;
const FIRST_WINDOW: usize = 4096;
const MAX_WINDOW: usize = 64 << 10;
/// For a terminal that answers nothing: as much as fits into the kernel's buffer, about.
const UNKNOWN_WINDOW: usize = 16 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answers {
    Unknown,
    Yes,
    No,
}

/// The bytes that may be on their way to the terminal.
///
/// The kernel holds 12 KiB and more for a terminal, a connection by ssh a lot more, and neither tells how much is left;
/// in front of a slow terminal that is seconds. So the terminal itself is asked: its answer to a question comes after
/// what was written before. The window shrinks when answers come late, and grows when they come at once.
#[derive(Debug)]
pub(super) struct Pace {
    state: Mutex<State>,
    has_room: Notify,
}

#[derive(Debug)]
struct State {
    answers: Answers,
    window: usize,
    /// Bytes written since the last question that was answered.
    open: usize,
    question: Option<Question>,
    fastest: Duration,
}

#[derive(Debug)]
struct Question {
    asked: Instant,
    /// The bytes that its answer confirms.
    covers: usize,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::new(State {
                answers: Answers::Unknown,
                window: FIRST_WINDOW,
                open: 0,
                question: None,
                fastest: Duration::MAX,
            }),
            has_room: Notify::new(),
        }
    }

    /// The bytes that may be written now.
    pub(super) fn room(&self, now: Instant) -> usize {
        let mut state = self.state();
        state.expire(now);
        match state.answers {
            Answers::No => UNKNOWN_WINDOW,
            Answers::Unknown | Answers::Yes => {
                let left = state.window.saturating_sub(state.open);
                // The next bytes bring a question. Without any, what is open after a late answer would stay so.
                left.max(usize::from(state.question.is_none()))
            }
        }
    }

    /// Waits until there may be more room.
    pub(super) async fn change(&self, now: Instant) {
        let has_room = self.has_room.notified();
        if self.room(now) > 0 {
            return;
        }
        let patience = {
            let state = self.state();
            let question = state.question.as_ref();
            question.map_or(FIRST_ANSWER, |it| {
                (it.asked + state.limit()).saturating_duration_since(now)
            })
        };
        // Then the terminal counts as one that does not answer.
        let _ = timeout(patience + Duration::from_millis(1), has_room).await;
    }

    /// Waits for the answer that is on its way, at most so long.
    pub(super) async fn settled(&self, patience: Duration) {
        let answer = async {
            loop {
                let has_room = self.has_room.notified();
                if !self.waits(Instant::now()) {
                    return;
                }
                has_room.await;
            }
        };
        let _ = timeout(patience, answer).await;
    }

    /// Notes that bytes go out; returns whether a question shall follow them.
    pub(super) fn sends(&self, bytes: usize, now: Instant) -> bool {
        let mut state = self.state();
        if state.answers == Answers::No {
            return false;
        }
        state.open += bytes;
        if state.question.is_some() {
            return false;
        }
        state.question = Some(Question {
            asked: now,
            covers: state.open,
        });
        true
    }

    /// Notes that the terminal has answered.
    pub(super) fn answered(&self, now: Instant) {
        let mut state = self.state();
        state.answers = Answers::Yes;
        let Some(question) = state.question.take() else {
            return;
        };
        let took = now.duration_since(question.asked);
        state.fastest = state.fastest.min(took);
        let waited = took.saturating_sub(state.fastest);
        if waited > LATE {
            state.window = (state.window / 2).max(MIN_WINDOW);
        } else if waited < PROMPT && question.covers >= state.window / 4 {
            state.window = (state.window * 2).min(MAX_WINDOW);
        }
        state.open = state.open.saturating_sub(question.covers);
        self.has_room.notify_waiters();
    }

    /// Notes that an answer may have been thrown away.
    pub(super) fn forget(&self) {
        let mut state = self.state();
        state.question = None;
        state.open = 0;
        self.has_room.notify_waiters();
    }

    /// Returns whether an answer is on its way.
    fn waits(&self, now: Instant) -> bool {
        let mut state = self.state();
        state.expire(now);
        state.question.is_some()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    const fn limit(&self) -> Duration {
        match self.answers {
            Answers::Yes => ANY_ANSWER,
            Answers::Unknown | Answers::No => FIRST_ANSWER,
        }
    }

    fn expire(&mut self, now: Instant) {
        let limit = self.limit();
        if self
            .question
            .as_ref()
            .is_some_and(|it| now.duration_since(it.asked) > limit)
        {
            self.answers = Answers::No;
            self.question = None;
            self.open = 0;
        }
    }
}

#[cfg(test)]
mod tests;
