use serde::de::{Deserialize, Deserializer, Error, Unexpected};

/// A whole number from `MIN` to `MAX`, checked while deserializing so that the error has a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounded<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> Bounded<MIN, MAX> {
    pub(crate) const fn get(self) -> u64 {
        self.0
    }
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
