use std::collections::VecDeque;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::hooking::JudgedQuestion;
use crate::ports::RunnerQuestion;

/// The questions of a runner, which are judged one after the other: what is allowed by an answer holds
/// for those that wait.
#[derive(Default)]
pub(super) struct Questions {
    waiting: VecDeque<(RunnerQuestion, BoxFuture<'static, JudgedQuestion>)>,
    /// The one that a client is asked, and since when.
    open: Option<(RunnerQuestion, Duration)>,
}

impl Questions {
    pub(super) fn ask(
        &mut self,
        question: RunnerQuestion,
        judging: BoxFuture<'static, JudgedQuestion>,
    ) {
        self.waiting.push_back((question, judging));
    }

    /// The next verdict, once no client is asked. Cancel-safe.
    pub(super) async fn judged(&mut self) -> (RunnerQuestion, JudgedQuestion) {
        if self.open.is_none()
            && let Some((_, judging)) = self.waiting.front_mut()
        {
            let judged = judging.await;
            if let Some((question, _)) = self.waiting.pop_front() {
                return (question, judged);
            }
        }
        std::future::pending().await
    }

    pub(super) fn open(&mut self, question: RunnerQuestion, now: Duration) {
        self.open = Some((question, now));
    }

    /// Returns whether the runner waits for an answer.
    pub(super) fn is_busy(&self) -> bool {
        self.open.is_some() || !self.waiting.is_empty()
    }

    /// The open question, and how long it was open.
    pub(super) fn answered(&mut self, now: Duration) -> Option<(RunnerQuestion, Duration)> {
        let (question, asked_at) = self.open.take()?;
        Some((question, now.saturating_sub(asked_at)))
    }

    /// How long the question was open, if it was.
    pub(super) fn withdraw(&mut self, id: &str, now: Duration) -> Option<Duration> {
        self.waiting.retain(|(question, _)| question.id != id);
        let is_it = self.open.as_ref().is_some_and(|(open, _)| open.id == id);
        let (_, waited) = is_it.then(|| self.answered(now))??;
        Some(waited)
    }

    /// Forgets all. Returns whether one was open.
    pub(super) fn close(&mut self) -> bool {
        self.waiting.clear();
        self.open.take().is_some()
    }
}
