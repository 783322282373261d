use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

use super::ErrorBody;
use super::duration_text::{duration, seconds};
use super::rate_limit_reset::{until, until_reset};

/// The time that the provider asks to wait: by header, by Google's `RetryInfo`, in the body (`resets_at`,
/// `resets_in_seconds`), in the message (OpenAI, also inside a stream), or by the headers that describe the
/// limits.
pub(crate) fn retry_after(
    headers: &HeaderMap,
    body: &ErrorBody,
    now: SystemTime,
) -> Option<Duration> {
    from_headers(headers, now)
        .or_else(|| duration(body.retry_delay.as_deref()?))
        .or_else(|| until(body.resets.as_deref()?, now))
        .or_else(|| from_message(&body.message))
        .or_else(|| until_reset(headers, now))
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

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::{ErrorBody, retry_after};
    use crate::http::duration_text::duration;

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
