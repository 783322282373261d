//! Totals that runners report, as differences.

use scorel_engine::RunnerSpent;
use scorel_proto::{Cost, CostSource, Usage};

/// Turns running totals into increments. A total below the previous one counts from zero again.
#[derive(Debug, Default)]
pub(crate) struct UsageMeter {
    usage: Usage,
    micro_usd: u64,
}

impl UsageMeter {
    /// Sets the token totals from before the turn, which are not reported.
    pub(crate) fn set(&mut self, usage: Usage) {
        self.usage = usage;
    }

    /// The increment over the previous totals; `None` if it is zero. `usd` is `None` if no money is reported.
    pub(crate) fn add(&mut self, usage: Usage, usd: Option<f64>) -> Option<RunnerSpent> {
        // A total that falls has begun anew.
        let sub = |total: u64, before: u64| total.checked_sub(before).unwrap_or(total);
        let tokens = without(&usage, &self.usage, sub);
        let tokens = Some(tokens).filter(Usage::is_plausible).unwrap_or_default();
        self.usage = usage;
        let cost = usd.map(|usd| {
            let total = micro_usd(usd);
            let added = total.checked_sub(self.micro_usd).unwrap_or(total);
            self.micro_usd = total;
            Cost {
                micro_usd: added,
                source: CostSource::Reported,
            }
        });
        let is_nothing = tokens == Usage::default() && cost.is_none_or(|cost| cost.micro_usd == 0);
        (!is_nothing).then_some(RunnerSpent {
            usage: tokens,
            cost,
        })
    }
}

/// Each count of `total` without that of `part`, by `sub`.
pub(crate) fn without(total: &Usage, part: &Usage, sub: fn(u64, u64) -> u64) -> Usage {
    Usage {
        input_tokens: sub(total.input_tokens, part.input_tokens),
        output_tokens: sub(total.output_tokens, part.output_tokens),
        cache_read_tokens: sub(total.cache_read_tokens, part.cache_read_tokens),
        cache_write_tokens: sub(total.cache_write_tokens, part.cache_write_tokens),
        reasoning_tokens: sub(total.reasoning_tokens, part.reasoning_tokens),
    }
}

/// In millionths. A number that makes no sense is nothing.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is checked to be in range, and the conversion saturates"
)]
pub(crate) fn micro_usd(usd: f64) -> u64 {
    if usd.is_finite() && usd > 0.0 {
        (usd * 1e6).round() as u64
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input_tokens: u64) -> Usage {
        Usage {
            input_tokens,
            ..Usage::default()
        }
    }

    #[test]
    fn only_what_was_added_is_reported() {
        let mut meter = UsageMeter::default();
        let mut added = |input, usd| {
            let spent = meter.add(usage(input), usd)?;
            Some((spent.usage.input_tokens, spent.cost.map(|it| it.micro_usd)))
        };
        assert_eq!(added(100, Some(0.000_675)), Some((100, Some(675))));
        assert_eq!(added(330, Some(0.002_125)), Some((230, Some(1450))));
        assert_eq!(added(330, Some(0.002_125)), None);
        // A new process counts from zero.
        assert_eq!(added(5, Some(0.000_001)), Some((5, Some(1))));
    }

    #[test]
    fn money_that_is_no_amount_is_nothing() {
        for usd in [f64::NAN, f64::INFINITY, -1.0] {
            assert_eq!(micro_usd(usd), 0);
        }
    }
}
