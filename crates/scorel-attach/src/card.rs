//! The permission question that is on the screen, and when an answer to it counts.
//!
//! A key that was pressed before a person could have read the question must not answer it. So an answer counts only
//! while the card has the focus, was written to the terminal as it is now, with its whole input (or the input was read
//! in the pager), and has stood there for a while since the last change, focus or answer.

mod text;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use scorel_proto::{OpenQuestion, PermissionDecision, PermissionRequestId};

pub(crate) use text::{CardPlace, card_lines, input_text, tiny_card};

/// The time that a question stands unchanged before a key answers it.
pub(crate) const UNREAD: Duration = Duration::from_millis(500);

/// The questions that were read in the pager; more are not remembered.
const MAX_READ: usize = 256;

/// A card as it was written to the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DrawnCard {
    pub(crate) id: PermissionRequestId,
    /// Set if all of its input is on the screen.
    pub(crate) is_whole: bool,
}

/// Where keys go that are meant for questions.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Focus {
    /// They go to the composer.
    None,
    Card {
        since: Instant,
    },
    /// A refusal of this question is being explained.
    Why {
        id: PermissionRequestId,
        text: String,
    },
    /// The question is gone; what is still typed for it is thrown away.
    Leaving {
        since: Instant,
    },
}

/// The effect of a key at the card.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CardStep {
    Stays,
    Leaves,
    /// Answer it.
    Answers(PermissionDecision, Option<String>),
    /// Show the whole input in the pager.
    Reads,
    /// The answer does not count yet; why.
    Refused(&'static str),
}

/// A key at the card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CardKey {
    Char(char),
    Backspace,
    Enter,
    Esc,
    Previous,
    Next,
    Read,
}

#[derive(Debug)]
pub(crate) struct Card {
    focus: Focus,
    current: Option<PermissionRequestId>,
    /// The part that the terminal shows, and since when.
    drawn: Option<(DrawnCard, Instant)>,
    answered: Option<Instant>,
    read: HashSet<PermissionRequestId>,
    /// Answers on their way.
    sent: HashSet<PermissionRequestId>,
}

impl Card {
    pub(crate) fn new() -> Self {
        Self {
            focus: Focus::None,
            current: None,
            drawn: None,
            answered: None,
            read: HashSet::new(),
            sent: HashSet::new(),
        }
    }

    /// The question that is shown, of those of this session and its agents, and its place among them.
    pub(crate) fn shown<'a>(
        &self,
        questions: &[&'a OpenQuestion],
    ) -> Option<(usize, &'a OpenQuestion)> {
        let is_current =
            |question: &&OpenQuestion| Some(question.request.request_id) == self.current;
        let open = || {
            questions
                .iter()
                .enumerate()
                .filter(|(_, it)| !self.sent.contains(&it.request.request_id))
        };
        let current = open().find(|(_, question)| is_current(question));
        current
            .or_else(|| open().next())
            .map(|(at, question)| (at, *question))
    }

    pub(crate) fn has_focus(&self) -> bool {
        self.focus != Focus::None
    }

    /// The text of the reason that is typed.
    pub(crate) fn why(&self) -> Option<&str> {
        match &self.focus {
            Focus::Why { text, .. } => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_read(&self, id: PermissionRequestId) -> bool {
        self.read.contains(&id)
    }

    /// Moves the focus to the card.
    pub(crate) fn enter(&mut self, now: Instant) {
        self.focus = Focus::Card { since: now };
    }

    pub(crate) fn leave(&mut self) {
        self.focus = Focus::None;
    }

    /// Makes a question the one that is shown.
    pub(crate) fn show(&mut self, id: PermissionRequestId) {
        self.current = Some(id);
    }

    /// The whole input was shown in the pager.
    pub(crate) fn was_read(&mut self, id: PermissionRequestId, now: Instant) {
        if self.read.len() >= MAX_READ {
            self.read.clear();
        }
        self.read.insert(id);
        // The key that closed the pager answers nothing.
        if let Focus::Card { since } = &mut self.focus {
            *since = now;
        }
    }

    /// A frame was written to the terminal, with this card or none.
    pub(crate) fn was_drawn(&mut self, drawn: Option<DrawnCard>, now: Instant) {
        let before = self.drawn.map(|(drawn, _)| drawn);
        if before != drawn {
            self.drawn = drawn.map(|drawn| (drawn, now));
        }
    }

    /// The terminal has another size, or was used by another program.
    pub(crate) fn must_be_drawn(&mut self) {
        self.drawn = None;
    }

    /// A question is not open any more.
    pub(crate) fn closed(&mut self, id: PermissionRequestId, is_shown: bool, now: Instant) {
        self.read.remove(&id);
        self.sent.remove(&id);
        if is_shown && self.has_focus() {
            self.focus = Focus::Leaving { since: now };
        }
    }

    /// Returns whether an answer is on its way.
    pub(crate) fn is_sent(&self, id: PermissionRequestId) -> bool {
        self.sent.contains(&id)
    }

    /// An answer did not arrive.
    pub(crate) fn not_sent(&mut self, id: PermissionRequestId) {
        self.sent.remove(&id);
    }

    /// Follows what happened meanwhile; `shown` is the question on the card.
    pub(crate) fn tick(&mut self, shown: Option<PermissionRequestId>, now: Instant) {
        let is_gone = match &self.focus {
            Focus::Leaving { since } if now >= *since + UNREAD => {
                self.focus = match shown {
                    Some(_) => Focus::Card { since: now },
                    None => Focus::None,
                };
                return;
            }
            Focus::Card { .. } => shown.is_none(),
            // A reason is for one question only.
            Focus::Why { id, .. } => shown != Some(*id),
            Focus::None | Focus::Leaving { .. } => false,
        };
        if is_gone {
            self.focus = Focus::Leaving { since: now };
        }
    }

    /// When [`Card::tick`] or a new hint is due.
    pub(crate) fn due(&self) -> Option<Instant> {
        match &self.focus {
            Focus::Leaving { since } | Focus::Card { since } => Some(*since + UNREAD),
            Focus::None | Focus::Why { .. } => None,
        }
    }

    /// Takes a key while the card has the focus.
    pub(crate) fn key(
        &mut self,
        key: CardKey,
        question: Option<&OpenQuestion>,
        now: Instant,
    ) -> CardStep {
        if let (Focus::Leaving { .. }, CardKey::Esc) = (&self.focus, key) {
            self.leave();
            return CardStep::Leaves;
        }
        let Some(question) = question else {
            return CardStep::Stays;
        };
        match &mut self.focus {
            Focus::None | Focus::Leaving { .. } => CardStep::Stays,
            Focus::Why { text, .. } => match key {
                CardKey::Char(char) => {
                    text.push(char);
                    CardStep::Stays
                }
                CardKey::Backspace => {
                    text.pop();
                    CardStep::Stays
                }
                CardKey::Esc => {
                    self.enter(now);
                    CardStep::Stays
                }
                CardKey::Enter => {
                    let text = text.trim().to_owned();
                    let reason = (!text.is_empty()).then_some(text);
                    self.answer(question, PermissionDecision::Deny, reason, now)
                }
                CardKey::Previous | CardKey::Next | CardKey::Read => CardStep::Stays,
            },
            Focus::Card { .. } => self.card_key(key, question, now),
        }
    }

    fn card_key(&mut self, key: CardKey, question: &OpenQuestion, now: Instant) -> CardStep {
        let decision = match key {
            CardKey::Esc => {
                self.leave();
                return CardStep::Leaves;
            }
            CardKey::Read | CardKey::Enter => return CardStep::Reads,
            CardKey::Char('y' | 'Y') => PermissionDecision::Once,
            CardKey::Char('s' | 'S') => PermissionDecision::Session,
            CardKey::Char('a' | 'A') => PermissionDecision::Always,
            CardKey::Char('n' | 'N') => PermissionDecision::Deny,
            _ => return CardStep::Stays,
        };
        if let Err(why) = self.may_answer(question, decision, now) {
            return CardStep::Refused(why);
        }
        if decision == PermissionDecision::Deny {
            self.focus = Focus::Why {
                id: question.request.request_id,
                text: String::new(),
            };
            return CardStep::Stays;
        }
        self.answer(question, decision, None, now)
    }

    fn answer(
        &mut self,
        question: &OpenQuestion,
        decision: PermissionDecision,
        reason: Option<String>,
        now: Instant,
    ) -> CardStep {
        self.sent.insert(question.request.request_id);
        self.answered = Some(now);
        self.focus = Focus::Leaving { since: now };
        CardStep::Answers(decision, reason)
    }

    fn may_answer(
        &self,
        question: &OpenQuestion,
        decision: PermissionDecision,
        now: Instant,
    ) -> Result<(), &'static str> {
        let request = &question.request;
        let Some((drawn, shown)) = self
            .drawn
            .filter(|(drawn, _)| drawn.id == request.request_id)
        else {
            return Err("the question is not on the screen yet");
        };
        if !drawn.is_whole && !self.is_read(drawn.id) {
            return Err(
                "the input is longer than the card: Enter shows all of it in the pager first",
            );
        }
        let Focus::Card { since } = self.focus else {
            return Err("Ctrl+Y goes to the question first");
        };
        let last = self
            .answered
            .into_iter()
            .fold(shown.max(since), Instant::max);
        if now < last + UNREAD {
            return Err("too early: read it first");
        }
        is_possible(question, decision)
    }
}

/// Returns whether a question can be answered like that; if not, why.
pub(crate) fn is_possible(
    question: &OpenQuestion,
    decision: PermissionDecision,
) -> Result<(), &'static str> {
    let request = &question.request;
    match decision {
        PermissionDecision::Session | PermissionDecision::Always if request.rules.is_empty() => {
            Err("such a call is asked about every time: only y and n")
        }
        PermissionDecision::Always if request.session_only => {
            Err("that rule may hold for the session only: s, not a")
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
