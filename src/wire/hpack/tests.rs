//! The examples of RFC 7541 appendix C, what must be refused, and laws of tables and round trips.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::decoder::Decoder;
use super::encoder::{Encoder, Head, append_literal};
use super::table::{Name, OVERHEAD, STATIC, Table};
use super::{BadBlock, integer};

type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn decode(decoder: &mut Decoder, block: &[u8]) -> Result<Pairs, BadBlock> {
    let mut fields = Vec::new();
    decoder.decode(block, &mut |field| fields.push((field.name.to_vec(), field.value.to_vec())))?;
    Ok(fields)
}

fn pairs(fields: &[(&str, &str)]) -> Pairs {
    fields.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec())).collect()
}

/// A block in hexadecimal, its fields, and the size of the table after it.
type Example<'a> = (&'a str, &'a [(&'a str, &'a str)], usize);

/// Decodes blocks one after the other.
fn check(table: usize, blocks: &[Example<'_>]) {
    let mut decoder = Decoder::new(table);
    for (block, fields, size) in blocks {
        assert_eq!(decode(&mut decoder, &hex(block)).unwrap(), pairs(fields), "{block}");
        assert_eq!(decoder.table().size(), *size, "{block}");
    }
}

#[test]
fn appendix_c1_integers() {
    for (value, bits, coded) in
        [(10, 5, &[0x0a_u8][..]), (1337, 5, &[0x1f, 0x9a, 0x0a]), (42, 8, &[0x2a]), (31, 5, &[0x1f, 0])]
    {
        let mut out = Vec::new();
        integer::write(&mut out, 0, bits, value);
        assert_eq!(out, coded);
        let mut at = 0;
        assert_eq!(integer::read(coded, &mut at, bits), Ok(value));
        assert_eq!(at, coded.len());
    }
}

#[test]
fn appendix_c2_kinds_of_fields() {
    let custom = "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572";
    check(4096, &[(custom, &[("custom-key", "custom-header")], 55)]);
    check(4096, &[("040c 2f73 616d 706c 652f 7061 7468", &[(":path", "/sample/path")], 0)]);
    check(4096, &[("1008 7061 7373 776f 7264 0673 6563 7265 74", &[("password", "secret")], 0)]);
    check(4096, &[("82", &[(":method", "GET")], 0)]);
}

const FIRST: &[(&str, &str)] =
    &[(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "www.example.com")];
const SECOND: &[(&str, &str)] = &[
    (":method", "GET"),
    (":scheme", "http"),
    (":path", "/"),
    (":authority", "www.example.com"),
    ("cache-control", "no-cache"),
];
const THIRD: &[(&str, &str)] = &[
    (":method", "GET"),
    (":scheme", "https"),
    (":path", "/index.html"),
    (":authority", "www.example.com"),
    ("custom-key", "custom-value"),
];
const HUFFMAN_REQUESTS: [&str; 3] = [
    "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
    "8286 84be 5886 a8eb 1064 9cbf",
    "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
];

#[test]
fn appendix_c3_and_c4_requests() {
    let plain = [
        ("8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", FIRST, 57),
        ("8286 84be 5808 6e6f 2d63 6163 6865", SECOND, 110),
        ("8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65", THIRD, 164),
    ];
    check(4096, &plain);
    let coded: Vec<_> = plain.iter().zip(HUFFMAN_REQUESTS).map(|(plain, coded)| (coded, plain.1, plain.2)).collect();
    check(4096, &coded);
}

/// The encoder takes the same choices as the appendix.
#[test]
fn appendix_c4_encoded() {
    let mut encoder = Encoder::new();
    for (fields, block) in [FIRST, SECOND, THIRD].iter().zip(HUFFMAN_REQUESTS) {
        let mut out = Vec::new();
        encoder.append_head(&mut Head::new(pairs(fields)), &mut out);
        assert_eq!(out, hex(block));
    }
}

/// As many fields as a run may have, also of one name: what is found in the tables is found whatever else there is.
#[test]
fn a_hundred_thousand_fields() {
    let numbered = |name: fn(usize) -> String| -> Pairs {
        (0..100_000).map(|n| (name(n).into_bytes(), format!("v{n}").into_bytes())).collect()
    };
    for fields in [numbered(|n| format!("x-{n}")), numbered(|_| "x".to_owned())] {
        let (mut encoder, mut decoder, mut head) = (Encoder::new(), Decoder::new(4096), Head::new(fields.clone()));
        let mut lengths = Vec::new();
        for size in [None, None, None, Some(500), None] {
            if let Some(size) = size {
                encoder.resize(size);
            }
            let mut block = Vec::new();
            encoder.append_head(&mut head, &mut block);
            assert!(decode(&mut decoder, &block).unwrap() == fields);
            lengths.push(block.len());
        }
        assert!(lengths[1] < lengths[0] && lengths[2] == lengths[1], "{lengths:?}");
        assert!(lengths[4] > lengths[1], "fewer fields are in a smaller table: {lengths:?}");
    }
}

#[test]
fn appendix_c5_and_c6_responses_with_eviction() {
    let date = ("date", "Mon, 21 Oct 2013 20:13:21 GMT");
    let later = ("date", "Mon, 21 Oct 2013 20:13:22 GMT");
    let (private, location) = (("cache-control", "private"), ("location", "https://www.example.com"));
    let first = [(":status", "302"), private, date, location];
    let second = [(":status", "307"), private, date, location];
    let cookie = ("set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1");
    let third = [(":status", "200"), private, later, location, ("content-encoding", "gzip"), cookie];
    let plain = [
        "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d
         546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "4803 3330 37c1 c0bf",
        "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f
         6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b
         2076 6572 7369 6f6e 3d31",
    ];
    let coded = [
        "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7
         8f0b 97c8 e9ae 82ae 43d3",
        "4883 640e ffc1 c0bf",
        "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335
         dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
    ];
    for blocks in [plain, coded] {
        check(256, &[(blocks[0], &first, 222), (blocks[1], &second, 222), (blocks[2], &third, 215)]);
    }
}

#[test]
fn bad_blocks_are_refused() {
    for (block, reason) in [
        ("80", "a field with index 0"),
        ("be", "a field with an index beyond the table"),
        ("ff8001", "a field with an index beyond the table"),
        ("7f00 0161", "a name with an index beyond the table"),
        ("40", "a header block ends within an integer"),
        ("ff", "a header block ends within an integer"),
        ("ff80", "a header block ends within an integer"),
        ("ffff ffff ffff ff01", "an integer in a header block is too large"),
        ("ff80 8080 8000", "an integer in a header block is too large"),
        ("4001", "a header block ends within a string"),
        ("4001 6105 6162", "a header block ends within a string"),
        ("4001 617f ffff ff7f", "a header block ends within a string"),
        ("4001 6182 ffff", "bad padding of a Huffman string"),
        ("3fe2 1f", "a table size update above what we announced"),
        ("8220", "a table size update after a field"),
    ] {
        assert_eq!(decode(&mut Decoder::new(4096), &hex(block)), Err(BadBlock(reason)), "{block}");
    }
}

#[test]
fn the_peer_may_use_a_smaller_table_and_grow_it_again() {
    let mut decoder = Decoder::new(4096);
    decode(&mut decoder, &hex("4001 6101 62")).unwrap();
    assert_eq!(decoder.table().size(), 34);
    // Size 0, then 4096: the entry is gone.
    assert_eq!(decode(&mut decoder, &hex("20 3fe1 1f 82")).unwrap(), pairs(&[(":method", "GET")]));
    assert_eq!((decoder.table().size(), decoder.table().limit()), (0, 4096));
    assert!(decode(&mut decoder, &hex("be")).is_err());
}

/// RFC 7541 section 4.4: the name may stand in an entry that is evicted for the new one.
#[test]
fn a_name_outlives_its_entry() {
    let mut table: Table<()> = Table::new(80);
    table.insert(Name::Given(b"name-of-some-length"), b"1", ());
    for value in [&b"22222"[..], b"3", b"44444444444"] {
        table.insert(Name::Dynamic(0), value, ());
        assert_eq!(table.iter().collect::<Vec<_>>(), [(&b"name-of-some-length"[..], value)]);
    }
    table.insert(Name::Dynamic(0), &[b'x'; 80], ());
    assert_eq!((table.iter().count(), table.size()), (0, 0));
}

/// An encoder that takes each of its choices by chance: what to index, what to code, how large the table is.
pub(in crate::wire) struct RandomEncoder {
    table: Table<()>,
    announced: usize,
}

impl RandomEncoder {
    /// An encoder for a decoder that announced this table size before the first block.
    pub(in crate::wire) fn new(announced: usize) -> RandomEncoder {
        RandomEncoder { table: Table::new(announced.min(4096)), announced }
    }

    pub(in crate::wire) fn block(&mut self, fields: &[(Vec<u8>, Vec<u8>)], random: &mut fastrand::Rng) -> Vec<u8> {
        let mut out = Vec::new();
        if random.u8(..20) == 0 {
            let size = random.usize(..=self.announced);
            integer::write(&mut out, 0x20, 5, size);
            self.table.resize(size);
        }
        for (name, value) in fields {
            self.field(name, value, random, &mut out);
        }
        out
    }

    fn field(&mut self, name: &[u8], value: &[u8], random: &mut fastrand::Rng, out: &mut Vec<u8>) {
        let known = STATIC.iter().copied().chain(self.table.iter());
        let places: Vec<(usize, bool)> = (1..)
            .zip(known)
            .filter(|(_, field)| field.0 == name)
            .map(|(index, field)| (index, field.1 == value))
            .collect();
        let exact = places.iter().find(|(_, exact)| *exact);
        if let (Some((index, _)), true) = (exact, random.u8(..8) > 0) {
            integer::write(out, 0x80, 7, *index);
            return;
        }
        let (pattern, bits) = [(0x40, 6), (0x40, 6), (0x00, 4), (0x10, 4)][random.usize(..4)];
        let index = if places.is_empty() || random.u8(..4) == 0 { 0 } else { places[random.usize(..places.len())].0 };
        integer::write(out, pattern, bits, index);
        if index == 0 {
            string(name, random, out);
        }
        string(value, random, out);
        if pattern == 0x40 {
            match index.checked_sub(STATIC.len() + 1) {
                Some(place) => self.table.insert(Name::Dynamic(place), value, ()),
                None => self.table.insert(Name::Given(name), value, ()),
            }
        }
    }
}

fn string(text: &[u8], random: &mut fastrand::Rng, out: &mut Vec<u8>) {
    if random.bool() {
        integer::write(out, 0x80, 7, super::huffman::coded_len(text));
        super::huffman::encode(text, out);
    } else {
        integer::write(out, 0x00, 7, text.len());
        out.extend_from_slice(text);
    }
}

/// What a table of fields does, in the plainest form.
struct Model {
    entries: VecDeque<(Vec<u8>, Vec<u8>)>,
    limit: usize,
}

impl Model {
    fn size(&self) -> usize {
        self.entries.iter().map(|(name, value)| name.len() + value.len() + OVERHEAD).sum()
    }

    fn insert(&mut self, name: Vec<u8>, value: Vec<u8>) {
        self.entries.push_front((name, value));
        self.evict();
    }

    fn evict(&mut self) {
        while self.size() > self.limit {
            self.entries.pop_back();
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<u8>, Vec<u8>),
    Renew(usize, Vec<u8>),
    Resize(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..60);
    prop_oneof![
        8 => (bytes(), bytes()).prop_map(|(name, value)| Step::Insert(name, value)),
        8 => (0usize..10, bytes()).prop_map(|(place, value)| Step::Renew(place, value)),
        1 => (0usize..300).prop_map(Step::Resize),
    ]
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "[a-z0-9/:._-]{0,20}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..40),
        1 => prop::sample::select(vec![":method", "POST", "te", ":path", "content-type"]).prop_map(|s| s.as_bytes().to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_table_is_a_queue_with_a_size(steps in prop::collection::vec(step(), 1..100), limit in 0usize..300) {
        let mut table: Table<usize> = Table::new(limit);
        let mut model = Model { entries: VecDeque::new(), limit };
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Insert(name, value) => {
                    table.insert(Name::Given(&name), &value, number);
                    model.insert(name, value);
                }
                Step::Renew(place, value) => {
                    let Some((name, _)) = model.entries.get(place).cloned() else { continue };
                    table.insert(Name::Dynamic(place), &value, number);
                    model.insert(name, value);
                }
                Step::Resize(limit) => {
                    table.resize(limit);
                    model.limit = limit;
                    model.evict();
                }
            }
            prop_assert_eq!(table.size(), model.size());
            let entries: Vec<_> = table.iter().map(|(name, value)| (name.to_vec(), value.to_vec())).collect();
            prop_assert_eq!(entries, Vec::from(model.entries.clone()));
            prop_assert!(table.footprint() <= 4096);
        }
    }

    /// Heads sent again and again, with size changes in between, arrive as they are.
    #[test]
    fn what_is_encoded_is_decoded(
        heads in prop::collection::vec(prop::collection::vec((text(), text()), 0..8), 1..4),
        sent in prop::collection::vec((any::<prop::sample::Index>(), prop::option::weighted(0.1, 0usize..600)), 1..40),
        extra in (text(), text()),
    ) {
        let mut encoder = Encoder::new();
        let mut decoder = Decoder::new(4096);
        let mut known: Vec<Head> = heads.iter().cloned().map(Head::new).collect();
        for (which, resize) in sent {
            if let Some(size) = resize {
                encoder.resize(size);
            }
            let which = which.index(heads.len());
            let mut block = Vec::new();
            encoder.append_head(&mut known[which], &mut block);
            append_literal(&extra.0, &extra.1, &mut block);
            let mut expected = heads[which].clone();
            expected.push(extra.clone());
            prop_assert_eq!(decode(&mut decoder, &block).unwrap(), expected);
            if let Some(size) = resize {
                prop_assert!(decoder.table().limit() <= size);
            }
        }
    }

    /// Blocks of any encoder, with entries evicted and names taken from entries that are about to be.
    #[test]
    fn what_others_encode_is_decoded(
        seed in any::<u64>(),
        announced in 0usize..400,
        blocks in prop::collection::vec(prop::collection::vec((text(), text()), 0..6), 1..30),
    ) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut encoder = RandomEncoder::new(announced);
        let mut decoder = Decoder::new(announced);
        for fields in blocks {
            let block = encoder.block(&fields, &mut random);
            prop_assert_eq!(decode(&mut decoder, &block).unwrap(), fields);
            prop_assert_eq!(decoder.table().size(), encoder.table.size());
        }
    }

    #[test]
    fn any_text_survives_the_huffman_code(text in prop::collection::vec(any::<u8>(), 0..200)) {
        let (mut coded, mut back) = (Vec::new(), Vec::new());
        super::huffman::encode(&text, &mut coded);
        prop_assert_eq!(coded.len(), super::huffman::coded_len(&text));
        super::huffman::decode(&coded, &mut back).unwrap();
        prop_assert_eq!(back, text);
    }

    /// Nothing panics, nothing grows beyond the table and the scratch of one block.
    #[test]
    fn any_bytes_are_a_block_or_refused(blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 1..40)) {
        let mut decoder = Decoder::new(300);
        for block in blocks {
            let _ = decode(&mut decoder, &block);
            prop_assert!(decoder.table().size() <= 300);
            prop_assert!(decoder.footprint() <= 4096);
        }
    }
}
