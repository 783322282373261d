//! The shape of the sources. Everything here reads files and runs nothing.

mod circles;
mod crates;
mod facts;
mod figures;
mod names;
mod page;
mod public;
mod source;
mod uses;
