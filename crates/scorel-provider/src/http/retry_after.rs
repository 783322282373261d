use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

use super::ErrorBody;

/// How long the provider asks to wait: by header, by Google's `RetryInfo`, or in the message (OpenAI,
/// also inside a stream).
pub(crate) fn retry_after(
    headers: &HeaderMap,
    body: &ErrorBody,
    now: SystemTime,
) -> Option<Duration> {
    from_headers(headers, now)
        .or_else(|| duration(body.retry_delay.as_deref()?))
        .or_else(|| from_message(&body.message))
}

/// The larger of both headers: Azure was seen to send `Retry-After: 1` with `Retry-After-Ms: 0`.
fn from_headers(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let header = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let millis = header("retry-after-ms").and_then(|text| seconds(text, 1000.0));
    let rough = header("retry-after").and_then(|text| {
        seconds(text, 1.0).or_else(|| {
            let date = httpdate::parse_http_date(text).ok()?;
            Some(date.duration_since(now).unwrap_or_default())
        })
    });
    millis.max(rough)
}

fn seconds(text: &str, per_second: f64) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(number / per_second).ok()
}

fn from_message(message: &str) -> Option<Duration> {
    let text = message.to_ascii_lowercase();
    ["try again in ", "retry in ", "retry after ", "reset after "]
        .iter()
        .filter_map(|phrase| text.split_once(phrase))
        .find_map(|(_, after)| {
            let mut words = after.split_ascii_whitespace();
            let amount = words.next()?.trim_end_matches(['.', ',']);
            duration(amount).or_else(|| {
                let unit = words.next()?;
                seconds(amount, 1.0).filter(|_| unit.starts_with("second"))
            })
        })
}

/// Parses durations such as `174ms`, `34.4s` and `1h2m3s`.
fn duration(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c != '.' && !c.is_ascii_digit())?;
        let (amount, after) = rest.split_at(digits);
        let letters = after.find(|c: char| !c.is_ascii_alphabetic());
        let (unit, after) = after.split_at(letters.unwrap_or(after.len()));
        let unit = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        total = total.checked_add(seconds(amount, 1.0 / unit)?)?;
        rest = after;
    }
    (!text.is_empty()).then_some(total)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::{ErrorBody, duration, retry_after};

    fn asked(headers: &[(&'static str, &'static str)], message: &str) -> Option<Duration> {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect();
        let body = ErrorBody {
            message: message.to_owned(),
            ..ErrorBody::default()
        };
        retry_after(&headers, &body, SystemTime::UNIX_EPOCH)
    }

    #[test]
    fn headers_take_precedence_over_the_message() {
        let asked = asked(&[("retry-after", "7")], "try again in 2s");
        assert_eq!(asked, Some(Duration::from_secs(7)));
    }

    #[test]
    fn the_larger_of_both_headers_counts() {
        let zero = asked(&[("retry-after", "1"), ("retry-after-ms", "0")], "");
        assert_eq!(zero, Some(Duration::from_secs(1)));
        let exact = asked(&[("retry-after-ms", "1250")], "");
        assert_eq!(exact, Some(Duration::from_millis(1250)));
    }

    #[test]
    fn a_date_is_a_wait_from_now() {
        let date = "Thu, 01 Jan 1970 00:01:30 GMT";
        assert_eq!(
            asked(&[("retry-after", date)], ""),
            Some(Duration::from_secs(90))
        );
    }

    #[test]
    fn nonsense_in_a_header_is_ignored() {
        assert_eq!(asked(&[("retry-after", "-3")], ""), None);
        assert_eq!(asked(&[("retry-after", "soon")], ""), None);
        assert_eq!(asked(&[("retry-after", "inf")], ""), None);
    }

    #[test]
    fn waits_in_the_message_are_understood() {
        for (words, millis) in [
            ("Please try again in 174ms. Visit", 174),
            ("Please try again in 11.054s.", 11_054),
            ("reset after 1h2m3s", 3_723_000),
            ("Please retry after 20 seconds.", 20_000),
        ] {
            let wait = Some(Duration::from_millis(millis));
            assert_eq!(asked(&[], words), wait, "{words}");
        }
        assert_eq!(asked(&[], "try again in a while"), None);
    }

    #[test]
    fn amounts_without_a_unit_are_none() {
        assert_eq!(duration("34.4"), None);
        assert_eq!(duration(""), None);
        assert_eq!(duration("5parsecs"), None);
    }
}
