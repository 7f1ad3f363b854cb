//! The static table (RFC 7541 appendix A) and the dynamic table (section 2.3.2).

use std::collections::VecDeque;
use std::ops::Range;

/// What each entry counts beside its bytes (RFC 7541 section 4.1).
pub(super) const OVERHEAD: usize = 32;

/// The static table; the index on the wire is one more than the index here.
pub(super) const STATIC: [(&[u8], &[u8]); 61] = [
    (b":authority", b""),
    (b":method", b"GET"),
    (b":method", b"POST"),
    (b":path", b"/"),
    (b":path", b"/index.html"),
    (b":scheme", b"http"),
    (b":scheme", b"https"),
    (b":status", b"200"),
    (b":status", b"204"),
    (b":status", b"206"),
    (b":status", b"304"),
    (b":status", b"400"),
    (b":status", b"404"),
    (b":status", b"500"),
    (b"accept-charset", b""),
    (b"accept-encoding", b"gzip, deflate"),
    (b"accept-language", b""),
    (b"accept-ranges", b""),
    (b"accept", b""),
    (b"access-control-allow-origin", b""),
    (b"age", b""),
    (b"allow", b""),
    (b"authorization", b""),
    (b"cache-control", b""),
    (b"content-disposition", b""),
    (b"content-encoding", b""),
    (b"content-language", b""),
    (b"content-length", b""),
    (b"content-location", b""),
    (b"content-range", b""),
    (b"content-type", b""),
    (b"cookie", b""),
    (b"date", b""),
    (b"etag", b""),
    (b"expect", b""),
    (b"expires", b""),
    (b"from", b""),
    (b"host", b""),
    (b"if-match", b""),
    (b"if-modified-since", b""),
    (b"if-none-match", b""),
    (b"if-range", b""),
    (b"if-unmodified-since", b""),
    (b"last-modified", b""),
    (b"link", b""),
    (b"location", b""),
    (b"max-forwards", b""),
    (b"proxy-authenticate", b""),
    (b"proxy-authorization", b""),
    (b"range", b""),
    (b"referer", b""),
    (b"refresh", b""),
    (b"retry-after", b""),
    (b"server", b""),
    (b"set-cookie", b""),
    (b"strict-transport-security", b""),
    (b"transfer-encoding", b""),
    (b"user-agent", b""),
    (b"vary", b""),
    (b"via", b""),
    (b"www-authenticate", b""),
];

/// A name of the static or the dynamic table, or one that stands in the block.
#[derive(Clone, Copy)]
pub(super) enum Name<'a> {
    /// A place of the dynamic table, 0 for the newest entry.
    Dynamic(usize),
    /// The name itself.
    Given(&'a [u8]),
}

/// A dynamic table. Each entry carries a mark of the owner's.
///
/// The bytes of all entries stand one after the other in one buffer, oldest first. New ones are appended, evicted ones
/// stay where they are until the buffer holds twice what the table may, and then the living ones move to its front: so
/// an insertion costs its own bytes, a field is always one slice, and nothing is allocated once the buffer has grown.
pub(super) struct Table<M> {
    bytes: Vec<u8>,
    /// Newest first. `Entry::start` counts all bytes ever appended; `moved` of them are gone from the front.
    entries: VecDeque<Entry<M>>,
    moved: usize,
    /// The size as RFC 7541 counts it, never above `limit`.
    size: usize,
    limit: usize,
}

#[derive(Clone, Copy)]
struct Entry<M> {
    start: usize,
    name: u32,
    value: u32,
    mark: M,
}

impl<M: Copy> Table<M> {
    pub(super) fn new(limit: usize) -> Table<M> {
        Table { bytes: Vec::new(), entries: VecDeque::new(), moved: 0, size: 0, limit }
    }

    /// The entry at `place`, 0 for the newest: its name, its value and its mark.
    pub(super) fn get(&self, place: usize) -> Option<(&[u8], &[u8], M)> {
        let entry = self.entries.get(place)?;
        let start = entry.start - self.moved;
        let (name, value) = (entry.name as usize, entry.value as usize);
        let (name, value) = self.bytes.get(start..start + name + value)?.split_at(name);
        Some((name, value, entry.mark))
    }

    /// The entries, newest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        (0..self.entries.len()).filter_map(|place| self.get(place)).map(|(name, value, _)| (name, value))
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Bytes of memory held.
    #[cfg(any(test, fuzzing))]
    pub(super) fn footprint(&self) -> usize {
        self.bytes.capacity() + self.entries.capacity() * size_of::<Entry<M>>()
    }

    /// Whether an entry of this size has room beside those that are there.
    pub(super) fn has_room(&self, name: &[u8], value: &[u8]) -> bool {
        self.size + name.len() + value.len() + OVERHEAD <= self.limit
    }

    /// Inserts an entry and evicts the oldest ones as needed. One that is too large for the table empties it, which is
    /// no error (RFC 7541 section 4.4).
    pub(super) fn insert(&mut self, name: Name<'_>, value: &[u8], mark: M) {
        let name_len = match name {
            Name::Given(name) => name.len(),
            Name::Dynamic(place) => self.entries.get(place).map_or(0, |entry| entry.name as usize),
        };
        let length = name_len + value.len();
        if length + OVERHEAD > self.limit {
            self.evict_to(0);
            return;
        }
        if self.bytes.len() + length > 2 * self.limit {
            self.compact();
        }
        let start = self.moved + self.bytes.len();
        // The name is copied before anything is evicted, for it may stand in an entry that has to go.
        match name {
            Name::Given(name) => self.bytes.extend_from_slice(name),
            Name::Dynamic(place) => {
                let range = self.name_range(place);
                self.bytes.extend_from_within(range);
            }
        }
        self.bytes.extend_from_slice(value);
        self.evict_to(self.limit - length - OVERHEAD);
        self.size += length + OVERHEAD;
        let short = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        self.entries.push_front(Entry { start, name: short(name_len), value: short(value.len()), mark });
    }

    /// Changes the largest size and evicts what no longer fits.
    pub(super) fn resize(&mut self, limit: usize) {
        self.limit = limit;
        self.evict_to(limit);
    }

    fn name_range(&self, place: usize) -> Range<usize> {
        self.entries.get(place).map_or(0..0, |entry| {
            let start = entry.start - self.moved;
            start..start + entry.name as usize
        })
    }

    fn evict_to(&mut self, size: usize) {
        while self.size > size {
            let Some(oldest) = self.entries.pop_back() else { break };
            self.size -= oldest.name as usize + oldest.value as usize + OVERHEAD;
        }
    }

    fn compact(&mut self) {
        let gone = self.entries.back().map_or(self.bytes.len(), |oldest| oldest.start - self.moved);
        self.bytes.drain(..gone);
        self.moved += gone;
    }
}
