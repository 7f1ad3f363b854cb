//! Fields to header blocks.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::table::{Name, STATIC, Table};
use super::{huffman, integer};

/// The largest table that we keep for a peer, whatever it offers.
const TABLE_MAX: usize = 4096;

/// A list of fields that is sent again and again.
pub(in crate::wire) struct Head {
    fields: Vec<(Vec<u8>, Vec<u8>)>,
    /// The block of these fields, as long as the table is that of `made_at`.
    block: Vec<u8>,
    made_at: Option<u64>,
}

impl Head {
    pub(in crate::wire) fn new(fields: Vec<(Vec<u8>, Vec<u8>)>) -> Head {
        Head { fields, block: Vec::new(), made_at: None }
    }
}

/// The encoding side of a connection.
///
/// The fields of a [`Head`] enter the table when it is first sent, if there is room; nothing is ever evicted for them. So
/// the table stands still after the first calls, and the block of a head, by then a few references, is made once and
/// copied.
pub(in crate::wire) struct Encoder {
    table: Table<()>,
    /// What is in the table, by the number of its insertion.
    known: Known,
    /// Counts insertions.
    inserted: usize,
    /// Counts the changes of the table.
    version: u64,
    /// Size updates that the next block has to begin with: the smallest size since the last block, and the present one.
    resized: Option<(usize, usize)>,
}

impl Encoder {
    pub(in crate::wire) fn new() -> Encoder {
        Encoder { table: Table::new(TABLE_MAX), known: Known::default(), inserted: 0, version: 0, resized: None }
    }

    /// The peer's `SETTINGS_HEADER_TABLE_SIZE`.
    pub(in crate::wire) fn resize(&mut self, offered: usize) {
        let size = offered.min(TABLE_MAX);
        if size == self.table.limit() {
            return;
        }
        let smallest = self.resized.map_or(size, |(smallest, _)| smallest.min(size));
        self.resized = Some((smallest, size));
        self.table.resize(size);
        self.known = Known::default();
        let newest_first: Vec<_> = self.table.iter().zip((0..self.inserted).rev()).collect();
        for ((name, value), number) in newest_first.into_iter().rev() {
            self.known.add(name, value, number);
        }
        self.version += 1;
    }

    /// Appends the block of `head` to `out`.
    pub(in crate::wire) fn append_head(&mut self, head: &mut Head, out: &mut Vec<u8>) {
        if let Some((smallest, size)) = self.resized.take() {
            if smallest < size {
                integer::write(out, 0x20, 5, smallest);
            }
            integer::write(out, 0x20, 5, size);
        }
        if head.made_at == Some(self.version) {
            out.extend_from_slice(&head.block);
            return;
        }
        let (start, version) = (out.len(), self.version);
        for (name, value) in &head.fields {
            self.append(name, value, out);
        }
        // A block that inserted something must not be sent twice; the next one will have it as references.
        if self.version == version {
            head.block.clear();
            head.block.extend_from_slice(&out[start..]);
            head.made_at = Some(version);
        }
    }

    fn append(&mut self, name: &[u8], value: &[u8], out: &mut Vec<u8>) {
        let (exact, named) = STATIC_KNOWN.find(name, value);
        let (exact_dynamic, named_dynamic) = self.known.find(name, value);
        let of_static = |place: usize| place + 1;
        let of_dynamic = |number: usize| STATIC.len() + self.inserted - number;
        if let Some(index) = exact.map(of_static).or(exact_dynamic.map(of_dynamic)) {
            integer::write(out, 0x80, 7, index);
            return;
        }
        let index = named.map(of_static).or(named_dynamic.map(of_dynamic)).unwrap_or(0);
        let room = self.table.has_room(name, value);
        let (pattern, bits) = if room { (0x40, 6) } else { (0x00, 4) };
        integer::write(out, pattern, bits, index);
        if index == 0 {
            string(name, out);
        }
        string(value, out);
        if room {
            self.table.insert(Name::Given(name), value, ());
            self.known.add(name, value, self.inserted);
            self.inserted += 1;
            self.version += 1;
        }
    }
}

/// The fields of a table with their numbers: one look-up for each field of a head, however many the table has.
#[derive(Default)]
struct Known {
    names: HashMap<Vec<u8>, Named>,
}

/// The fields of a name.
struct Named {
    /// The last that was added.
    last: usize,
    values: HashMap<Vec<u8>, usize>,
}

/// The static table, by places.
static STATIC_KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let mut known = Known::default();
    // The first field of a name is the last that is added.
    for (place, (name, value)) in STATIC.iter().enumerate().rev() {
        known.add(name, value, place);
    }
    known
});

impl Known {
    fn add(&mut self, name: &[u8], value: &[u8], number: usize) {
        let named = self.names.entry(name.to_vec()).or_insert_with(|| Named { last: number, values: HashMap::new() });
        named.last = number;
        named.values.insert(value.to_vec(), number);
    }

    /// The number of the field with this name and value, and that of one with this name.
    fn find(&self, name: &[u8], value: &[u8]) -> (Option<usize>, Option<usize>) {
        let Some(named) = self.names.get(name) else { return (None, None) };
        (named.values.get(value).copied(), Some(named.last))
    }
}

/// Appends a field that no table keeps. Its bytes go out as they are: it is sent once, and coding it would cost more
/// time than it saves on the wire.
pub(in crate::wire) fn append_literal(name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.push(0x00);
    integer::write(out, 0x00, 7, name.len());
    out.extend_from_slice(name);
    integer::write(out, 0x00, 7, value.len());
    out.extend_from_slice(value);
}

fn string(text: &[u8], out: &mut Vec<u8>) {
    let coded = huffman::coded_len(text);
    if coded < text.len() {
        integer::write(out, 0x80, 7, coded);
        huffman::encode(text, out);
    } else {
        integer::write(out, 0x00, 7, text.len());
        out.extend_from_slice(text);
    }
}
