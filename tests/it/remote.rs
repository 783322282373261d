//! The daemon of another machine, reached by ssh: a real `sshd` on loopback.

mod acp;
mod failures;
mod signals;
mod ssh_server;
mod verbs;
