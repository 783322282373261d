//! The program itself, against a daemon that follows a script.

mod answers;
mod daemon;
mod errors;
mod fsck;
mod program;
mod send;
mod stdio;
mod tail;
