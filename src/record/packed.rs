//! Histograms as bytes that may come from anywhere: whatever they hold, reading them takes the memory of one histogram, and
//! ends in one or in an error.

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;

use super::{COUNT_MAX, HIGHEST_NS};
use crate::units::UnitError;

/// Cookie and length before the deflated part.
const ENVELOPE_LEN: usize = 8;
/// Cookie, length of the counts, offset, digits, lowest, highest, ratio.
const HEADER_LEN: usize = 40;
/// No histogram of ours has more bytes when it is unpacked: its 33 792 counts take nine each at most.
const UNPACKED_MAX: u64 = 320 * 1024;
/// Counts and runs of zeros that take more bytes than this are beyond [`COUNT_MAX`]; the longest would overflow in the
/// library that reads them.
const NUMBER_LEN_MAX: usize = 8;

/// The histogram in the V2 format, deflated, with the bounds of a [`Distribution`](super::Distribution).
pub(super) fn unpack(bytes: &[u8]) -> Result<Histogram<u64>, UnitError> {
    let rule = || UnitError::new("it is an HDR histogram in the V2 format, deflated, as this program writes it");
    let deflated = bytes.get(ENVELOPE_LEN..).ok_or_else(rule)?;
    let mut unpacked = Vec::new();
    ZlibDecoder::new(deflated).take(UNPACKED_MAX).read_to_end(&mut unpacked).map_err(|_| rule())?;
    let (header, counts) = unpacked.split_at_checked(HEADER_LEN).ok_or_else(rule)?;
    let field = |at: usize, len: usize| header[at..at + len].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    if field(4, 4) != counts.len() as u64 {
        return Err(rule());
    }
    let (digits, lowest, highest) = (field(12, 4), field(16, 8), field(24, 8));
    if (digits, lowest, highest) != (3, 1, HIGHEST_NS) {
        return Err(UnitError::new(format!("the histogram has three digits from 1 to {HIGHEST_NS}")));
    }
    if counts.split_inclusive(|byte| byte & 0x80 == 0).any(|number| number.len() > NUMBER_LEN_MAX) {
        return Err(rule());
    }
    let read: Histogram<u64> = Deserializer::new().deserialize(&mut unpacked.as_slice()).map_err(|_| rule())?;
    if read.len() > COUNT_MAX {
        return Err(UnitError::new(format!("the histogram counts at most {COUNT_MAX} values")));
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use proptest::prelude::*;

    use super::super::Distribution;
    use super::*;

    fn packed(values: &[u64]) -> Vec<u8> {
        let mut times = Distribution::new();
        for value in values {
            times.record(*value);
        }
        times.to_hdr_v2()
    }

    /// A histogram with these fields in its header, and these bytes for its counts.
    fn made(counts_len: u32, digits: u32, highest: u64, counts: &[u8]) -> Vec<u8> {
        let mut inner = Vec::new();
        inner.extend(0x1c84_9313_u32.to_be_bytes());
        inner.extend(counts_len.to_be_bytes());
        inner.extend(0u32.to_be_bytes());
        inner.extend(digits.to_be_bytes());
        inner.extend(1u64.to_be_bytes());
        inner.extend(highest.to_be_bytes());
        inner.extend(1f64.to_be_bytes());
        inner.extend(counts);
        let mut deflated = ZlibEncoder::new(Vec::new(), Compression::best());
        deflated.write_all(&inner).unwrap();
        let deflated = deflated.finish().unwrap();
        let mut bytes = 0x1c84_9314_u32.to_be_bytes().to_vec();
        bytes.extend(u32::try_from(deflated.len()).unwrap().to_be_bytes());
        bytes.extend(deflated);
        bytes
    }

    #[test]
    fn reads_what_it_should_and_nothing_else() {
        assert_eq!(unpack(&made(2, 3, HIGHEST_NS, &[0, 2])).unwrap().len(), 1);
        for (what, bytes) in [
            ("nothing", Vec::new()),
            ("no zlib", vec![0; 100]),
            ("a length that would take 4 GB", made(u32::MAX, 3, HIGHEST_NS, &[0, 2])),
            ("five digits", made(2, 5, HIGHEST_NS, &[0, 2])),
            ("other bounds", made(2, 3, u64::MAX / 4, &[0, 2])),
            ("the number that cannot be negated", made(9, 3, HIGHEST_NS, &[0xff; 9])),
            ("more counts than there are buckets", made(40_000, 3, HIGHEST_NS, &[2; 40_000])),
            ("a bomb", made(30 << 20, 3, HIGHEST_NS, &vec![0; 30 << 20])),
            ("too many values", made(8, 3, HIGHEST_NS, &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f])),
        ] {
            assert!(unpack(&bytes).is_err(), "{what}");
        }
    }

    proptest! {
        #[test]
        fn any_change_is_read_or_refused(values in prop::collection::vec(any::<u64>(), 0..40), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6)) {
            let mut bytes = packed(&values);
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            let _ = unpack(&bytes);
        }

        #[test]
        fn any_counts_are_read_or_refused(counts in prop::collection::vec(prop_oneof![Just(0xffu8), any::<u8>()], 0..200)) {
            let _ = unpack(&made(u32::try_from(counts.len()).unwrap(), 3, HIGHEST_NS, &counts));
        }
    }
}
