use scorel_proto::{Cost, Usage};

/// What several model calls used and cost together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    usage: Usage,
    cost: Option<Cost>,
    /// True if a call used tokens that have no price.
    unpriced: bool,
}

impl Spent {
    /// Adds a call.
    pub fn add(&mut self, usage: Option<Usage>, cost: Option<Cost>) {
        self.usage += usage.unwrap_or_default();
        match cost {
            Some(cost) => {
                let before = self.cost.map_or(0, |cost| cost.micro_usd);
                self.cost = Some(Cost {
                    micro_usd: before.saturating_add(cost.micro_usd),
                    ..cost
                });
            }
            None => self.unpriced |= usage.is_some(),
        }
    }

    /// Adds other calls.
    pub fn add_all(&mut self, other: &Self) {
        self.add(other.usage(), other.cost());
    }

    /// The tokens; `None` if none were reported.
    pub fn usage(&self) -> Option<Usage> {
        (self.usage != Usage::default()).then_some(self.usage)
    }

    /// The cost; `None` if that of a call is not known.
    pub fn cost(&self) -> Option<Cost> {
        self.cost.filter(|_| !self.unpriced)
    }
}

#[cfg(test)]
mod tests {
    use scorel_proto::CostSource;

    use super::*;

    #[test]
    fn a_call_without_a_price_leaves_the_cost_unknown() {
        let usage = Usage {
            input_tokens: 5,
            ..Usage::default()
        };
        let cost = |micro_usd| Cost {
            micro_usd,
            source: CostSource::Table,
        };
        let mut spent = Spent::default();
        assert_eq!((spent.usage(), spent.cost()), (None, None));
        spent.add(Some(usage), Some(cost(3)));
        spent.add(Some(usage), Some(cost(4)));
        spent.add(None, None);
        assert_eq!(spent.cost(), Some(cost(7)));
        spent.add(Some(usage), None);
        assert_eq!(spent.cost(), None);
        assert_eq!(spent.usage().map(|usage| usage.input_tokens), Some(15));
    }
}
