use std::collections::BTreeMap;
use std::sync::Arc;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use scorel_http::HttpClients;
use scorel_oauth::OAuth;
use scorel_process::Secrets;

/// A server that is reached by HTTP.
#[derive(Debug)]
pub struct HttpServer {
    pub(crate) clients: Arc<HttpClients>,
    pub(crate) url: Url,
    /// Sent with each request.
    pub(crate) headers: HeaderMap,
    /// Those in the headers.
    pub(crate) secrets: Secrets,
    /// The way to log in to it, if that is wanted.
    pub(crate) login: Option<HttpLogin>,
}

/// The login to a server.
#[derive(Debug, Clone)]
pub(crate) struct HttpLogin {
    pub(crate) oauth: Arc<OAuth>,
    /// The address of the server, as it is configured.
    pub(crate) url: String,
}

impl HttpServer {
    pub(crate) fn new<'a>(
        clients: Arc<HttpClients>,
        url: &str,
        headers: &BTreeMap<String, String>,
        secrets: impl IntoIterator<Item = (&'a str, &'a str, String)>,
        login: Option<HttpLogin>,
    ) -> Result<Self, String> {
        let url = Url::parse(url).map_err(|error| format!("its address is none: {error}"))?;
        let mut sent = HeaderMap::new();
        for (name, value) in headers {
            sent.insert(header(name)?, text(name, value)?);
        }
        let mut named = Vec::new();
        for (name, secret, value) in secrets {
            let mut sensitive = text(name, &value)?;
            sensitive.set_sensitive(true);
            sent.insert(header(name)?, sensitive);
            // `Bearer TOKEN` comes back as `TOKEN` as well.
            let word = value.split_whitespace().last().unwrap_or_default();
            named.push((secret.to_owned(), word.to_owned()));
            named.push((secret.to_owned(), value));
        }
        Ok(Self {
            clients,
            url,
            headers: sent,
            secrets: Secrets::named(named),
            login,
        })
    }
}

fn header(name: &str) -> Result<HeaderName, String> {
    HeaderName::try_from(name).map_err(|_| format!("{name:?} is not the name of a header"))
}

fn text(name: &str, value: &str) -> Result<HeaderValue, String> {
    HeaderValue::try_from(value)
        .map_err(|_| format!("the value of the header `{name}` is not text"))
}
