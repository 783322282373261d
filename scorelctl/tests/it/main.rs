//! The program itself, against a daemon that follows a script.

mod answers;
mod daemon;
mod errors;
mod fsck;
mod init;
mod init_endpoint;
mod init_key;
mod input;
mod models;
mod pager;
mod program;
mod questions;
mod quota;
mod send;
mod sent_where;
mod stdio;
mod tail;
mod upgrade;
