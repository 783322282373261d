//! The daemon of another machine, reached by ssh: a real `sshd` on loopback.

mod failures;
mod ssh_server;
mod verbs;
