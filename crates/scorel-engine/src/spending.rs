/// The amounts spent before a model call, for the limits of cost. See
/// [`TurnStep::NeedSpending`](crate::TurnStep::NeedSpending).
#[derive(Debug, Clone, Copy, Default)]
pub struct Spending {
    /// What the session's calls have cost, in millionths of a US dollar.
    pub session_micro_usd: u64,
    /// What all calls of this day have cost, in millionths of a US dollar; 0 if no limit needs it.
    pub day_micro_usd: u64,
    /// How many tokens the call's request has, as far as that is known before it is sent.
    pub input_tokens: u64,
}
