//! Says why a turn makes no progress: a model call that is made again, and a longer wait.

use jiff::{Timestamp, tz::TimeZone};
use scorel_proto::{ModelRetry, TurnWaitingBody};

/// Says which model call failed, and when it is made again.
pub fn retry(retry: &ModelRetry, zone: &TimeZone) -> String {
    let ModelRetry {
        attempt,
        error,
        until,
    } = retry;
    let mut text = format!(
        "attempt {attempt} failed: {}; trying again at {}",
        error.message,
        clock_time(*until, zone),
    );
    // Once is enough: the attempts that follow fail for the same reason, or for one with its own words.
    if let Some(hint) = error.hint.as_ref().filter(|_| *attempt == 1) {
        text.push_str(&format!("\nhint: {hint}"));
    }
    text
}

/// Says until when a turn waits, and for what.
pub fn waiting(body: &TurnWaitingBody, zone: &TimeZone) -> String {
    let time = clock_time(body.until, zone);
    match body.attempt {
        Some(wait) => format!(
            "waiting until {time} (wait {wait} of the turn; `scorelctl end-wait` ends it): {}",
            body.reason
        ),
        None => format!("waiting until {time}: {}", body.reason),
    }
}

/// When the limit ends that a provider has set, which may be days away.
pub fn limit_end(ms: u64, zone: &TimeZone) -> String {
    format!("the limit ends at {}", day_time(ms, zone))
}

/// A moment in milliseconds since 1970 as a day with its time.
pub fn day_time(ms: u64, zone: &TimeZone) -> String {
    moment_text(ms, zone, "%Y-%m-%d %H:%M")
}

/// A moment in milliseconds since 1970 as a time of day. Waits last hours at most.
fn clock_time(ms: u64, zone: &TimeZone) -> String {
    moment_text(ms, zone, "%H:%M:%S")
}

fn moment_text(ms: u64, zone: &TimeZone, format: &str) -> String {
    let moment = i64::try_from(ms)
        .ok()
        .and_then(|ms| Timestamp::from_millisecond(ms).ok());
    match moment {
        Some(moment) => moment.to_zoned(zone.clone()).strftime(format).to_string(),
        None => "an unknown time".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::{TimeZone, offset};

    use super::clock_time;

    #[test]
    fn a_moment_is_shown_in_the_local_time() {
        let noon = 1_785_585_600_000;
        assert_eq!(clock_time(noon, &TimeZone::UTC), "12:00:00");
        assert_eq!(clock_time(noon, &TimeZone::fixed(offset(-3))), "09:00:00");
        assert_eq!(clock_time(u64::MAX, &TimeZone::UTC), "an unknown time");
    }
}
