//! Reads arbitrary bytes as a run of varints; what reads must be what we would write.
//!
//! Input: the varints themselves. Next: `engine/src/codec/varint.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stratigraph::codec::varint;

fuzz_target!(|data: &[u8]| {
    let mut rest = data;
    let mut again = Vec::new();
    while let Ok((value, after)) = varint::read_u64(rest) {
        assert!(rest.len() - after.len() <= varint::MAX_BYTES);
        varint::write_u64(&mut again, value);

        let (signed, after_signed) = varint::read_i64(rest).expect("it just read as unsigned");
        assert_eq!(after_signed, after);
        let mut signed_again = Vec::new();
        varint::write_i64(&mut signed_again, signed);
        assert!(rest.starts_with(&signed_again));

        rest = after;
    }
    again.extend_from_slice(rest);
    assert_eq!(again, data, "decoding then encoding changed the bytes");
});
