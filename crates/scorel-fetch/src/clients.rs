//! The ways to hosts.

use std::fmt;
use std::sync::{Arc, LazyLock};

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::{Client, ClientBuilder};
use scorel_proto::ErrorChain;
use tokio::sync::OnceCell;
use url::Url;

use crate::error::FetchError;
use crate::limits::FetchLimits;
use crate::lookup::{Lookup, Reach, Resolver};
use crate::target::Target;

/// The clients for all ways, each made when it is first needed: certificates cost time and memory.
pub(crate) struct Clients {
    lookup: Arc<dyn Lookup>,
    limits: FetchLimits,
    proxies: LazyLock<Matcher>,
    clients: [[OnceCell<Client>; 2]; 3],
}

/// How a host is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By an address that is public.
    Public,
    /// By whatever address it has.
    Allowed,
    /// By a proxy, which resolves names itself.
    Proxied,
}

impl Clients {
    pub(crate) const fn new(lookup: Arc<dyn Lookup>, limits: FetchLimits) -> Self {
        Self {
            lookup,
            limits,
            proxies: LazyLock::new(Matcher::from_system),
            clients: [const { [const { OnceCell::const_new() }; 2] }; 3],
        }
    }

    /// The client that a target is to be fetched with.
    pub(crate) async fn of(&self, target: &Target) -> Result<&Client, FetchError> {
        let way = if target.is_allowed {
            // It is on a network of the user's; what is asked of a proxy leaves that.
            Way::Allowed
        } else if self.proxy(&target.url).is_some() {
            Way::Proxied
        } else {
            Way::Public
        };
        let is_secure = target.url.scheme() == "https";
        self.clients[way as usize][usize::from(is_secure)]
            .get_or_try_init(|| build(self.builder(way, is_secure)))
            .await
    }

    /// The host of the proxy for a URL, if there is one.
    fn proxy(&self, url: &Url) -> Option<String> {
        let intercept = self.proxies.intercept(&url.as_str().parse().ok()?)?;
        Some(intercept.uri().host().unwrap_or_default().to_owned())
    }

    fn builder(&self, way: Way, is_secure: bool) -> ClientBuilder {
        let builder = Client::builder()
            .user_agent(concat!("scorel/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.limits.connect)
            // Each hop is judged before it is made.
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            // What was judged is what is connected to, so no connection outlives its judgement.
            .pool_max_idle_per_host(0);
        let builder = if is_secure {
            builder
        } else {
            // Works where the platform has no certificates.
            builder.tls_certs_only([])
        };
        let (builder, reach) = match way {
            Way::Public => (builder.no_proxy(), Reach::Public),
            Way::Allowed => (builder.no_proxy(), Reach::Everywhere),
            Way::Proxied => (builder, Reach::Names(self.proxy_names())),
        };
        let lookup = Arc::clone(&self.lookup);
        builder.dns_resolver(Resolver { lookup, reach })
    }

    fn proxy_names(&self) -> Vec<String> {
        let urls = ["http://proxied.invalid/", "https://proxied.invalid/"];
        let urls = urls.iter().filter_map(|url| Url::parse(url).ok());
        urls.filter_map(|url| self.proxy(&url)).collect()
    }
}

impl fmt::Debug for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clients").finish_non_exhaustive()
    }
}

/// Builds a client on a thread that may block: certificates are read from files.
async fn build(builder: ClientBuilder) -> Result<Client, FetchError> {
    let built = tokio::task::spawn_blocking(move || {
        // An error means that the process has chosen a provider already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        builder
            .build()
            .map_err(|error| ErrorChain(&error).to_string())
    });
    built
        .await
        .unwrap_or_else(|error| Err(error.to_string()))
        .map_err(FetchError::Setup)
}
