/// The most bytes of a text, pastes included.
pub const MAX_TEXT: usize = 8 << 20;
