//! Links the programs under test.

use std::env;

fn main() {
    // Tests execute these programs thousands of times. A debug build has 360,000 relocations, which take
    // longer than all else of a start: position-independent, the suite took 466 seconds of processor time, and
    // 405 like this. Packages stay position-independent.
    let is = |name, value| env::var(name).is_ok_and(|it| it == value);
    if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
