//! The names of branches.

use scorel_proto::WorktreeOwner;

/// Branches of agents and runs are below this.
const PREFIX: &str = "scorel/";

/// Characters of the part that comes from a title.
const MAX_SLUG: usize = 40;

/// Characters of the part that comes from the id: those that are random.
const ID_LENGTH: usize = 8;

/// The branch of a task or a run: `scorel/fix-the-login-4x7q2m9k`.
pub(super) fn branch_name(title: &str, owner: WorktreeOwner) -> String {
    let id = owner.to_string().to_ascii_lowercase();
    let end = &id[id.len() - ID_LENGTH..];
    match slug(title).as_str() {
        "" => format!("{PREFIX}{end}"),
        slug => format!("{PREFIX}{slug}-{end}"),
    }
}

/// The letters and digits of a title, in lower case, with a `-` for everything between them.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.chars() {
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() == MAX_SLUG {
            break;
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_has_a_title_and_an_id_that_git_takes() {
        let id = "rti_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
        for (title, slug) in [
            ("Fix the login", "fix-the-login-"),
            ("  ../../etc//passwd.lock ", "etc-passwd-lock-"),
            ("Größe: 3½ @{-1}~^", "gr-e-3-1-"),
            ("日本語", ""),
            ("-", ""),
        ] {
            assert_eq!(branch_name(title, id), format!("scorel/{slug}q69g5fav"));
        }
        let long = branch_name(&"ab ".repeat(100), id);
        assert_eq!(long.len(), PREFIX.len() + MAX_SLUG + 1 + ID_LENGTH);
    }
}
