/// A size in the largest unit that fits.
pub(super) fn size_text(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut rest = bytes;
    let mut unit = UNITS[0];
    for next in UNITS {
        unit = next;
        if rest < 1024 * 1024 {
            break;
        }
        rest /= 1024;
    }
    format!("{}.{} {unit}", rest / 1024, rest % 1024 * 10 / 1024)
}

#[cfg(test)]
mod tests {
    use super::size_text;

    #[test]
    fn a_size_is_shown_in_its_largest_unit() {
        for (bytes, expected) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1024 * 1024 - 1, "1023.9 KiB"),
            (3 * 1024 * 1024 / 2, "1.5 MiB"),
            (5 << 30, "5.0 GiB"),
            (7 << 40, "7.0 TiB"),
        ] {
            assert_eq!(size_text(bytes), expected);
        }
    }
}
