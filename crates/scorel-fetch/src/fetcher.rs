use std::sync::{Arc, PoisonError, RwLock};

use futures_util::future::BoxFuture;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Response, StatusCode};
use scorel_proto::ErrorChain;
use scorel_tools::{Fetched, Page, PageSource, ToolError};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use url::Url;

use crate::body::{self, Body};
use crate::clients::Clients;
use crate::error::FetchError;
use crate::html;
use crate::limits::FetchLimits;
use crate::lookup::{Lookup, NotPublic};
use crate::media::Media;
use crate::private_host::PrivateHost;
use crate::target::Target;

/// What is preferred of what a page may be had as.
const ACCEPTED: &str = "text/markdown, text/plain;q=0.9, text/html;q=0.8, application/json;q=0.8, text/*;q=0.7, */*;q=0.1";

/// How many pages are reduced to text at once. One that never ends keeps its place, so that a few
/// such pages cost a few threads and not all of them.
const REDUCTIONS: usize = 4;

/// Where pages come from.
///
/// Cheap to clone: all clones are one. Dropping the future of a fetch ends it at once, but for what
/// is at work on HTML.
#[derive(Debug, Clone)]
pub struct Fetcher {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    clients: Clients,
    limits: FetchLimits,
    allowed: RwLock<Arc<[PrivateHost]>>,
    reductions: Arc<Semaphore>,
}

impl Fetcher {
    /// Fetches from public addresses, resolving names with `lookup`.
    #[must_use]
    pub fn new(lookup: Arc<dyn Lookup>, limits: FetchLimits) -> Self {
        Self {
            shared: Arc::new(Shared {
                clients: Clients::new(lookup, limits),
                limits,
                allowed: RwLock::default(),
                reductions: Arc::new(Semaphore::new(REDUCTIONS)),
            }),
        }
    }

    /// From now on lets these hosts through, and no others, wherever they are.
    pub fn allow(&self, hosts: &[PrivateHost]) {
        let mut allowed = self.shared.allowed.write();
        **allowed.as_mut().unwrap_or_else(|error| error.get_mut()) = hosts.into();
    }

    /// Fetches a page; the answer may also be that it is at another host.
    ///
    /// # Errors
    /// The URL may not be fetched, or there is no text to be had there.
    pub async fn fetch(&self, url: &str) -> Result<Fetched, FetchError> {
        let limit = self.shared.limits.total;
        let fetched = timeout(limit, self.shared.follow(url)).await;
        fetched.unwrap_or(Err(FetchError::TimedOut(limit)))
    }
}

impl PageSource for Fetcher {
    fn fetch(&self, url: String) -> BoxFuture<'static, Result<Fetched, ToolError>> {
        let fetcher = self.clone();
        Box::pin(async move { Ok(Self::fetch(&fetcher, &url).await?) })
    }
}

impl Shared {
    async fn follow(&self, url: &str) -> Result<Fetched, FetchError> {
        let allowed = self
            .allowed
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut target = Target::parse(url, &allowed)?;
        for _ in 0..=self.limits.redirects {
            let response = self.get(&target).await?;
            let status = response.status();
            let Some(location) = redirect(&response) else {
                return self.page(response).await.map(Fetched::Page);
            };
            let next = location.ok_or(FetchError::BadRedirect)?;
            if !target.has_host_of(&next) {
                return Ok(Fetched::Elsewhere {
                    status: status.as_u16(),
                    from: target.url.into(),
                    to: next.into(),
                });
            }
            target = Target::new(next, &allowed)?;
        }
        Err(FetchError::Redirects(self.limits.redirects))
    }

    async fn get(&self, target: &Target) -> Result<Response, FetchError> {
        let client = self.clients.of(target).await?;
        let request = client
            .get(target.url.clone())
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

    async fn page(&self, response: Response) -> Result<Page, FetchError> {
        let (url, status) = (response.url().clone(), response.status());
        let media = response.headers().get(CONTENT_TYPE);
        let media = Media::parse(media.and_then(|it| it.to_str().ok()).unwrap_or_default());
        if !media.may_be_text() {
            return Err(FetchError::NotText(quoted(&media.essence)));
        }
        let Body { bytes, is_cut } = body::read(response, self.limits.body).await?;
        let size = bytes.len() as u64;
        let text = self.text(bytes, media.clone(), url.clone()).await?;
        Ok(Page {
            url: url.into(),
            status: status.as_u16(),
            media_type: media.essence,
            bytes: size,
            is_cut,
            text,
        })
    }

    /// Reduces a body to text, on a thread that may block.
    async fn text(&self, body: Vec<u8>, media: Media, base: Url) -> Result<String, FetchError> {
        let permit = Arc::clone(&self.reductions).acquire_owned().await;
        let reduced = spawn_blocking(move || {
            let _permit = permit;
            let not_text = || FetchError::NotText("binary data".to_owned());
            let text = media.decode(&body).ok_or_else(not_text)?;
            if media.is_html(&body) {
                html::to_text(&text, &base)
            } else {
                Ok(text)
            }
        });
        reduced.await.unwrap_or_else(|error| {
            let cause = if error.is_panic() {
                "it is too odd"
            } else {
                "the daemon ends"
            };
            Err(FetchError::Html(cause.to_owned()))
        })
    }
}

/// Where a response redirects to, if it does; nothing in it if that is no URL.
fn redirect(response: &Response) -> Option<Option<Url>> {
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
    Some(location.and_then(|location| response.url().join(location).ok()))
}

fn quoted(essence: &str) -> String {
    let known = essence.chars().filter(|it| it.is_ascii_graphic());
    format!("`{}`", known.take(80).collect::<String>())
}

/// Whether an error of the type is among the causes.
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
