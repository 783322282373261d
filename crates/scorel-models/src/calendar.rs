use std::fmt::Debug;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use scorel_home::now_ms;

/// The current time. A port: which lists are old and which models are retired depends on it.
pub(super) trait Calendar: Debug + Send + Sync {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> u64;
}

/// The system's clock.
#[derive(Debug)]
pub(super) struct SystemCalendar;

impl Calendar for SystemCalendar {
    fn now_ms(&self) -> u64 {
        now_ms()
    }
}

/// The day of a time in milliseconds since 1970, in UTC. Times that no calendar has are its last day.
pub(super) fn day_of(ms: u64) -> Date {
    let time = i64::try_from(ms).ok().map(Timestamp::from_millisecond);
    let time = time.and_then(Result::ok).unwrap_or(Timestamp::MAX);
    time.to_zoned(TimeZone::UTC).date()
}

#[cfg(test)]
mod tests {
    use jiff::civil::{Date, date};

    use super::day_of;

    #[test]
    fn days_are_those_of_utc() {
        assert_eq!(day_of(0), date(1970, 1, 1));
        assert_eq!(day_of(1_795_305_599_999), date(2026, 11, 21));
        assert_eq!(day_of(1_795_305_600_000), date(2026, 11, 22));
        assert!(day_of(u64::MAX) > Date::constant(9999, 1, 1));
    }
}
