//! Servers of the Model Context Protocol: each era, their tools in turns, and faults.

mod eras;
mod faults;
mod offers;
mod published;
mod scene;
mod sessions;
mod tools;
mod verbs;
