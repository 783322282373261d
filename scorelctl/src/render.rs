//! Showing a session to a person.

mod screen;
mod transcript;

pub(crate) use screen::{Aside, Screen};
pub(crate) use transcript::Transcript;
