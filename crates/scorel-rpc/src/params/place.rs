use std::cell::RefCell;
use std::fmt::{self, Write};

use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

/// How far a deserialization has come in its text: of each value that it is in, the index of the member
/// or element. A failure leaves it at the invalid value.
///
/// Names are looked up in the text afterwards. `serde_path_to_error`, which collects them on the way, is
/// one more layer around every visitor, and took a fifth of the build of the crate with all params.
#[derive(Debug, Default)]
pub(super) struct Place(RefCell<Vec<usize>>);

impl Place {
    pub(super) fn enter(&self, index: usize) {
        self.0.borrow_mut().push(index);
    }

    pub(super) fn leave(&self) {
        self.0.borrow_mut().pop();
    }

    /// The path to this place, such as `messages[2].role`, if it is inside a value, or to a member that is
    /// missing there. Reads the text once, up to the place.
    pub(super) fn path(&self, text: &str, missing: Option<&str>) -> Option<Path> {
        let mut path = Path::default();
        let descent = Descent {
            indices: &self.0.borrow(),
            path: &mut path,
        };
        // Fails where it has arrived.
        let _ = descent.deserialize(&mut serde_json::Deserializer::from_str(text));
        path.0
            .extend(missing.map(|name| Segment::Member(name.to_owned())));
        (!path.0.is_empty()).then_some(path)
    }
}

#[derive(Debug, Default)]
pub(super) struct Path(Vec<Segment>);

#[derive(Debug)]
enum Segment {
    Member(String),
    Element(usize),
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Element(index) => write!(f, "[{index}]")?,
                Segment::Member(name) if depth == 0 => f.write_str(name)?,
                Segment::Member(name) => {
                    f.write_char('.')?;
                    f.write_str(name)?;
                }
            }
        }
        Ok(())
    }
}

/// Goes to a place and stops there with an error, so that the rest of the text is not read.
struct Descent<'a> {
    indices: &'a [usize],
    path: &'a mut Path,
}

impl<'a> Descent<'a> {
    fn into(self, segment: Segment) -> Self {
        self.path.0.push(segment);
        Self {
            indices: &self.indices[1..],
            path: self.path,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Descent<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        if self.indices.is_empty() {
            return Err(D::Error::custom("arrived"));
        }
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Descent<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array or object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        for _ in 0..self.indices[0] {
            object.next_entry::<IgnoredAny, IgnoredAny>()?;
        }
        match object.next_key()? {
            Some(name) => object.next_value_seed(self.into(Segment::Member(name))),
            None => Ok(()),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
        let index = self.indices[0];
        for _ in 0..index {
            array.next_element::<IgnoredAny>()?;
        }
        let element = self.into(Segment::Element(index));
        array.next_element_seed(element).map(|_| ())
    }
}
