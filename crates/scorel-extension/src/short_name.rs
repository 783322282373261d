/// The longest name.
pub(crate) const MAX: usize = 32;

/// True for a small letter, then small letters, digits and `-`, at most 32 characters.
pub fn is_short_name(text: &str) -> bool {
    let usual = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
    let begins_well = text.starts_with(|char: char| char.is_ascii_lowercase());
    begins_well && text.len() <= MAX && text.chars().all(usual)
}
