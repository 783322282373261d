use scorel_proto::TurnError;

use crate::limit_error::limit;

/// How much a turn may let a session, a day and itself cost, in millionths of a US dollar; `None` for
/// no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CostLimits {
    /// The model calls of the turn.
    pub turn: Option<u64>,
    /// All model calls of its session.
    pub session: Option<u64>,
    /// The model calls of all sessions on this day.
    pub day: Option<u64>,
}

/// The amounts spent, in millionths of a US dollar.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AmountsSpent {
    pub(crate) turn: u64,
    pub(crate) session: u64,
    pub(crate) day: u64,
}

impl CostLimits {
    /// Returns whether there is no limit.
    pub const fn is_none(&self) -> bool {
        self.turn.is_none() && self.session.is_none() && self.day.is_none()
    }

    /// The limit that a call for `estimate` would exceed.
    pub(crate) fn exceeded(&self, spent: AmountsSpent, estimate: u64) -> Option<TurnError> {
        let checks = [
            ("turn_cost", "the turn", self.turn, spent.turn),
            ("session_cost", "the session", self.session, spent.session),
            ("day_cost", "this day", self.day, spent.day),
        ];
        checks.into_iter().find_map(|(code, what, max, spent)| {
            let max = max.filter(|max| spent.saturating_add(estimate) > *max)?;
            let message = format!(
                "{what} has cost {} and the next model call costs at least about {}, more than its limit of {}",
                dollars(spent),
                dollars(estimate),
                dollars(max)
            );
            Some(limit(code, message))
        })
    }
}

fn dollars(micro_usd: u64) -> String {
    format!("${:.4}", micro_usd as f64 / 1e6)
}

/// The error of a turn whose limits of cost cannot be kept.
pub(crate) fn cost_unknown(reason: &str) -> TurnError {
    let message = format!("a cost is limited, and {reason}");
    let hint = "state the model's price in the configuration, or remove the limits of cost";
    TurnError {
        hint: Some(hint.to_owned()),
        ..limit("cost_unknown", message)
    }
}
