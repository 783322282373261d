use std::sync::Arc;

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Response, StatusCode};
use scorel_convert::html_to_text;
use scorel_engine::spawn_blocking;
use scorel_permission::WebUrl;
use scorel_proto::ErrorChain;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use url::Url;

use crate::body::{self, ResponseBody};
use crate::clients::Clients;
use crate::error::FetchError;
use crate::limits::FetchLimits;
use crate::lookup::{Lookup, NotPublic};
use crate::media::Media;
use crate::page::{Fetched, WebPage};
use crate::private_host::PrivateHost;
use crate::target::{FetchTarget, looks_private, redirected};

/// The `Accept` header: Markdown first, which needs no conversion.
const ACCEPTED: &str = "text/markdown, text/plain;q=0.9, text/html;q=0.8, application/json;q=0.8, text/*;q=0.7, */*;q=0.1";

/// Pages that are converted at once, each by a process of its own.
const CONVERSIONS: usize = 4;

/// Fetches pages.
///
/// Cheap to clone; clones share connections and limits. Dropping the future of a fetch cancels it.
#[derive(Debug, Clone)]
pub struct Fetcher {
    inner: Arc<FetcherInner>,
    /// Hosts that may be fetched from although they are not at public addresses.
    allowed: Arc<[PrivateHost]>,
}

#[derive(Debug)]
struct FetcherInner {
    clients: Clients,
    limits: FetchLimits,
    conversions: Arc<Semaphore>,
}

impl Fetcher {
    /// A fetcher for public addresses, which resolves names with `lookup`.
    pub fn new(lookup: Arc<dyn Lookup>, limits: FetchLimits) -> Self {
        Self {
            inner: Arc::new(FetcherInner {
                clients: Clients::new(lookup, limits),
                limits,
                conversions: Arc::new(Semaphore::new(CONVERSIONS)),
            }),
            allowed: Arc::default(),
        }
    }

    /// The same fetcher, which fetches from these hosts although they are not at public addresses, and
    /// from no other such hosts. Other clones are not affected.
    pub fn allowing(&self, hosts: &[PrivateHost]) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            allowed: hosts.into(),
        }
    }

    /// Fetches a page, following redirects within its host.
    ///
    /// # Errors
    /// The URL may not be fetched, or there is no text at it.
    pub async fn fetch(&self, url: &str) -> Result<Fetched, FetchError> {
        self.fetch_from(url, &self.allowed).await
    }

    /// As [`Fetcher::fetch`], for a URL whose host and port the user has permitted, whatever its address.
    ///
    /// # Errors
    /// As [`Fetcher::fetch`].
    pub async fn fetch_permitted(&self, url: &str) -> Result<Fetched, FetchError> {
        let mut allowed = self.allowed.to_vec();
        allowed.push(PrivateHost::of(&WebUrl::parse(url)?));
        self.fetch_from(url, &allowed).await
    }

    /// Returns whether the URL says that its host is private, and [`Fetcher::allowing`] did not name it.
    pub fn needs_permit(&self, url: &str) -> bool {
        let is_allowed = |url: &WebUrl| self.allowed.iter().any(|host| host.covers(url));
        WebUrl::parse(url).is_ok_and(|url| looks_private(&url) && !is_allowed(&url))
    }

    async fn fetch_from(&self, url: &str, allowed: &[PrivateHost]) -> Result<Fetched, FetchError> {
        let limit = self.inner.limits.total;
        let fetched = timeout(limit, self.inner.follow(url, allowed)).await;
        fetched.unwrap_or(Err(FetchError::TimedOut(limit)))
    }
}

impl FetcherInner {
    async fn follow(&self, url: &str, allowed: &[PrivateHost]) -> Result<Fetched, FetchError> {
        let mut target = FetchTarget::parse(url, allowed)?;
        for _ in 0..=self.limits.redirects {
            let response = self.get(&target).await?;
            let status = response.status();
            let Some(location) = redirect(&response) else {
                return self.page(response).await.map(Fetched::Page);
            };
            let next = redirected(location?)?;
            if !target.may_lead_to(&next, allowed) {
                return Ok(Fetched::Elsewhere {
                    status: status.as_u16(),
                    from: target.url.into(),
                    to: next.into(),
                });
            }
            target = FetchTarget::new(next, allowed)?;
        }
        Err(FetchError::Redirects(self.limits.redirects))
    }

    async fn get(&self, target: &FetchTarget) -> Result<Response, FetchError> {
        let client = self.clients.of(target).await?;
        let request = client
            .get(target.url.as_url().clone())
            .header(ACCEPT, ACCEPTED)
            .header(ACCEPT_ENCODING, body::ACCEPTED);
        request.send().await.map_err(|error| {
            let host = target.name();
            if has_cause::<NotPublic>(&error) {
                return FetchError::NotPublic(host);
            }
            let cause = ErrorChain(&error.without_url()).to_string();
            FetchError::Unreachable { host, cause }
        })
    }

    async fn page(&self, response: Response) -> Result<WebPage, FetchError> {
        let (url, status) = (response.url().clone(), response.status());
        let media = response.headers().get(CONTENT_TYPE);
        let media = Media::parse(media.and_then(|it| it.to_str().ok()).unwrap_or_default());
        if !media.may_be_text() {
            return Err(FetchError::NotText(quoted(&media.essence)));
        }
        let ResponseBody { bytes, is_cut } = body::read(response, self.limits.body).await?;
        let size = bytes.len() as u64;
        let text = self.text(bytes, media.clone(), url.clone()).await?;
        Ok(WebPage {
            url: url.into(),
            status: status.as_u16(),
            media_type: media.essence,
            bytes: size,
            is_cut,
            text,
        })
    }

    /// Decodes a body, and converts HTML to text, on a blocking thread. Dropping the future ends the
    /// conversion.
    async fn text(&self, body: Vec<u8>, media: Media, base: Url) -> Result<String, FetchError> {
        let permit = Arc::clone(&self.conversions).acquire_owned().await;
        let wanted = Arc::new(());
        let is_wanted = Arc::downgrade(&wanted);
        let converted = spawn_blocking(move || {
            let _permit = permit;
            let not_text = || FetchError::NotText("binary data".to_owned());
            let text = media.decode(&body).ok_or_else(not_text)?;
            if media.is_html(&body) {
                html_to_text(&text, &base, &mut || is_wanted.strong_count() > 0)
                    .map_err(|error| FetchError::Html(error.to_string()))
            } else {
                Ok(text)
            }
        });
        let text = converted.await.unwrap_or_else(|error| {
            let cause = if error.is_panic() {
                "the decoder crashed"
            } else {
                "the daemon is shutting down"
            };
            Err(FetchError::Html(cause.to_owned()))
        });
        drop(wanted);
        text
    }
}

/// The target of a redirect; `None` if it is none.
fn redirect(response: &Response) -> Option<Result<Url, FetchError>> {
    let is_redirect = matches!(
        response.status(),
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    let location = response.headers().get(LOCATION).filter(|_| is_redirect)?;
    let location = std::str::from_utf8(location.as_bytes()).ok();
    let target = location.and_then(|location| response.url().join(location).ok());
    let invalid = || FetchError::BadRedirect("its Location is invalid".to_owned());
    Some(target.ok_or_else(invalid))
}

fn quoted(essence: &str) -> String {
    let known = essence.chars().filter(|it| it.is_ascii_graphic());
    format!("`{}`", known.take(80).collect::<String>())
}

/// Returns whether an error of type `E` is among the sources.
fn has_cause<E: std::error::Error + 'static>(error: &reqwest::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if error.is::<E>() {
            return true;
        }
        cause = error.source();
    }
    false
}
