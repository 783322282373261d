//! Renders a session as text.

mod screen;
mod transcript;
pub(crate) mod waits;

pub(crate) use screen::{AsideStream, Screen};
pub(crate) use transcript::Transcript;
