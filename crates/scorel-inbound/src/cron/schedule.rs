use croner::Cron as Pattern;
use croner::parser::{CronParser, Seconds, Year};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde::Deserialize;

/// A schedule of five fields, or a name such as `@daily`. It is due at some time at least.
///
/// A time that a change of the clock leaves out is due at the moment of the change, and one that comes twice the first
/// time; a schedule of intervals follows the hours as they pass.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct CronSchedule {
    text: String,
    pattern: Pattern,
}

/// A text that is not a schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSchedule {
    #[error("{text:?} is not a schedule of five fields: {reason}")]
    Unreadable { text: String, reason: String },
    #[error("{0:?} is never due: there is no such day")]
    Never(String),
}

impl CronSchedule {
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The first time behind `after` that it is due at. Times are milliseconds since 1970.
    pub fn next(&self, after: u64, zone: &TimeZone) -> Option<u64> {
        let found = self
            .pattern
            .find_next_occurrence(&zoned(after, zone)?, false);
        millis(&found.ok()?)
    }

    /// The last time that it was due at, `until` included.
    pub fn latest(&self, until: u64, zone: &TimeZone) -> Option<u64> {
        let found = self
            .pattern
            .find_previous_occurrence(&zoned(until, zone)?, true);
        millis(&found.ok()?)
    }
}

impl TryFrom<String> for CronSchedule {
    type Error = InvalidSchedule;

    fn try_from(text: String) -> Result<Self, InvalidSchedule> {
        let parser = CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .build();
        let pattern = match parser.parse(&text) {
            Ok(pattern) => pattern,
            Err(error) => {
                let reason = error.to_string();
                let reason = reason.trim_end_matches('.').to_owned();
                return Err(InvalidSchedule::Unreadable { text, reason });
            }
        };
        let schedule = Self { text, pattern };
        match schedule.next(0, &TimeZone::UTC) {
            Some(_) => Ok(schedule),
            None => Err(InvalidSchedule::Never(schedule.text)),
        }
    }
}

impl PartialEq for CronSchedule {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for CronSchedule {}

fn zoned(ms: u64, zone: &TimeZone) -> Option<Zoned> {
    let time = Timestamp::from_millisecond(i64::try_from(ms).ok()?).ok()?;
    Some(time.to_zoned(zone.clone()))
}

fn millis(time: &Zoned) -> Option<u64> {
    u64::try_from(time.timestamp().as_millisecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<CronSchedule, InvalidSchedule> {
        text.to_owned().try_into()
    }

    #[test]
    fn a_schedule_that_is_never_due_is_refused() {
        for text in ["0 0 31 2 *", "0 0 31 4,6,9,11 *", "0 0 30 feb *"] {
            let never = InvalidSchedule::Never(text.to_owned());
            assert_eq!(parsed(text), Err(never), "{text}");
        }
        for text in ["0 0 29 2 *", "@daily", "*/5 9-17 * * mon-fri", "0 0 L 2 *"] {
            assert!(parsed(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "* * * *",
            "* * * * * *",
            "61 * * * *",
            "@reboot",
            "soon",
        ] {
            let refused = matches!(parsed(text), Err(InvalidSchedule::Unreadable { .. }));
            assert!(refused, "{text:?}");
        }
    }

    #[test]
    fn both_changes_of_the_clock_make_one_time_each() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let nightly = parsed("30 2 * * *").unwrap();
        let ms = |text: &str| {
            let time: Timestamp = text.parse().unwrap();
            u64::try_from(time.as_millisecond()).unwrap()
        };
        // Forward: 02:30 is left out. Back: 02:30 comes twice.
        for (before, due, next) in [
            (
                "2026-03-28T12:00:00Z",
                "2026-03-29T01:00:00Z",
                "2026-03-30T00:30:00Z",
            ),
            (
                "2026-10-24T12:00:00Z",
                "2026-10-25T00:30:00Z",
                "2026-10-26T01:30:00Z",
            ),
        ] {
            assert_eq!(nightly.next(ms(before), &berlin), Some(ms(due)));
            assert_eq!(nightly.next(ms(due), &berlin), Some(ms(next)));
            assert_eq!(nightly.latest(ms(next) - 1, &berlin), Some(ms(due)));
        }
        let hourly = parsed("@hourly").unwrap();
        let start = ms("2026-10-24T22:00:00Z");
        let mut at = start;
        for hours in 1..=25 {
            at = hourly.next(at, &berlin).unwrap();
            assert_eq!(at, start + hours * 3_600_000);
        }
    }
}
