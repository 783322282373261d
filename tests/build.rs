//! Links the programs under test.

fn main() {
    // Tests execute these programs some ten thousand times. A debug build has 360,000 relocations, which take
    // longer than all else of a start: position-independent, the suite took 466 seconds of processor time, and
    // 405 like this. Packages stay position-independent.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
