use scorel_provider::Price;
use serde::Deserialize;
use serde_json::Number;

/// An amount in dollars, in millionths: a limit of cost, or a price per million tokens in the unit of a
/// [`Price`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct Dollars(u64);

impl Dollars {
    /// Rejects typing errors: far above the price of any model, and above any budget.
    const MAX: f64 = 1_000_000.0;

    pub(crate) const fn get(self) -> u64 {
        self.0
    }

    /// The amount in dollars.
    pub(crate) fn number(self) -> Option<Number> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "the most is far below 2^53 millionths"
        )]
        Number::from_f64(self.0 as f64 / 1e6)
    }
}

impl TryFrom<f64> for Dollars {
    type Error = String;

    fn try_from(dollars: f64) -> Result<Self, String> {
        if (0.0..=Self::MAX).contains(&dollars) {
            Ok(Self(Price::from_dollars(dollars)))
        } else {
            Err(format!("an amount is from 0 to {} dollars", Self::MAX))
        }
    }
}
