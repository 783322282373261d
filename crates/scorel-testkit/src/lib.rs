//! Test doubles and harnesses: the model endpoint, the daemon under test.
