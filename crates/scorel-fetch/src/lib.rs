//! Pages of the web as text, from public addresses only.
//!
//! In goes a URL that the gate has allowed; out comes a [`WebPage`] as text, or the target of a redirect to
//! another host. [`WebFetch`] is the tool, [`Fetcher`] the HTTP client behind it.
//!
//! The client is a defence of its own against server-side request forgery: it connects to public
//! addresses, to the user's [`PrivateHost`]s and to the host that a call's permit names only. It
//! resolves names itself, checks the addresses and connects to an address that it has checked, so that
//! no second DNS answer can lead elsewhere. A redirect to another host is returned and not followed,
//! since only the gate can allow that host.
//!
//! Time, size after decompression and the number of redirects are limited. Only text is accepted; HTML
//! is converted to Markdown, by a child process that ends when the time is up.

mod address;
mod body;
mod clients;
mod error;
mod fetcher;
mod limits;
mod lookup;
mod media;
mod page;
mod private_host;
mod target;
mod web_fetch;

pub use address::is_public;
pub use error::FetchError;
pub use fetcher::Fetcher;
pub use limits::FetchLimits;
pub use lookup::{Lookup, SystemLookup};
pub use page::{Fetched, WebPage};
pub use private_host::{PrivateHost, PrivateHostError};
pub use web_fetch::WebFetch;
