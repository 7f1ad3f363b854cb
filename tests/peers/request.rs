//! Reads the first header block of a connection (RFC 7541), in which dynamic entries are made and none is used. A second
//! reader beside the one in `wire`, so that a mistake there is not made good here.

/// The Huffman codes of up to eight bits, and those of thirteen: their length, the first code, the characters in order.
const CODES: [(u32, u32, &str); 5] = [
    (5, 0, "012aceiost"),
    (6, 20, " %-./3456789=A_bdfghlmnpru"),
    (7, 92, ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz"),
    (8, 248, "&*,;XZ"),
    (13, 0x1ff8, "\0$@[]~"),
];

/// The fields in order. A field from the static table has its number for a name, but for `:authority` and `:path`.
pub(super) fn fields(mut block: &[u8]) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    while let Some(&first) = block.first() {
        if first & 0x80 != 0 {
            fields.push((format!("#{}", integer(&mut block, 7)), String::new()));
            continue;
        }
        assert_ne!(first & 0xe0, 0x20, "a size update that nobody asked for");
        let name = match integer(&mut block, if first & 0x40 == 0 { 4 } else { 6 }) {
            0 => string(&mut block),
            1 => ":authority".to_owned(),
            4 => ":path".to_owned(),
            number => format!("#{number}"),
        };
        fields.push((name, string(&mut block)));
    }
    fields
}

fn integer(block: &mut &[u8], bits: u32) -> usize {
    let full = (1 << bits) - 1;
    let mut value = usize::from(next(block)) & full;
    let mut shift = 0;
    while value >= full {
        let byte = next(block);
        value += usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}

fn next(block: &mut &[u8]) -> u8 {
    let (first, rest) = block.split_first().expect("the block is whole");
    *block = rest;
    *first
}

fn string(block: &mut &[u8]) -> String {
    let coded = block[0] & 0x80 != 0;
    let length = integer(block, 7);
    let (bytes, rest) = block.split_at(length);
    *block = rest;
    if coded { huffman(bytes) } else { String::from_utf8(bytes.to_vec()).unwrap() }
}

fn huffman(coded: &[u8]) -> String {
    let bits = coded.iter().flat_map(|byte| (0..8).rev().map(move |bit| u32::from(byte >> bit & 1)));
    let (mut text, mut code, mut length) = (String::new(), 0, 0);
    for bit in bits {
        (code, length) = (code << 1 | bit, length + 1);
        let row = CODES.iter().find(|(bits, first, _)| *bits == length && code >= *first);
        if let Some(character) = row.and_then(|(_, first, row)| row.chars().nth((code - first) as usize)) {
            text.push(character);
            (code, length) = (0, 0);
        }
    }
    assert!(length < 8 && code == (1 << length) - 1, "padding of ones after `{text}`");
    text
}
