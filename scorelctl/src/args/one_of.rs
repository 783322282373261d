use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Parses one of some names. Each has its meaning, for the help, and the value that it stands for.
pub(crate) fn one_of<T, const N: usize>(
    named: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let names = named.map(|(name, meaning, _)| PossibleValue::new(name).help(meaning));
    PossibleValuesParser::new(names).try_map(move |typed| {
        let found = named.iter().find(|(name, ..)| *name == typed);
        found.map(|(.., value)| *value).ok_or("unknown name")
    })
}
