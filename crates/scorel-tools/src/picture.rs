//! Pictures that models accept, checked to their end.
//!
//! One that providers reject would make every later request of the session fail, since it stays in the
//! context. A header says nothing of that: a download that broke off has a good one.

use flate2::Crc;
use imagesize::{ImageType, blob_size, image_type};

use crate::limits::{MAX_PICTURE_BYTES, MAX_PICTURE_SIDE};

const PNG_SIGNATURE: usize = 8;

/// A picture that providers accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    /// By its bytes, whatever its name or its sender says.
    pub media_type: &'static str,
    /// In pixels.
    pub width: usize,
    pub height: usize,
}

/// The reason why a content is not sent to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PictureProblem {
    #[error("it is no picture that models read (PNG, JPEG, GIF, WebP)")]
    NotAPicture,
    #[error("it begins like {media_type}, but is damaged or cut off")]
    Damaged { media_type: &'static str },
    #[error(
        "it is a picture of {width} x {height} pixels; at most {MAX_PICTURE_SIDE} on a side can be shown"
    )]
    TooLarge { width: usize, height: usize },
    #[error("it is a picture of {bytes} bytes; at most {MAX_PICTURE_BYTES} can be shown")]
    TooLong { bytes: u64 },
}

impl Picture {
    /// Looks at a whole file.
    ///
    /// # Errors
    /// See [`PictureProblem`].
    pub fn of(content: &[u8]) -> Result<Self, PictureProblem> {
        let media_type = media_type(content).ok_or(PictureProblem::NotAPicture)?;
        let is_whole = match media_type {
            "image/png" => png(content),
            "image/jpeg" => jpeg(content),
            "image/gif" => gif(content),
            _ => webp(content),
        };
        let size = is_whole.and_then(|()| blob_size(content).ok());
        let size = size.filter(|size| size.width.min(size.height) > 0);
        let size = size.ok_or(PictureProblem::Damaged { media_type })?;
        let (width, height) = (size.width, size.height);
        if width.max(height) > MAX_PICTURE_SIDE {
            return Err(PictureProblem::TooLarge { width, height });
        }
        let bytes = content.len() as u64;
        if bytes > MAX_PICTURE_BYTES {
            return Err(PictureProblem::TooLong { bytes });
        }
        Ok(Self {
            media_type,
            width,
            height,
        })
    }
}

/// The media type that the first bytes tell, if models accept it.
pub(crate) fn media_type(start: &[u8]) -> Option<&'static str> {
    match image_type(start).ok()? {
        ImageType::Png => Some("image/png"),
        ImageType::Jpeg => Some("image/jpeg"),
        ImageType::Gif => Some("image/gif"),
        ImageType::Webp => Some("image/webp"),
        _ => None,
    }
}

/// Chunks with their checksums, pixels among them, up to the one that ends the picture.
fn png(content: &[u8]) -> Option<()> {
    let mut left = content.get(PNG_SIGNATURE..)?;
    let mut has_pixels = false;
    loop {
        let length = u32::from_be_bytes(left.split_off(..4)?.try_into().ok()?);
        let length = usize::try_from(length).ok()?.checked_add(4)?;
        let chunk = left.split_off(..length)?;
        let sum = u32::from_be_bytes(left.split_off(..4)?.try_into().ok()?);
        let mut crc = Crc::new();
        crc.update(chunk);
        if crc.sum() != sum {
            return None;
        }
        match &chunk[..4] {
            b"IDAT" => has_pixels = true,
            b"IEND" => return has_pixels.then_some(()),
            _ => {}
        }
    }
}

/// Segments and the data between them, up to the end of the image. A preview is inside of a segment.
fn jpeg(content: &[u8]) -> Option<()> {
    let mut at = 2;
    loop {
        at += memchr::memchr(0xff, content.get(at..)?)? + 1;
        match content.get(at)? {
            0xd9 => return Some(()),
            // Fill bytes, escaped data and marks without a length.
            0xff => {}
            0 | 1 | 0xd0..=0xd7 => at += 1,
            _ => {
                at += 1;
                let length = u16::from_be_bytes(content.get(at..at + 2)?.try_into().ok()?);
                at += usize::from(length).max(2);
            }
        }
    }
}

/// Blocks up to the trailer, an image among them.
fn gif(content: &[u8]) -> Option<()> {
    let palette = |flags: u8| {
        if flags & 0x80 == 0 {
            0
        } else {
            6 << (flags & 7)
        }
    };
    let mut left = content;
    let flags = left.split_off(..13)?[10];
    left.split_off(..palette(flags))?;
    let mut has_image = false;
    loop {
        match *left.split_off_first()? {
            b'!' => _ = left.split_off_first()?,
            b',' => {
                has_image = true;
                let flags = left.split_off(..9)?[8];
                // The palette, and the size of codes.
                left.split_off(..palette(flags) + 1)?;
            }
            b';' => return has_image.then_some(()),
            _ => return None,
        }
        loop {
            match *left.split_off_first()? {
                0 => break,
                length => _ = left.split_off(..usize::from(length))?,
            }
        }
    }
}

/// Chunks, pixels among them, that fill the length that the file names.
fn webp(content: &[u8]) -> Option<()> {
    let length = |at: usize| {
        let bytes = content.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    };
    let file = content.get(..length(4)?.checked_add(8)?)?;
    let mut at = 12;
    let mut has_pixels = false;
    while at < file.len() {
        let name = file.get(at..at + 4)?;
        has_pixels |= matches!(name, b"VP8 " | b"VP8L" | b"ANMF");
        let size = length(at + 4)?;
        at += 8;
        file.get(at..at.checked_add(size)?)?;
        // Chunks begin at even places; the last one may lack its padding.
        at += size + size % 2;
    }
    has_pixels.then_some(())
}
