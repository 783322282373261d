//! The wire `google-generative-ai`: Gemini models through the Gemini API or Vertex.
//!
//! The base URL may or may not include the version: `https://host` and `https://host/v1beta` are
//! equal. On Vertex it ends with the publisher:
//! `https://host/v1/projects/p/locations/l/publishers/google`.

mod decoder;
mod dialect;
mod family;
mod history;
mod json_path;
mod parts;
mod passback;
mod pending_call;
mod request;
mod usage;

pub(crate) use self::family::GeminiFamily;
pub(crate) use self::request::GoogleGenerativeAi;

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::GoogleGenerativeAi;
    use crate::wire::Wire;

    fn url(base: &str, model: &str) -> String {
        GoogleGenerativeAi::url(Url::parse(base).unwrap(), model).to_string()
    }

    #[test]
    fn a_base_url_may_name_the_version_or_not() {
        let expected = "http://h/v1beta/models/gemini-3:streamGenerateContent?alt=sse";
        for base in [
            "http://h",
            "http://h/",
            "http://h/v1beta",
            "http://h/v1beta/",
        ] {
            assert_eq!(url(base, "gemini-3"), expected, "{base}");
        }
        assert_eq!(
            url("http://h/google/v1", "m"),
            "http://h/google/v1/models/m:streamGenerateContent?alt=sse"
        );
        assert_eq!(
            url("http://h/vertex?tenant=a", "models/m"),
            "http://h/vertex/v1beta/models/m:streamGenerateContent?tenant=a&alt=sse"
        );
    }

    #[test]
    fn a_model_stays_below_models() {
        for (model, sent) in [
            ("a/b", "a/b"),
            ("tuned?key=x#y", "tuned%3Fkey=x%23y"),
            ("x;y=z", "x;y=z"),
            ("%2e%2e/m", "%252e%252e/m"),
            ("../../../tenant-b/m", "tenant-b/m"),
            ("a/./../m", "a/m"),
            ("a\\..\\m", "a%5C..%5Cm"),
            ("m @1\n", "m%20@1"),
            ("模", "%E6%A8%A1"),
        ] {
            let expected = format!("http://h/v1beta/models/{sent}:streamGenerateContent?alt=sse");
            assert_eq!(url("http://h", model), expected, "{model:?}");
        }
    }

    #[test]
    fn a_publisher_stands_behind_its_version() {
        assert_eq!(
            url("http://h/v1/projects/p/locations/l/publishers/google", "m"),
            "http://h/v1/projects/p/locations/l/publishers/google/models/m:streamGenerateContent?alt=sse"
        );
    }
}
