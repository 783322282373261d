/// The name that was probably meant by a mistyped one. As many characters may be wrong as a third of it.
pub(crate) fn similar<'a>(
    typed: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let lower = typed.to_lowercase();
    let distance = |name: &str| strsim::damerau_levenshtein(&lower, &name.to_lowercase());
    let near = names.into_iter().map(|name| (distance(name), name));
    let (distance, name) = near.min_by_key(|(distance, _)| *distance)?;
    (distance * 3 <= typed.chars().count().max(3)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_is_near_to_one_name() {
        let names = || ["getStatus", "getSession", "shutdown"];
        assert_eq!(similar("getStaus", names()), Some("getStatus"));
        assert_eq!(similar("getsessoin", names()), Some("getSession"));
        assert_eq!(similar("listModels", names()), None);
        assert_eq!(similar("x", []), None);
    }
}
