//! Messages that are packed, unpacked up to a size and no further.

use crate::failure::Failure;
use std::io::Read;
use tonic::codegen::http::HeaderMap;

/// How far back a packed message may refer, as a power of two: what packs better than this would make us keep 128 MiB.
const WINDOW: u32 = 23;

/// How messages are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// Takes it out of the metadata of a call, so that nobody unpacks a second time. One that we do not know stays, and
    /// is refused by tonic.
    pub(crate) fn take(headers: &mut HeaderMap) -> Option<Self> {
        let packing = match headers.get("grpc-encoding")?.as_bytes() {
            b"gzip" => Self::Gzip,
            b"zstd" => Self::Zstd,
            _ => return None,
        };
        headers.remove("grpc-encoding");
        Some(packing)
    }

    /// Unpacks to the end of `message`; whether it is at most so many bytes.
    pub(crate) fn unpack(
        self,
        packed: &[u8],
        most: usize,
        message: &mut Vec<u8>,
    ) -> Result<bool, Failure> {
        let before = message.len();
        let one_more = most as u64 + 1;
        let read = match self {
            Self::Gzip => flate2::read::GzDecoder::new(packed)
                .take(one_more)
                .read_to_end(message),
            Self::Zstd => {
                zstd::stream::read::Decoder::with_buffer(packed).and_then(|mut unpacked| {
                    unpacked.window_log_max(WINDOW)?;
                    unpacked.take(one_more).read_to_end(message)
                })
            }
        };
        read.map_err(|_| Failure::request("the message", "cannot be unpacked"))?;
        Ok(message.len() - before <= most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn what_is_packed_comes_out_and_what_is_too_much_does_not() {
        let text = b"strata ".repeat(1000);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).unwrap();
        let packed = [
            (Packing::Gzip, gzip.finish().unwrap()),
            (Packing::Zstd, zstd::encode_all(&text[..], 3).unwrap()),
        ];
        for (packing, packed) in packed {
            let unpack = |bytes: &[u8], most| {
                let mut message = Vec::new();
                let fits = packing.unpack(bytes, most, &mut message);
                fits.map(|fits| (fits, message))
            };
            assert_eq!(unpack(&packed, 7000).unwrap(), (true, text.clone()));
            let (fits, begun) = unpack(&packed, 6999).unwrap();
            assert!(!fits && begun.len() == 7000);
            assert!(unpack(&packed[..packed.len() / 2], 7000).is_err());
            assert!(unpack(b"something else", 7000).is_err());
        }
    }
}
