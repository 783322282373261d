//! Logins by OAuth 2.1, to servers of which nothing but the address is known.
//!
//! In: an address, and the redirect of a browser. Out: a token for each request, which is refreshed once for all that
//! wait for it. An authorization server is found by what the resource says (RFC 9728) and by its own metadata (RFC 8414);
//! a token is asked for one resource (RFC 8707), and an answer is taken from the server that was asked (RFC 9207). Tokens
//! are kept in `credentials.json` of the home; the secret of a client that was registered by hand is looked up at each use.

mod challenge;
mod checked_address;
mod client_identity;
mod client_names;
mod credentials;
mod discovery;
mod error;
mod grant;
mod http;
mod login;
mod oauth;
mod pkce;
mod server_metadata;

pub use challenge::Challenge;
pub use client_names::ClientNames;
pub use error::OAuthError;
pub use login::{BegunLogin, LoginAnswer};
pub use oauth::OAuth;
