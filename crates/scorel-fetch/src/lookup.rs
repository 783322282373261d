//! From names to addresses.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::address::is_public;

/// Resolves names.
pub trait Lookup: fmt::Debug + Send + Sync {
    /// The addresses of a name.
    ///
    /// # Errors
    /// It has none, or nobody can tell.
    fn lookup(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// Resolves names as the system does.
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

/// A name leads to no public address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the name leads to no public address")]
pub(crate) struct NotPublic;

/// What the connections of a client resolve names with: what it answers is what is connected to.
#[derive(Debug, Clone)]
pub(crate) struct Resolver {
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) reach: Reach,
}

/// Where names may lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To public addresses.
    Public,
    /// Anywhere.
    Everywhere,
    /// Anywhere, but there are only these names: those of the proxies.
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
            // The port of the URL takes the place of 0.
            let found = found.into_iter().map(|address| SocketAddr::new(address, 0));
            let found: Addrs = Box::new(found.collect::<Vec<_>>().into_iter());
            Ok(found)
        })
    }
}
