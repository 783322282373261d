use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Parses a moment of the past: a day in the system's time zone, a time, or an age. In milliseconds since
/// 1970.
pub(crate) fn parse_moment(text: &str) -> Result<u64, String> {
    let moment = age(text)
        .map(|age| Timestamp::now().checked_sub(age).unwrap_or(Timestamp::MIN))
        .or_else(|| day(text))
        .or_else(|| text.parse().ok());
    let moment = moment.ok_or("expected a day such as 2026-11-22, a time such as 2026-11-22T08:00:00Z, or an age such as 12h or 7d")?;
    Ok(u64::try_from(moment.as_millisecond()).unwrap_or(0))
}

/// A number and its unit.
fn age(text: &str) -> Option<SignedDuration> {
    let seconds = match text.chars().last()? {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        'w' => 7 * 24 * 60 * 60,
        _ => return None,
    };
    let number: u32 = text[..text.len() - 1].parse().ok()?;
    Some(SignedDuration::from_secs(i64::from(number) * seconds))
}

fn day(text: &str) -> Option<Timestamp> {
    let is_day = text.len() == "2026-11-22".len();
    let date: Date = is_day.then(|| text.parse().ok()).flatten()?;
    let begins = date.to_zoned(TimeZone::system()).ok()?;
    Some(begins.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_day_a_time_or_an_age() {
        let time = parse_moment("1970-01-02T00:00:00Z").expect("a time");
        assert_eq!(time, 24 * 60 * 60 * 1000);
        let now = u64::try_from(Timestamp::now().as_millisecond()).expect("after 1970");
        for (text, seconds) in [
            ("90s", 90),
            ("2m", 120),
            ("1h", 3600),
            ("7d", 604_800),
            ("1w", 604_800),
        ] {
            let age = now.saturating_sub(parse_moment(text).expect(text));
            assert!(age.abs_diff(seconds * 1000) < 60_000, "{text}: {age}");
        }
        let day = parse_moment("2026-11-22").expect("a day");
        let noon = parse_moment("2026-11-22T12:00:00Z").expect("a time");
        assert!(day.abs_diff(noon) <= 36 * 60 * 60 * 1000);
        assert_eq!(parse_moment("4294967295w"), Ok(0));
    }

    #[test]
    fn anything_else_is_refused_with_examples() {
        for text in ["", "yesterday", "5", "d", "-1d", "2026-13-01", "5é", "é"] {
            let refused = parse_moment(text).expect_err(text);
            assert!(refused.contains("2026-11-22"), "{refused}");
        }
    }
}
