//! Header blocks to fields.

use super::table::{Name, STATIC, Table};
use super::{BadBlock, huffman, integer};
use crate::wire::field::{Verdict, judge};

/// The size of both tables before any setting arrives (RFC 9113 section 6.5.2).
const FIRST_SIZE: usize = 4096;
/// Scratch buffers above this are given back after the block.
const SCRATCH_KEPT: usize = 8192;

/// A field, lent for the time of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::wire) struct Field<'a> {
    pub(in crate::wire) name: &'a [u8],
    pub(in crate::wire) value: &'a [u8],
    /// What the field is; entries of a table are judged once.
    pub(in crate::wire) verdict: Verdict,
}

/// The decoding side of a connection.
pub(in crate::wire) struct Decoder {
    table: Table<Verdict>,
    /// The largest table that the peer may choose: what we announced.
    announced: usize,
    name: Vec<u8>,
    value: Vec<u8>,
}

/// The verdicts on the static table.
static STATIC_VERDICTS: [Verdict; STATIC.len()] = {
    let mut verdicts = [Verdict::Regular; STATIC.len()];
    let mut place = 0;
    while place < STATIC.len() {
        verdicts[place] = judge(STATIC[place].0, STATIC[place].1);
        place += 1;
    }
    verdicts
};

impl Decoder {
    /// A decoder for a peer to whom `announced` is sent as `SETTINGS_HEADER_TABLE_SIZE` before its first block.
    pub(in crate::wire) fn new(announced: usize) -> Decoder {
        Decoder { table: Table::new(announced.min(FIRST_SIZE)), announced, name: Vec::new(), value: Vec::new() }
    }

    /// Decodes a whole block and calls `on` with its fields in order.
    pub(in crate::wire) fn decode(&mut self, block: &[u8], on: &mut impl FnMut(Field<'_>)) -> Result<(), BadBlock> {
        let mut at = 0;
        let mut at_start = true;
        while let Some(&first) = block.get(at) {
            if first & 0x80 != 0 {
                let index = integer::read(block, &mut at, 7)?;
                on(self.indexed(index)?);
            } else if first & 0xe0 == 0x20 {
                let size = integer::read(block, &mut at, 5)?;
                if !at_start {
                    return Err(BadBlock("a table size update after a field"));
                }
                if size > self.announced {
                    return Err(BadBlock("a table size update above what we announced"));
                }
                self.table.resize(size);
                continue;
            } else {
                let keep = first & 0xc0 == 0x40;
                self.literal(block, &mut at, keep, on)?;
            }
            at_start = false;
        }
        if self.name.capacity() + self.value.capacity() > SCRATCH_KEPT {
            (self.name, self.value) = (Vec::new(), Vec::new());
        }
        Ok(())
    }

    fn indexed(&self, index: usize) -> Result<Field<'_>, BadBlock> {
        if index == 0 {
            return Err(BadBlock("a field with index 0"));
        }
        if let Some(&(name, value)) = STATIC.get(index - 1) {
            return Ok(Field { name, value, verdict: STATIC_VERDICTS[index - 1] });
        }
        let entry = self.table.get(index - 1 - STATIC.len());
        let (name, value, verdict) = entry.ok_or(BadBlock("a field with an index beyond the table"))?;
        Ok(Field { name, value, verdict })
    }

    fn literal(
        &mut self,
        block: &[u8],
        at: &mut usize,
        keep: bool,
        on: &mut impl FnMut(Field<'_>),
    ) -> Result<(), BadBlock> {
        let index = integer::read(block, at, if keep { 6 } else { 4 })?;
        let name = if index == 0 {
            Name::Given(string(block, at, &mut self.name)?)
        } else if let Some((name, _)) = STATIC.get(index - 1) {
            Name::Given(name)
        } else {
            Name::Dynamic(index - 1 - STATIC.len())
        };
        let spelled = match name {
            Name::Given(name) => name,
            Name::Dynamic(place) => self.table.get(place).ok_or(BadBlock("a name with an index beyond the table"))?.0,
        };
        let value = string(block, at, &mut self.value)?;
        let verdict = judge(spelled, value);
        on(Field { name: spelled, value, verdict });
        if keep {
            self.table.insert(name, value, verdict);
        }
        Ok(())
    }

    /// Bytes of memory held.
    #[cfg(any(test, fuzzing))]
    pub(in crate::wire) fn footprint(&self) -> usize {
        self.table.footprint() + self.name.capacity() + self.value.capacity()
    }

    /// Changes what we announced, as a server may do in mid-run.
    #[cfg(test)]
    pub(in crate::wire) fn announce(&mut self, size: usize) {
        self.announced = size;
    }

    /// The size of the table that the peer chose.
    #[cfg(test)]
    pub(in crate::wire) fn chosen(&self) -> usize {
        self.table.limit()
    }

    #[cfg(test)]
    pub(super) fn table(&self) -> &Table<Verdict> {
        &self.table
    }
}

/// A string of the block (RFC 7541 section 5.2), decoded into `scratch` where needed.
fn string<'a>(block: &'a [u8], at: &mut usize, scratch: &'a mut Vec<u8>) -> Result<&'a [u8], BadBlock> {
    let coded = block.get(*at).is_some_and(|first| first & 0x80 != 0);
    let length = integer::read(block, at, 7)?;
    let bytes = block.get(*at..*at + length).ok_or(BadBlock("a header block ends within a string"))?;
    *at += length;
    if !coded {
        return Ok(bytes);
    }
    scratch.clear();
    huffman::decode(bytes, scratch)?;
    Ok(scratch)
}
