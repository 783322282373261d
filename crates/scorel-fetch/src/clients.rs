//! HTTP clients, one for each route and scheme.

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
use crate::target::FetchTarget;

/// HTTP clients by [`Route`] and scheme. Each is made when it is first used, since loading the root
/// certificates costs time and memory.
pub(crate) struct Clients {
    lookup: Arc<dyn Lookup>,
    limits: FetchLimits,
    proxies: LazyLock<Matcher>,
    clients: [[OnceCell<Client>; 2]; 3],
}

/// The route to a host. Proxy and resolver are set per client in `reqwest`, so each route has its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    /// Directly, at public addresses.
    Public,
    /// Directly, at any address: the user has allowed the host.
    Allowed,
    /// Through the system's proxy, which resolves names itself.
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

    /// The client for a target.
    pub(crate) async fn of(&self, target: &FetchTarget) -> Result<&Client, FetchError> {
        let route = if target.is_allowed {
            // The host is in the user's own network, which a proxy may not reach.
            Route::Allowed
        } else if self.proxy(target.url.as_url()).is_some() {
            Route::Proxied
        } else {
            Route::Public
        };
        let is_secure = target.url.as_url().scheme() == "https";
        self.clients[route as usize][usize::from(is_secure)]
            .get_or_try_init(|| build(self.builder(route, is_secure)))
            .await
    }

    /// The host name of the proxy for a URL.
    fn proxy(&self, url: &Url) -> Option<String> {
        let intercept = self.proxies.intercept(&url.as_str().parse().ok()?)?;
        Some(intercept.uri().host().unwrap_or_default().to_owned())
    }

    fn builder(&self, route: Route, is_secure: bool) -> ClientBuilder {
        let builder = Client::builder()
            .user_agent(concat!("scorel/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(self.limits.connect)
            // `Fetcher` follows redirects itself, to check each target first.
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            // A pooled connection would skip the address check of the next request.
            .pool_max_idle_per_host(0);
        let builder = if is_secure {
            builder
        } else {
            // No TLS, no certificates: plain HTTP works where the platform has none.
            builder.tls_certs_only([])
        };
        let (builder, reach) = match route {
            Route::Public => (builder.no_proxy(), Reach::Public),
            Route::Allowed => (builder.no_proxy(), Reach::Everywhere),
            Route::Proxied => (builder, Reach::Names(self.proxy_names())),
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

/// Builds a client on a blocking thread: it reads certificates from files.
async fn build(builder: ClientBuilder) -> Result<Client, FetchError> {
    let built = scorel_engine::spawn_blocking(move || {
        // Fails if the process has installed a provider already, which does as well.
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
