use reqwest::Url;

use super::AnthropicMessages;
use crate::wire::Wire;

#[test]
fn a_base_url_may_name_the_version_or_not() {
    for (base, url) in [
        ("https://h", "https://h/v1/messages"),
        ("https://h/", "https://h/v1/messages"),
        ("https://h/v1", "https://h/v1/messages"),
        ("https://h/v1/", "https://h/v1/messages"),
        (
            "https://h/anthropic?x=1",
            "https://h/anthropic/v1/messages?x=1",
        ),
        ("https://h/api/v1", "https://h/api/v1/messages"),
    ] {
        let base = Url::parse(base).unwrap();
        assert_eq!(AnthropicMessages::url(base, "model").as_str(), url);
    }
}
