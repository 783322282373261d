//! Requests that no recording covers.

mod hosts;
