use bytes::{Bytes, BytesMut};

/// Takes all bytes that are there, but for an incomplete UTF-8 sequence at their end.
pub fn whole_text(unread: &mut BytesMut) -> Bytes {
    let whole = match std::str::from_utf8(unread) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => unread.len(),
    };
    unread.split_to(whole).freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_not_cut_within_a_character() {
        let mut unread = BytesMut::from(&b"a\xc3"[..]);
        assert_eq!(whole_text(&mut unread), &b"a"[..]);
        assert!(whole_text(&mut unread).is_empty());
        unread.extend_from_slice(b"\xbc\xff");
        assert_eq!(whole_text(&mut unread), &b"\xc3\xbc\xff"[..]);
    }
}
