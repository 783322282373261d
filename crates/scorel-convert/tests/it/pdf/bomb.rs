//! A document that unpacks to much more than it is.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::document::{assemble, stream};

/// More than half of the memory of the process that reads documents; a buffer grows by doubling.
const MEBIBYTES: usize = 700;

/// A document whose only page unpacks to more than the memory that there is.
pub(crate) fn bomb() -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    let spaces = [b' '; 1024 * 1024];
    for _ in 0..MEBIBYTES {
        packed.write_all(&spaces).unwrap();
    }
    let packed = packed.finish().unwrap();
    let objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>".to_vec(),
        stream("/Filter /FlateDecode", &packed),
    ];
    assemble(&objects, "")
}
