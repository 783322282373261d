use libtest_mimic::Arguments;

/// The arguments of a program that runs its tests with `libtest_mimic`. That reads no `RUST_TEST_THREADS`, as the harness of
/// Rust does.
pub fn trial_arguments() -> Arguments {
    let mut arguments = Arguments::from_args();
    let wanted = std::env::var("RUST_TEST_THREADS");
    let wanted = wanted.ok().and_then(|threads| threads.parse().ok());
    arguments.test_threads = arguments.test_threads.or(wanted);
    arguments
}
