//! The open streams of a connection, found by their number.

use super::flow::{ReceiveWindow, SendWindow};

/// Names a stream in commands. Stream numbers are never used twice on a connection, so the key of a stream that is gone
/// does no harm.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StreamKey(pub(super) u32);

impl StreamKey {
    /// The number of the stream on the wire.
    pub fn id(self) -> u32 {
        self.0
    }
}

/// A stream that is open or half-closed.
#[expect(clippy::struct_excessive_bools, reason = "independent facts; their combinations are the stream states")]
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    /// Its number; 0 in an empty place of the table.
    id: u32,
    /// What the caller calls it.
    pub(super) tag: u32,
    /// How much of the request may go out.
    pub(super) window: SendWindow,
    /// How much of the response came in.
    pub(super) received: ReceiveWindow,
    /// The response head has come: what follows are data and trailers.
    pub(super) answered: bool,
    /// We have sent `END_STREAM`.
    pub(super) sent_end: bool,
    /// The peer has sent `END_STREAM`.
    pub(super) got_end: bool,
    /// A send stopped short, and the caller wants to hear when it may go on.
    pub(super) stopped: bool,
    /// Its number is in the queue of streams that may go on.
    pub(super) queued: bool,
}

impl Stream {
    pub(super) fn new(id: u32, tag: u32, window: u32, sent_end: bool) -> Stream {
        Stream {
            id,
            tag,
            window: SendWindow::new(window),
            received: ReceiveWindow::default(),
            answered: false,
            sent_end,
            got_end: false,
            stopped: false,
            queued: false,
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.id
    }
}

/// A hash table with the streams themselves in it: open addressing, linear probing, at most half full.
///
/// Stream numbers are odd and count up. Multiplied by the golden ratio they spread evenly (consecutive ones in the order
/// of their numbers would stand side by side, and each removal would have to look at all of them), so a look-up is nearly
/// always one comparison. Nothing is allocated while the number of open streams stays below its peak.
pub(super) struct Streams {
    /// A power of two in length, or empty.
    places: Vec<Stream>,
    count: usize,
}

/// The places of the smallest table.
const PLACES_MIN: usize = 16;
/// 2^32 divided by the golden ratio, made odd.
const GOLDEN: u32 = 0x9e37_79b9;

impl Streams {
    pub(super) fn new() -> Streams {
        Streams { places: Vec::new(), count: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn get(&self, id: u32) -> Option<&Stream> {
        self.find(id).map(|place| &self.places[place])
    }

    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut Stream> {
        self.find(id).map(|place| &mut self.places[place])
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Stream> {
        self.places.iter().filter(|stream| stream.id != 0)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Stream> {
        self.places.iter_mut().filter(|stream| stream.id != 0)
    }

    /// Adds a stream whose number is not in the table.
    pub(super) fn insert(&mut self, stream: Stream) {
        if (self.count + 1) * 2 > self.places.len() {
            self.grow();
        }
        let place = self.place_for(stream.id);
        self.places[place] = stream;
        self.count += 1;
    }

    /// Takes a stream out. The streams behind it that were pushed on by it move back, so no gaps remain.
    pub(super) fn remove(&mut self, id: u32) -> Option<Stream> {
        let mut gap = self.find(id)?;
        let removed = self.places[gap];
        let mask = self.places.len() - 1;
        let mut place = gap;
        loop {
            place = (place + 1) & mask;
            let stream = self.places[place];
            if stream.id == 0 {
                break;
            }
            let from_home = place.wrapping_sub(self.home(stream.id)) & mask;
            if from_home >= place.wrapping_sub(gap) & mask {
                self.places[gap] = stream;
                gap = place;
            }
        }
        self.places[gap] = Stream::new(0, 0, 0, false);
        self.count -= 1;
        Some(removed)
    }

    fn find(&self, id: u32) -> Option<usize> {
        if self.count == 0 || id == 0 {
            return None;
        }
        let place = self.place_for(id);
        (self.places[place].id == id).then_some(place)
    }

    /// The place of this number, or the empty one where it would be. The table must not be empty.
    fn place_for(&self, id: u32) -> usize {
        let mask = self.places.len() - 1;
        let mut place = self.home(id);
        while self.places[place].id != id && self.places[place].id != 0 {
            place = (place + 1) & mask;
        }
        place
    }

    fn home(&self, id: u32) -> usize {
        // The product's high bits depend on all bits of the number; the table has at most 2^31 places.
        let spread = u64::from((id >> 1).wrapping_mul(GOLDEN));
        (spread << self.places.len().trailing_zeros() >> 32) as usize
    }

    fn grow(&mut self) {
        let places = (self.places.len() * 2).max(PLACES_MIN);
        let old = std::mem::replace(&mut self.places, vec![Stream::new(0, 0, 0, false); places]);
        for stream in old.into_iter().filter(|stream| stream.id != 0) {
            let place = self.place_for(stream.id);
            self.places[place] = stream;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// The table behaves like a map, also when numbers collide because old streams stay while new ones pass by.
        #[test]
        fn the_table_is_a_map(steps in prop::collection::vec((any::<bool>(), 0u32..200), 0..400)) {
            let (mut streams, mut model) = (Streams::new(), BTreeMap::new());
            for (insert, number) in steps {
                // Few homes for many numbers: collisions are the rule.
                let id = (number % 8 + number / 8 * 64) * 2 + 1;
                if insert && !model.contains_key(&id) {
                    streams.insert(Stream::new(id, number, 1, false));
                    model.insert(id, number);
                } else {
                    prop_assert_eq!(streams.remove(id).map(|stream| stream.tag), model.remove(&id));
                }
                prop_assert_eq!(streams.len(), model.len());
                prop_assert!(streams.places.len() <= PLACES_MIN.max(model.len() * 8).max(1024));
                for (&id, &tag) in &model {
                    prop_assert_eq!(streams.get(id).map(|stream| stream.tag), Some(tag));
                }
                prop_assert_eq!(streams.iter().count(), model.len());
            }
        }
    }
}
