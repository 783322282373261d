use std::io::Read as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The most bytes of an image that is sent.
const MAX_IMAGE: u64 = 4 * 1024 * 1024;

const ENDINGS: [&str; 5] = ["png", "jpg", "jpeg", "gif", "webp"];

/// An image that a label in the text stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImageFile {
    pub(crate) label: String,
    pub(crate) path: PathBuf,
}

/// The path of an image, if that is all that was pasted or dropped: quoted, escaped or as a `file:` URL too.
pub(crate) fn image_path(pasted: &str) -> Option<PathBuf> {
    let text = pasted.trim();
    if text.contains('\n') || text.len() > 4096 {
        return None;
    }
    let quoted = [('\'', '\''), ('"', '"')]
        .iter()
        .find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    let text = match text.strip_prefix("file://") {
        Some(url) => url.replace("%20", " "),
        None => quoted.map_or_else(|| text.replace("\\ ", " "), str::to_owned),
    };
    let path = PathBuf::from(text);
    let ending = path.extension()?.to_str()?.to_lowercase();
    (path.is_absolute() && ENDINGS.contains(&ending.as_str()) && path.is_file()).then_some(path)
}

/// The bytes of an image in base64, and its media type. Blocks.
pub(super) fn read_image(path: &Path) -> Result<(String, &'static str), String> {
    let name = path.display();
    let failed = |error: std::io::Error| format!("{name} cannot be read: {error}");
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(MAX_IMAGE + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > MAX_IMAGE {
        return Err(format!(
            "{name} has more than 4 MiB: make the image smaller"
        ));
    }
    let media_type = match &bytes[..] {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => "image/webp",
        _ => return Err(format!("{name} is no PNG, JPEG, GIF or WebP")),
    };
    Ok((STANDARD.encode(bytes), media_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_path_of_an_image_is_one() {
        let dir = tempfile::tempdir().expect("a directory");
        let image = dir.path().join("a b.png");
        std::fs::write(&image, b"\x89PNG\r\n").expect("written");
        let path = image.to_str().expect("text");
        for text in [
            path.to_owned(),
            format!("'{path}'\n"),
            path.replace(' ', "\\ "),
            format!("file://{}", path.replace(' ', "%20")),
        ] {
            assert_eq!(image_path(&text), Some(image.clone()), "{text}");
        }
        for text in [
            "a b.png",
            "/no/such.png",
            "/etc/passwd",
            &format!("{path}\nrm x"),
        ] {
            assert_eq!(image_path(text), None, "{text}");
        }
        assert_eq!(read_image(&image).expect("an image").1, "image/png");
        std::fs::write(&image, b"text").expect("written");
        assert!(
            read_image(&image)
                .expect_err("no image")
                .contains("is no PNG")
        );
    }
}
