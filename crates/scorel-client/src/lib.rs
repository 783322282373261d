//! A client of the Scorel daemon.
