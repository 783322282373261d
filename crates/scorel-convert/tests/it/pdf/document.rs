//! Documents made by hand.

/// A document with one font and pages of text.
#[derive(Default)]
pub(crate) struct Document {
    contents: Vec<String>,
}

impl Document {
    pub(crate) fn page(&mut self, text: &str) {
        self.content(&format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET"));
    }

    /// A page with these operations.
    pub(crate) fn content(&mut self, operations: &str) {
        self.contents.push(operations.to_owned());
    }

    pub(crate) fn build(&self) -> Vec<u8> {
        self.with_trailer("")
    }

    /// The document with an encryption that no password of ours opens.
    pub(crate) fn encrypted(&self) -> Vec<u8> {
        let key = "00".repeat(32);
        self.with_trailer(&format!(
            "/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] \
             /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{key}> /U <{key}> >>"
        ))
    }

    fn with_trailer(&self, trailer: &str) -> Vec<u8> {
        let first = 4;
        let kids: Vec<String> = (0..self.contents.len())
            .map(|page| format!("{} 0 R", first + 2 * page))
            .collect();
        let pages = format!(
            "<< /Type /Pages /Count {} /Kids [{}] >>",
            kids.len(),
            kids.join(" ")
        );
        let font =
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
        let mut objects = vec![
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            pages.into_bytes(),
            font.as_bytes().to_vec(),
        ];
        for (page, content) in self.contents.iter().enumerate() {
            let stream = first + 2 * page + 1;
            let page = format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {stream} 0 R \
                 /Resources << /Font << /F1 3 0 R >> >> >>"
            );
            objects.push(page.into_bytes());
            objects.push(self::stream("", content.as_bytes()));
        }
        assemble(&objects, trailer)
    }
}

pub(crate) fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let mut object = format!("<< /Length {length} {entries} >>\nstream\n").into_bytes();
    object.extend_from_slice(content);
    object.extend_from_slice(b"\nendstream");
    object
}

pub(crate) fn assemble(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut content = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(objects) {
        offsets.push(content.len());
        content.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
        content.extend_from_slice(object);
        content.extend_from_slice(b"\nendobj\n");
    }
    let table = content.len();
    let size = objects.len() + 1;
    let mut text = String::new();
    text.push_str(&format!("xref\n0 {size}\n0000000000 65535 f \n"));
    for offset in offsets {
        text.push_str(&format!("{offset:010} 00000 n \n"));
    }
    text.push_str(&format!(
        "trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{table}\n%%EOF\n"
    ));
    content.extend_from_slice(text.as_bytes());
    content
}
