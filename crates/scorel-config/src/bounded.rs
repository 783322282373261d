use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error, Unexpected};

/// A whole number from `MIN` to `MAX`, checked while deserializing so that the error has a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounded<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> Bounded<MIN, MAX> {
    pub(crate) const fn get(self) -> u64 {
        self.0
    }
}

/// The number, if there is one.
pub(super) fn number<const MIN: u64, const MAX: u64>(
    value: Option<Bounded<MIN, MAX>>,
) -> Option<u64> {
    value.map(Bounded::get)
}

/// A number of a smaller type, whose range holds that of the schema.
pub(super) fn narrow<T: TryFrom<u64>>(value: u64) -> T {
    T::try_from(value).unwrap_or_else(|_| unreachable!("{value} passed the schema"))
}

/// The number, or the usual one.
pub(super) fn number_or<T: TryFrom<u64>, const MIN: u64, const MAX: u64>(
    value: Option<Bounded<MIN, MAX>>,
    usual: T,
) -> T {
    value.map_or(usual, |value| narrow(value.get()))
}

/// The time, or the usual one.
pub(super) fn seconds_or<const MIN: u64, const MAX: u64>(
    value: Option<Bounded<MIN, MAX>>,
    usual: Duration,
) -> Duration {
    number(value).map_or(usual, Duration::from_secs)
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Bounded<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = i64::deserialize(deserializer)?;
        match u64::try_from(number) {
            Ok(value) if (MIN..=MAX).contains(&value) => Ok(Self(value)),
            _ => {
                let expected = format!("a whole number from {MIN} to {MAX}");
                Err(D::Error::invalid_value(
                    Unexpected::Signed(number),
                    &expected.as_str(),
                ))
            }
        }
    }
}
