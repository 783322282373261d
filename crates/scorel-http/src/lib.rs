//! HTTP clients of the daemon: one for each way to a host, with the platform's proxies and certificates.
//!
//! Knows no protocol above HTTP. [`HttpClients`] makes a client when it is first needed, [`EndpointAddress`] names a host in
//! messages without what may be secret in its URL, and [`is_refused`] finds the failure that people can act on.

mod address;
mod clients;
mod redirects;
mod refused;
mod route;

pub use address::EndpointAddress;
pub use clients::{HttpClients, HttpSetupError};
pub use redirects::Redirects;
pub use refused::is_refused;
