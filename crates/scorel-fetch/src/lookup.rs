//! DNS resolution that is limited to where a client may connect.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::address::is_public;

/// Resolves host names. Tests replace it.
pub trait Lookup: fmt::Debug + Send + Sync {
    /// The addresses of a host name.
    ///
    /// # Errors
    /// The name does not exist or cannot be resolved.
    fn lookup(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The system's resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let name = name.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// The name has no public address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the name has no public address")]
pub(crate) struct NotPublic;

/// The resolver of one HTTP client. The client connects to the addresses it returns, so checking here
/// leaves no gap for DNS rebinding.
#[derive(Debug, Clone)]
pub(crate) struct Resolver {
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) reach: Reach,
}

/// The addresses that a resolver returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Public addresses only.
    Public,
    /// All addresses.
    Everywhere,
    /// All, for these names only, which are the proxies'; other names do not exist.
    Names(Vec<String>),
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let Self { lookup, reach } = self.clone();
        Box::pin(async move {
            let name = name.as_str();
            if matches!(&reach, Reach::Names(names) if !names.iter().any(|it| it == name)) {
                return Err(NotPublic.into());
            }
            let mut found = lookup.lookup(name).await?;
            if found.is_empty() {
                return Err(io::Error::from(io::ErrorKind::NotFound).into());
            }
            if reach == Reach::Public {
                found.retain(|address| is_public(*address));
                if found.is_empty() {
                    return Err(NotPublic.into());
                }
            }
            // `reqwest` replaces port 0 by that of the URL.
            let found = found.into_iter().map(|address| SocketAddr::new(address, 0));
            let found: Addrs = Box::new(found.collect::<Vec<_>>().into_iter());
            Ok(found)
        })
    }
}
