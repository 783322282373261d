//! Pictures through `Read`.

use std::fs;

use scorel_proto::Block;
use serde_json::json;

use super::project::Project;
use crate::limits::MAX_PICTURE_BYTES;
use crate::picture::{Picture, PictureProblem};

fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_be_bytes();
    let mut crc = flate2::Crc::new();
    crc.update(name);
    crc.update(content);
    [&length, name.as_slice(), content, &crc.sum().to_be_bytes()].concat()
}

fn png(width: u32, height: u32) -> Vec<u8> {
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    let head = chunk(b"IHDR", &[&size, b"\x08\x02\0\0\0".as_slice()].concat());
    let chunks = [head, chunk(b"IDAT", b"pixels"), chunk(b"IEND", b"")].concat();
    [b"\x89PNG\r\n\x1a\n".as_slice(), &chunks].concat()
}

fn gif(width: u16, height: u16) -> Vec<u8> {
    let size = [width.to_le_bytes(), height.to_le_bytes()].concat();
    let image = b",\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0;";
    let comment = b"!\xfe\x04text\0";
    let screen = b"\x80\0\0blackw";
    [b"GIF89a".as_slice(), &size, screen, comment, image].concat()
}

fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let size = [height.to_be_bytes(), width.to_be_bytes()].concat();
    let start = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xc0\0\x11\x08";
    // A segment that looks like the end, and data with an escaped byte and a restart.
    let rest = b"\x03\x01\x22\0\x02\x11\x01\x03\x11\x01\xff\xe1\0\x04\xff\xd9";
    let scan = b"\xff\xda\0\x03\x01data\xff\0data\xff\xd0data\xff\xd9";
    [start.as_slice(), &size, rest, scan].concat()
}

fn webp(width: u32, height: u32) -> Vec<u8> {
    let size = |n: u32| (n - 1).to_le_bytes()[..3].to_vec();
    let head = b"RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0".to_vec();
    let pixels = b"VP8L\x05\0\0\0pixel\0".to_vec();
    [head, size(width), size(height), pixels].concat()
}

#[test]
fn a_picture_is_stored_and_shown() {
    let project = Project::new();
    for (name, media_type, content) in [
        ("a.png", "image/png", png(640, 480)),
        ("b.gif", "image/gif", gif(640, 480)),
        ("c.jpg", "image/jpeg", jpeg(640, 480)),
        ("d.webp", "image/webp", webp(640, 480)),
        // What it is counts, not what it is called.
        ("e.txt", "image/png", png(640, 480)),
    ] {
        project.write(name, &content);
        let answer = project.call("Read", json!({ "path": name }));
        let bytes = content.len();
        assert_eq!(
            answer.ok(),
            format!("{name}: {media_type}, 640 x 480 pixels, {bytes} bytes.\n")
        );
        let Some(Block::Image {
            media_type: shown,
            blob,
        }) = &answer.picture
        else {
            panic!("no picture: {answer:?}");
        };
        assert_eq!(shown, media_type);
        let stored = fs::read(project.path(format!("../blobs/{blob}"))).unwrap();
        assert_eq!(stored, content);
        assert_eq!(
            answer.details,
            json!({
                "ok": true, "path": format!("@project/{name}"), "bytes": bytes,
                "sha256": blob.as_str(), "mediaType": media_type, "width": 640, "height": 480,
                "truncated": false,
            })
        );
    }
}

#[test]
fn pictures_that_no_model_takes_are_refused() {
    let project = Project::new();
    let mut large = png(64, 64);
    large.resize(usize::try_from(MAX_PICTURE_BYTES).unwrap() + 1, 0);
    for (name, content, code) in [
        ("wide.png", png(8_001, 1), "E_READ_LIMIT"),
        ("none.png", png(0, 1), "E_BINARY"),
        ("large.png", large, "E_READ_LIMIT"),
        ("cut.png", png(64, 64)[..14].to_vec(), "E_BINARY"),
    ] {
        project.write(name, content);
        let answer = project.call("Read", json!({ "path": name }));
        assert!(
            answer.is_error && answer.picture.is_none(),
            "{name}: {answer:?}"
        );
        assert_eq!(answer.code(), code, "{name}: {answer:?}");
    }
    assert!(project.names("../blobs").is_empty());
}

#[test]
fn a_picture_is_checked_to_its_end() {
    for whole in [png(64, 48), gif(64, 48), jpeg(64, 48), webp(64, 48)] {
        let picture = Picture::of(&whole).unwrap();
        assert_eq!((picture.width, picture.height), (64, 48));
        for end in 0..whole.len() {
            let cut = Picture::of(&whole[..end]);
            assert!(cut.is_err(), "{}: {end} bytes", picture.media_type);
        }
        let more = [&whole, b"more".as_slice()].concat();
        assert_eq!(Picture::of(&more), Ok(picture));
    }
    let mut changed = png(64, 48);
    let at = changed.windows(6).position(|it| it == b"pixels").unwrap();
    changed[at] ^= 1;
    let media_type = "image/png";
    assert_eq!(
        Picture::of(&changed),
        Err(PictureProblem::Damaged { media_type })
    );
    assert_eq!(Picture::of(b"<html>"), Err(PictureProblem::NotAPicture));
}

#[test]
fn text_about_pictures_is_text() {
    let project = Project::new();
    project.write("note", "GIF89a is a format\n");
    project.write("icon.svg", "<svg/>\n");
    let answer = project.call("Read", json!({ "path": "note" }));
    assert_eq!(answer.ok(), "     1\tGIF89a is a format\n");
    let answer = project.call("Read", json!({ "path": "icon.svg" }));
    assert_eq!(answer.ok(), "     1\t<svg/>\n");
}

#[test]
fn other_binary_files_are_refused_with_what_they_are() {
    let project = Project::new();
    for (name, content, hint) in [
        ("b", b"\xff\xfe\0\0h\0\0\0".as_slice(), "UTF-32 text"),
        ("c.zip", b"PK\x03\x04\0\0", "ZIP archive"),
        ("d", b"\x7fELF\x02\x01\0", "a program"),
        (
            "e.bmp",
            b"BM\x9a\0\0\0",
            "text, PDF documents and pictures (PNG, JPEG, GIF, WebP) only",
        ),
        ("f", b"late\n\0", "documents and pictures"),
    ] {
        project.write(name, content);
        let answer = project.call("Read", json!({ "path": name }));
        assert_eq!(answer.code(), "E_BINARY", "{name}");
        assert!(answer.text.contains(hint), "{name}: {answer:?}");
    }
}
