//! Messages of a program from before its first prompt.

use std::collections::VecDeque;

use scorel_engine::RunnerEvent;

/// Bytes of the log that are kept: as many as of a turn's.
const MAX_LOG: usize = 256 * 1024;

/// Bounded, since nothing is consumed before the handshake is done: of the log the end, and the last
/// context and model. Nothing else means anything without a turn.
#[derive(Debug, Default)]
pub(crate) struct EarlyEvents {
    context: Option<RunnerEvent>,
    model: Option<RunnerEvent>,
    log: VecDeque<RunnerEvent>,
    log_bytes: usize,
}

impl EarlyEvents {
    pub(crate) fn push(&mut self, event: RunnerEvent) {
        match event {
            RunnerEvent::Context { .. } => self.context = Some(event),
            RunnerEvent::Model { .. } => self.model = Some(event),
            RunnerEvent::Log { .. } => {
                self.log_bytes += cost(&event);
                self.log.push_back(event);
                while self.log_bytes > MAX_LOG
                    && let Some(oldest) = self.log.pop_front()
                {
                    self.log_bytes -= cost(&oldest);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn into_events(self) -> impl Iterator<Item = RunnerEvent> {
        self.context.into_iter().chain(self.model).chain(self.log)
    }
}

/// Short lines take more than their bytes.
fn cost(event: &RunnerEvent) -> usize {
    let text = match event {
        RunnerEvent::Log { text, .. } => text.len(),
        _ => 0,
    };
    text + size_of::<RunnerEvent>()
}

#[cfg(test)]
mod tests {
    use scorel_engine::RunnerLogStream;

    use super::*;

    #[test]
    fn a_flood_leaves_the_end_of_the_log_and_the_last_context() {
        let mut early = EarlyEvents::default();
        for n in 0..100_000 {
            early.push(RunnerEvent::Progress);
            early.push(RunnerEvent::Context { id: n.to_string() });
            early.push(RunnerEvent::Log {
                stream: RunnerLogStream::Stdout,
                text: n.to_string(),
            });
        }
        let kept: Vec<RunnerEvent> = early.into_events().collect();
        let id = "99999".to_owned();
        assert_eq!(kept.first(), Some(&RunnerEvent::Context { id }));
        assert!(
            matches!(kept.last(), Some(RunnerEvent::Log { text, .. }) if text == "99999"),
            "{:?}",
            kept.last()
        );
        assert!(kept.iter().map(cost).sum::<usize>() <= MAX_LOG + 1024);
    }
}
