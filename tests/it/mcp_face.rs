//! `scorelctl mcp serve`: sessions as tools for clients of the Model Context Protocol.

mod answers;
mod eras;
mod npm;
mod scene;
mod tools;
