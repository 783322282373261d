use std::fmt::Display;

/// A number with its noun: `1 file`, `2 files`, `0 matches`. The noun is regular, in the singular.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let ending = match noun {
        _ if number == N::from(1) => "",
        _ if ["s", "x", "ch", "sh"].iter().any(|it| noun.ends_with(it)) => "es",
        _ => "s",
    };
    format!("{number} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_thing_has_no_ending() {
        assert_eq!(counted(1_u32, "file"), "1 file");
        assert_eq!(counted(0_usize, "file"), "0 files");
        assert_eq!(counted(2_u64, "worktree branch"), "2 worktree branches");
    }
}
