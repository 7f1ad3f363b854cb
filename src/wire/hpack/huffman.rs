//! The Huffman code of RFC 7541 appendix B.
//!
//! The code is canonical: codes of one length are consecutive numbers in the order of their symbols, and each length
//! starts where the one before it ends. So the lengths alone give the whole table, and a code is decoded by comparing
//! it with the first code of each length. Codes of up to eight bits, which is nearly everything that servers send, are
//! found by one look-up.

use super::BadBlock;

/// Bits of the code of each byte, and of the end-of-string symbol (256).
#[rustfmt::skip]
const LENGTHS: [u8; 257] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
];
/// The longest code.
const LONGEST: usize = 30;
/// Codes up to this length are decoded by one look-up.
const SHORT: usize = 8;
const END_OF_STRING: usize = 256;

/// Everything that follows from [`LENGTHS`].
struct Code {
    /// The code of each symbol, right-aligned.
    codes: [u32; 257],
    /// The symbols by length, then by value.
    symbols: [u16; 257],
    /// Where each length starts in `symbols`.
    starts: [usize; LONGEST + 1],
    /// The first code of each length, right-aligned.
    firsts: [u32; LONGEST + 1],
    /// What follows the last code of each length, aligned to the left of 32 bits.
    ends: [u64; LONGEST + 1],
    /// By the next eight bits: the length of the code there (0 if it is longer than eight bits) and its byte.
    short: [(u8, u8); 1 << SHORT],
}

static CODE: Code = Code::derive();

impl Code {
    #[expect(clippy::cast_possible_truncation, reason = "symbols are below 257 and bytes below 256 here")]
    const fn derive() -> Code {
        let mut it = Code {
            codes: [0; 257],
            symbols: [0; 257],
            starts: [0; LONGEST + 1],
            firsts: [0; LONGEST + 1],
            ends: [0; LONGEST + 1],
            short: [(0, 0); 1 << SHORT],
        };
        let (mut code, mut count, mut length) = (0u32, 0, 1);
        while length <= LONGEST {
            it.starts[length] = count;
            it.firsts[length] = code;
            let mut symbol = 0;
            while symbol < LENGTHS.len() {
                if LENGTHS[symbol] as usize == length {
                    it.symbols[count] = symbol as u16;
                    it.codes[symbol] = code;
                    if length <= SHORT {
                        let first = (code as usize) << (SHORT - length);
                        let mut next = first;
                        while next < first + (1 << (SHORT - length)) {
                            it.short[next] = (length as u8, symbol as u8);
                            next += 1;
                        }
                    }
                    count += 1;
                    code += 1;
                }
                symbol += 1;
            }
            it.ends[length] = (code as u64) << (32 - length);
            code <<= 1;
            length += 1;
        }
        it
    }

    /// The symbol that a code of more than eight bits at the left of `next` stands for, and its length.
    fn long(&self, next: u32) -> Option<(usize, usize)> {
        let length = (SHORT + 1..=LONGEST).find(|&length| u64::from(next) < self.ends[length])?;
        let place = (next >> (32 - length)) - self.firsts[length];
        let symbol = self.symbols.get(self.starts[length] + place as usize)?;
        Some((usize::from(*symbol), length))
    }
}

/// Appends what `coded` stands for to `out`.
///
/// The padding must be fewer than eight bits, all of them ones, and the end-of-string symbol must not occur.
pub(super) fn decode(coded: &[u8], out: &mut Vec<u8>) -> Result<(), BadBlock> {
    // The next bits stand at the left of `window`; below them it is zero.
    let (mut window, mut bits) = (0u64, 0usize);
    let mut rest = coded.iter();
    loop {
        while bits <= 56 {
            let Some(byte) = rest.next() else { break };
            window |= u64::from(*byte) << (56 - bits);
            bits += 8;
        }
        if bits == 0 {
            return Ok(());
        }
        let next = u32::try_from(window >> 32).unwrap_or_default();
        let (mut length, byte) = CODE.short[(next >> 24) as usize];
        let mut symbol = usize::from(byte);
        if length == 0 {
            let (found, long) = CODE.long(next).ok_or(BadBlock("a Huffman code that means nothing"))?;
            symbol = found;
            length = long.to_le_bytes()[0];
        }
        let length = usize::from(length);
        if length > bits {
            let ones = !(u64::MAX >> bits);
            return if bits < 8 && window == ones { Ok(()) } else { Err(BadBlock("bad padding of a Huffman string")) };
        }
        if symbol == END_OF_STRING {
            return Err(BadBlock("an end-of-string symbol within a Huffman string"));
        }
        out.push(symbol.to_le_bytes()[0]);
        window <<= length;
        bits -= length;
    }
}

/// How many bytes `text` takes when it is coded.
pub(super) fn coded_len(text: &[u8]) -> usize {
    let bits: usize = text.iter().map(|&byte| usize::from(LENGTHS[usize::from(byte)])).sum();
    bits.div_ceil(8)
}

/// Appends the code of `text` to `out`, padded with ones.
pub(super) fn encode(text: &[u8], out: &mut Vec<u8>) {
    // The last `bits` bits of `pending` are not written yet; fewer than eight between two symbols.
    let (mut pending, mut bits) = (0u64, 0u32);
    for &byte in text {
        let length = u32::from(LENGTHS[usize::from(byte)]);
        pending = pending << length | u64::from(CODE.codes[usize::from(byte)]);
        bits += length;
        while bits >= 8 {
            bits -= 8;
            out.push((pending >> bits).to_le_bytes()[0]);
        }
    }
    if bits > 0 {
        let padded = pending << (8 - bits) | u64::from(0xffu8 >> bits);
        out.push(padded.to_le_bytes()[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_decoded_to_its_symbol_and_ends_with_the_end_of_string() {
        for byte in 0..=255u8 {
            let mut coded = Vec::new();
            encode(&[byte, byte, b'a', byte], &mut coded);
            assert_eq!(coded.len(), coded_len(&[byte, byte, b'a', byte]));
            let mut text = Vec::new();
            decode(&coded, &mut text).unwrap();
            assert_eq!(text, [byte, byte, b'a', byte]);
        }
        assert_eq!(CODE.codes[END_OF_STRING], 0x3fff_ffff);
    }

    /// Some rows of appendix B, one or more of each kind of length.
    #[test]
    fn codes_are_those_of_the_appendix() {
        let rows = [(0, 0x1ff8), (10, 0x3fff_fffc), (b'0', 0), (b'a', 3), (b' ', 0x14), (b':', 0x5c), (b'&', 0xf8)];
        for (byte, code) in rows {
            assert_eq!(CODE.codes[usize::from(byte)], code, "{byte}");
        }
        let rows = [(b'\\', 0x7fff0), (b'~', 0x1ffd), (127, 0xfff_fffc), (195, 0x7_fff1), (249, 0xfff_fffe)];
        for (byte, code) in rows {
            assert_eq!(CODE.codes[usize::from(byte)], code, "{byte}");
        }
    }

    #[test]
    fn bad_padding_and_the_end_of_string_are_refused() {
        let decoded = |coded: &[u8]| decode(coded, &mut Vec::new());
        assert!(decoded(&[]).is_ok());
        // "0" is five zero bits, then three ones are due.
        assert!(decoded(&[0b0000_0111]).is_ok());
        assert!(decoded(&[0b0000_0110]).is_err(), "a zero in the padding");
        assert!(decoded(&[0b0000_0111, 0xff]).is_err(), "eleven bits of padding");
        assert!(decoded(&[0xff]).is_err(), "eight bits of padding");
        assert!(decoded(&[0xff, 0xff, 0xff, 0xff]).is_err(), "the end-of-string symbol");
        assert!(decoded(&[0xff, 0xff, 0xff, 0xfc]).is_err(), "the end-of-string symbol, then zeros");
    }
}
