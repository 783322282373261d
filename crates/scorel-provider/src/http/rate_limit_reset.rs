//! When a rate limit ends, from the headers that describe the limits of an account.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use reqwest::header::HeaderMap;

use super::duration_text::duration;

/// Seconds since 1970 above which a number is not a length but a moment.
const MOMENT: f64 = 1_000_000_000.0;
/// Above this it is in milliseconds (OpenRouter).
const MOMENT_MS: f64 = 1_000_000_000_000.0;

/// The longest time until a limit with nothing remaining is reset. Providers describe several limits
/// (requests, tokens, per minute, per day), and only those that are used up delay a request.
pub(super) fn until_reset(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let texts = headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?.trim())));
    let resets = texts.filter(|(name, _)| is_reset(name));
    let used_up = resets.filter(|(name, _)| is_used_up(headers, name));
    used_up
        .filter_map(|(_, text)| until(text, now))
        .max()
        .filter(|wait| !wait.is_zero())
}

/// `anthropic-ratelimit-tokens-reset`, `x-ratelimit-reset-tokens`, `x-ratelimit-reset`.
fn is_reset(name: &str) -> bool {
    name.contains("ratelimit") && name.split('-').any(|part| part == "reset")
}

/// Anthropic's limits of subscriptions have a status in place of what remains.
fn is_used_up(headers: &HeaderMap, reset: &str) -> bool {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let remaining = header(&reset.replace("reset", "remaining"));
    let status = header(&reset.replace("reset", "status"));
    remaining.is_some_and(|text| text.trim().parse() == Ok(0.0_f64))
        || status.is_some_and(|text| text.trim() == "rejected")
}

/// The time until what a header names: a moment (RFC 3339, seconds or milliseconds since 1970) or a
/// length (`6m0s`, seconds).
pub(super) fn until(text: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(number) = text.parse::<f64>() {
        let moment = match number {
            ms if ms >= MOMENT_MS => ms / 1000.0,
            seconds if seconds >= MOMENT => seconds,
            length => return Duration::try_from_secs_f64(length).ok(),
        };
        let since = Duration::try_from_secs_f64(moment).ok()?;
        // Some hosts name moments beyond what a clock can show.
        let moment = SystemTime::UNIX_EPOCH.checked_add(since)?;
        return Some(moment.duration_since(now).unwrap_or_default());
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        let moment = SystemTime::from(moment);
        return Some(moment.duration_since(now).unwrap_or_default());
    }
    duration(text)
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    /// The time of the recorded answers: an hour before what they name.
    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_711_479_600)
    }

    fn reset(headers: &[(&'static str, &'static str)]) -> Option<u64> {
        let headers = headers.iter().map(|(name, value)| {
            let name = HeaderName::from_static(name);
            (name, HeaderValue::from_static(value))
        });
        until_reset(&headers.collect(), now()).map(|wait| wait.as_secs())
    }

    #[test]
    fn only_limits_that_are_used_up_count() {
        // As Anthropic sent them.
        let requests = [
            ("anthropic-ratelimit-requests-limit", "5"),
            ("anthropic-ratelimit-requests-remaining", "0"),
            ("anthropic-ratelimit-requests-reset", "2024-03-26T20:00:00Z"),
            ("anthropic-ratelimit-tokens-limit", "25000"),
            ("anthropic-ratelimit-tokens-remaining", "16000"),
            ("anthropic-ratelimit-tokens-reset", "2024-03-27T20:00:00Z"),
        ];
        assert_eq!(reset(&requests), Some(3_600));
        assert_eq!(reset(&requests[3..]), None);
    }

    #[test]
    fn each_providers_form_is_read() {
        for (headers, seconds) in [
            // OpenAI, Groq, xAI
            (
                [
                    ("x-ratelimit-remaining-tokens", "0"),
                    ("x-ratelimit-reset-tokens", "6m0s"),
                ],
                Some(360),
            ),
            // Azure
            (
                [
                    ("x-ratelimit-remaining-requests", "0"),
                    ("x-ratelimit-reset-requests", "86"),
                ],
                Some(86),
            ),
            // OpenRouter: milliseconds since 1970
            (
                [
                    ("x-ratelimit-remaining", "0"),
                    ("x-ratelimit-reset", "1711497600000"),
                ],
                Some(18_000),
            ),
            // Anthropic, limits of a subscription: seconds since 1970
            (
                [
                    ("anthropic-ratelimit-unified-status", "rejected"),
                    ("anthropic-ratelimit-unified-reset", "1711497600"),
                ],
                Some(18_000),
            ),
            (
                [
                    ("anthropic-ratelimit-unified-status", "allowed"),
                    ("anthropic-ratelimit-unified-reset", "1711497600"),
                ],
                None,
            ),
            (
                [
                    ("x-ratelimit-remaining", "0"),
                    ("x-ratelimit-reset", "soon"),
                ],
                None,
            ),
            // Over already
            (
                [
                    ("x-ratelimit-remaining", "0"),
                    ("x-ratelimit-reset", "1711470000"),
                ],
                None,
            ),
        ] {
            assert_eq!(reset(&headers), seconds, "{headers:?}");
        }
    }

    #[test]
    fn a_moment_that_no_clock_can_show_is_none() {
        for text in ["1e22", "1e300", "inf", "NaN", "-1"] {
            assert_eq!(until(text, now()), None, "{text}");
        }
    }
}
