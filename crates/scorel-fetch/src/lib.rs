//! Pages of the web as text, from public addresses only.
//!
//! [`Fetcher`] is where the tool `WebFetch` gets its pages from. Whatever a page, a name or a redirect
//! says, it speaks to public addresses and to the hosts that the user has named, [`PrivateHost`]s:
//! names are resolved here, what they resolve to is judged, and the address that was judged is the
//! one that is connected to. A redirect to another host is not followed but answered, since whether
//! that host may be spoken to is for somebody else to decide.
//!
//! Pages are bounded in time and in size, after decompression, and only text is taken: what is HTML
//! is reduced to what a reader would see, with its links.

mod address;
mod body;
mod clients;
mod error;
mod fetcher;
mod html;
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
pub use page::{Fetched, Page};
pub use private_host::{PrivateHost, PrivateHostError};
pub use web_fetch::WebFetch;
