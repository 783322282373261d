use std::fs;

/// The physical memory of this process in bytes. `None` where there is no `/proc`, or no descriptor to
/// read it.
pub fn resident_bytes() -> Option<u64> {
    parse(&fs::read_to_string("/proc/self/status").ok()?)
}

fn parse(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_counts_in_kib() {
        let status = "Name:\tscoreld\nVmHWM:\t   99 kB\nVmRSS:\t   12345 kB\n";
        assert_eq!(parse(status), Some(12_345 * 1024));
        assert_eq!(parse("Name:\tscoreld\n"), None);
        assert_eq!(parse("VmRSS:\t many kB\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_uses_memory() {
        assert!(resident_bytes().is_some_and(|bytes| bytes > 100 * 1024));
    }
}
