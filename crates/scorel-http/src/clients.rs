use std::time::Duration;

use reqwest::{Client, ClientBuilder, Url};
use scorel_proto::ErrorChain;
use tokio::sync::OnceCell;

use crate::redirects::Redirects;
use crate::route::ConnectionRoute;

/// The reason why there is no client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot set up HTTP connections: {0}")]
pub struct HttpSetupError(String);

/// The HTTP clients for all hosts.
///
/// Each is built by the first call that needs it: loading TLS and the platform's certificates costs
/// time and memory that an idle daemon should not pay.
#[derive(Debug)]
pub struct HttpClients {
    /// For a connection, including TLS.
    connect: Duration,
    redirects: Redirects,
    /// One for each [`ConnectionRoute`].
    clients: [OnceCell<Client>; 3],
}

impl HttpClients {
    pub fn new(connect: Duration, redirects: Redirects) -> Self {
        Self {
            connect,
            redirects,
            clients: Default::default(),
        }
    }

    /// The client for a URL.
    ///
    /// # Errors
    /// The platform's certificates cannot be loaded.
    pub async fn of(&self, url: &Url) -> Result<&Client, HttpSetupError> {
        let route = ConnectionRoute::of(url);
        let make = || {
            let common = Client::builder()
                .user_agent(concat!("scorel/", env!("CARGO_PKG_VERSION")))
                .connect_timeout(self.connect)
                .redirect(self.redirects.policy());
            build(match route {
                ConnectionRoute::Loopback => common.no_proxy().tls_certs_only([]),
                // No certificates are loaded, so it works on systems without any.
                ConnectionRoute::Plain => common.tls_certs_only([]),
                // Verified against the platform's certificates.
                ConnectionRoute::Secure => common,
            })
        };
        self.clients[route as usize].get_or_try_init(make).await
    }
}

/// Builds a client on a blocking thread, since certificates are read from files.
async fn build(builder: ClientBuilder) -> Result<Client, HttpSetupError> {
    let built = scorel_engine::spawn_blocking(move || {
        // Fails if the process has already installed a provider, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        builder
            .build()
            .map_err(|error| ErrorChain(&error).to_string())
    });
    let built = built.await;
    built
        .unwrap_or_else(|error| Err(error.to_string()))
        .map_err(HttpSetupError)
}
