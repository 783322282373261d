use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use scorel_proto::{PersistentEvent, UsageTotal};
use serde::{Deserialize, Serialize};

/// Sums by day and model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct UsageLedger {
    /// Ascending by day and model, each pair once.
    rows: Vec<LedgerRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LedgerRow {
    pub(super) day: Date,
    pub(super) model: String,
    #[serde(flatten)]
    pub(super) total: UsageTotal,
}

impl LedgerRow {
    /// The row of the model call that an event records, if its usage or its cost is known.
    pub(super) fn of(event: &PersistentEvent, zone: &TimeZone) -> Option<Self> {
        let call = event.recorded_call()?;
        if call.usage.is_none() && call.cost.is_none() {
            return None;
        }
        let mut total = UsageTotal {
            calls: 1,
            usage: call.usage.unwrap_or_default(),
            ..UsageTotal::default()
        };
        total.cost.add(&total.usage, call.cost);
        Some(Self {
            day: day_of(event.ts, zone),
            model: call.model.unwrap_or("unknown").to_owned(),
            total,
        })
    }

    fn key(&self) -> (Date, &str) {
        (self.day, &self.model)
    }
}

impl UsageLedger {
    /// Adds to the row of the same day and model. New rows are mostly the last ones.
    pub(super) fn add(&mut self, row: LedgerRow) {
        let found = self
            .rows
            .binary_search_by(|known| known.key().cmp(&row.key()));
        match found {
            Ok(index) => self.rows[index].total += row.total,
            Err(index) => self.rows.insert(index, row),
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        other.rows.into_iter().for_each(|row| self.add(row));
    }

    pub(super) fn rows(&self) -> &[LedgerRow] {
        &self.rows
    }
}

/// The day of a moment in milliseconds since 1970.
pub(super) fn day_of(ms: u64, zone: &TimeZone) -> Date {
    let moment = i64::try_from(ms)
        .ok()
        .and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let moment = moment.unwrap_or(Timestamp::MAX);
    moment.to_zoned(zone.clone()).date()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz;

    use super::*;

    #[test]
    fn a_day_is_one_of_the_time_zone() {
        // 2026-11-22 23:30 UTC.
        let late = 1_795_390_200_000;
        assert_eq!(day_of(late, &TimeZone::UTC), date(2026, 11, 22));
        let east = TimeZone::fixed(tz::offset(1));
        assert_eq!(day_of(late, &east), date(2026, 11, 23));
        let _no_panic = day_of(u64::MAX, &TimeZone::UTC);
    }
}
