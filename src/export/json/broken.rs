//! What is wrong with a document that is read, and where.

use std::fmt::Display;

/// A part of a document that is not what it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Broken {
    /// The keys that lead to it, joined with dots.
    pub(super) place: String,
    /// What is wrong with it.
    pub(super) what: String,
}

impl Broken {
    pub(super) fn new(place: &str, what: impl Display) -> Broken {
        Broken { place: place.to_owned(), what: what.to_string() }
    }

    /// The same, of a part of `outer`.
    pub(super) fn within(self, outer: &str) -> Broken {
        Broken { place: format!("{outer}.{}", self.place), ..self }
    }
}

/// What is wrong with the part at `place`, from an error that says it.
pub(super) fn at<E: Display>(place: &str) -> impl FnOnce(E) -> Broken {
    move |what| Broken::new(place, what)
}

/// The list at `place`, if it has no more than `most` entries: each may take memory out of proportion to its text.
pub(super) fn bounded<'a, T>(place: &str, list: &'a [T], most: usize) -> Result<&'a [T], Broken> {
    if list.len() <= most {
        return Ok(list);
    }
    Err(Broken::new(place, format!("it has {} entries, and there are at most {most}", list.len())))
}
