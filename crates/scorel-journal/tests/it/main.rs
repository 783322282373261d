//! The journal's public interface on real files.

mod bit_flips;
mod corruption;
mod creation;
mod disk;
mod exhaustive;
mod faults;
mod foreign;
mod golden;
mod log;
mod model;
mod ram;
mod read_only;
mod reading;
mod recovery;
mod repair;
mod truncation;
