//! Integers with a prefix (RFC 7541 section 5.1).

use super::BadBlock;

/// The bytes that may follow a prefix: enough for 28 bits, far above any length or index that we accept.
const MORE_MAX: usize = 4;

/// Reads the integer whose prefix is the low `bits` bits of `block[*at]`, and moves `at` behind it.
pub(super) fn read(block: &[u8], at: &mut usize, bits: u32) -> Result<usize, BadBlock> {
    const SHORT: BadBlock = BadBlock("a header block ends within an integer");
    let full = (1usize << bits) - 1;
    let mut value = usize::from(*block.get(*at).ok_or(SHORT)?) & full;
    *at += 1;
    if value < full {
        return Ok(value);
    }
    for step in 0..MORE_MAX {
        let byte = *block.get(*at).ok_or(SHORT)?;
        *at += 1;
        value += usize::from(byte & 0x7f) << (7 * step);
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(BadBlock("an integer in a header block is too large"))
}

/// Writes `value` with a prefix of `bits` bits; `pattern` holds the bits above the prefix.
pub(super) fn write(out: &mut Vec<u8>, pattern: u8, bits: u32, value: usize) {
    let full = (1usize << bits) - 1;
    if value < full {
        out.push(pattern | low_byte(value));
        return;
    }
    out.push(pattern | low_byte(full));
    let mut rest = value - full;
    while rest >= 0x80 {
        out.push(0x80 | low_byte(rest & 0x7f));
        rest >>= 7;
    }
    out.push(low_byte(rest));
}

fn low_byte(value: usize) -> u8 {
    value.to_le_bytes()[0]
}
