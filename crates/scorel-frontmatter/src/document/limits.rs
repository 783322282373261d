/// Bytes of a head.
pub const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Lists and mappings within each other; the head itself is the first.
pub const MAX_DEPTH: usize = 16;
