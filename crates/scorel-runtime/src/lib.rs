//! The turn engine: drives a model and tools, without files or sockets.
