//! Black-box tests of the programs, in `it/`. The library is empty: it lets the package depend on
//! itself for tests, with the feature that builds the programs under test.
