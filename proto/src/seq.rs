//! The sequence number of an event.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The sequence number of an event: from 1, strictly increasing within a session, never reused.
///
/// Persistent and transient events share one sequence, which may have gaps. As an anchor,
/// [`Seq::ZERO`] is the position before the first event. Numbers stay below 2^53, the range in
/// which every JSON implementation represents integers exactly.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Seq(#[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))] u64);

impl Seq {
    /// The position before the first event.
    pub const ZERO: Self = Self(0);
    /// The largest number, 2^53 − 1.
    pub const MAX: Self = Self((1 << 53) - 1);

    /// The number `value`; `None` if it is not below 2^53.
    pub const fn new(value: u64) -> Option<Self> {
        if value <= Self::MAX.0 {
            Some(Self(value))
        } else {
            None
        }
    }

    /// The number as an integer.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number `count` further on, at most [`Seq::MAX`].
    #[must_use]
    pub fn plus(self, count: u64) -> Self {
        Self(self.0.saturating_add(count).min(Self::MAX.0))
    }

    /// The next number, at most [`Seq::MAX`].
    #[must_use]
    pub fn next(self) -> Self {
        self.plus(1)
    }

    /// The previous number; zero stays zero.
    #[must_use]
    pub const fn previous(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for Seq {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = u64::deserialize(deserializer)?;
        Self::new(value)
            .ok_or_else(|| serde::de::Error::custom(format!("seq {value} is not below 2^53")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seq_never_leaves_the_range_that_json_keeps_exactly() {
        assert!(serde_json::from_str::<Seq>("9007199254740991").is_ok());
        for text in [
            "9007199254740992",
            "18446744073709551616",
            "-1",
            "1.5",
            "1e3",
            "\"1\"",
        ] {
            assert!(
                serde_json::from_str::<Seq>(text).is_err(),
                "{text} was accepted"
            );
        }
        assert_eq!(Seq::MAX.next(), Seq::MAX);
        assert_eq!(Seq::ZERO.previous(), Seq::ZERO);
    }
}
