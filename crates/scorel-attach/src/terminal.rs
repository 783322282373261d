//! The terminal: its modes, what is typed, and what is written.

mod decoder;
mod guard;
mod input;
mod keyboard;
mod output;
mod pace;
mod paste;
mod screen;
mod sequence;
mod writer;

pub use guard::TerminalGuard;
pub use input::{Ending, Input, Key};
pub use keyboard::Keyboard;
pub use screen::Screen;
