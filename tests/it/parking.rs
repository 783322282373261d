//! Restarts: turns are parked and go on, the program is replaced, a daemon ends that has nothing to do.

mod matrix;
mod recovery;
mod restart;
mod scene;
mod upgrade;
