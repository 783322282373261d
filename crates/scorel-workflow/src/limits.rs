/// Bytes of a graph, of the file of agents, and of each text that is read.
pub const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// Nodes of a graph.
pub const MAX_NODES: usize = 1_000;

/// Edges of a graph.
pub const MAX_EDGES: usize = 4_000;

/// Files of a package.
pub const MAX_PACKAGE_FILES: usize = 5_000;

/// Bytes of all files of a package.
pub const MAX_PACKAGE_BYTES: u64 = 64 * 1024 * 1024;
