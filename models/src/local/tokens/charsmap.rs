//! SentencePiece's table of clean-ups, checked before the library walks it: it is a trie in an array with its
//! answers behind, and the library follows whatever places stand in it.
//!
//! ```text
//! [bytes of the trie: 4 LE][units: 4 LE each][answers: UTF-8, each ended by a zero]
//! ```

use tokenizers::normalizers::Precompiled;

/// XLM-R's has 0.3 MB.
const MOST_BYTES: usize = 4 << 20;

/// The table behind this base64, if every place that any text can lead to is inside it.
pub(super) fn read(base64: &str) -> Result<Precompiled, String> {
    let map = decode(base64).ok_or("precompiled_charsmap is no base64")?;
    if map.len() > MOST_BYTES {
        return Err(format!("precompiled_charsmap has {} bytes", map.len()));
    }
    if !sound(&map) {
        return Err("precompiled_charsmap leads out of itself".to_owned());
    }
    Precompiled::from(&map).map_err(|error| error.to_string())
}

fn decode(base64: &str) -> Option<Vec<u8>> {
    let digits = base64.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for four in digits.chunks(4) {
        let mut bits = 0u32;
        for digit in four {
            let digit = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(digit);
        }
        bits <<= 6 * (4 - four.len());
        // Two digits are one byte, three are two, four are three.
        bytes.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    Some(bytes)
}

/// Whether a walk by any bytes stays inside the array, and every answer is inside the answers.
fn sound(map: &[u8]) -> bool {
    let Some((length, rest)) = map.split_first_chunk::<4>() else {
        return false;
    };
    let length = u32::from_le_bytes(*length) as usize / 4 * 4;
    let Some((units, answers)) = rest.split_at_checked(length) else {
        return false;
    };
    let units: Vec<usize> = units
        .as_chunks::<4>()
        .0
        .iter()
        .map(|unit| u32::from_le_bytes(*unit) as usize)
        .collect();
    let Ok(answers) = std::str::from_utf8(answers) else {
        return false;
    };
    let Some(root) = units.first() else {
        return false;
    };
    let mut seen = vec![false; units.len()];
    let mut nodes = vec![offset(*root)];
    while let Some(node) = nodes.pop() {
        // Whatever the next byte is, its unit is in the same 256.
        if node | 0xff >= units.len() {
            return false;
        }
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        for byte in 1..=255 {
            let unit = units[node ^ byte];
            // The highest bit marks an answer, which is no way on.
            if unit & (1 << 31 | 0xff) != byte {
                continue;
            }
            let next = node ^ byte ^ offset(unit);
            if unit >> 8 & 1 == 1 {
                let Some(answer) = units.get(next) else {
                    return false;
                };
                let answer = answer & ((1 << 31) - 1);
                // Ends are zeros, which are letters of their own.
                if !answers.is_char_boundary(answer) {
                    return false;
                }
            }
            nodes.push(next);
        }
    }
    true
}

/// Where the units of a unit's next bytes are, relative to it.
fn offset(unit: usize) -> usize {
    (unit >> 10) << ((unit & 1 << 9) >> 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One rule: `a` becomes `bc`.
    fn map() -> Vec<u8> {
        let mut units = vec![0u32; 512];
        // The root: what follows it is at 256.
        units[0] = 1 << 9 | 1 << 10;
        let a = 256 ^ usize::from(b'a');
        // Behind `a` stands an answer, in the unit at 256 ^ 'a' ^ 'a' = 256.
        units[a] = u32::from(b'a') | 1 << 8 | u32::from(b'a') << 10;
        units[256] = 1 << 31;
        let mut map = (units.len() as u32 * 4).to_le_bytes().to_vec();
        map.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        map.extend(b"bc\0");
        map
    }

    fn encode(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let digit = |three: &[u8], place: usize| -> char {
            let bits = three
                .iter()
                .enumerate()
                .map(|(at, byte)| u32::from(*byte) << (16 - 8 * at))
                .sum::<u32>();
            DIGITS[(bits >> (18 - 6 * place)) as usize & 63].into()
        };
        let chunks = bytes.chunks(3).map(|three| -> String {
            let digits = (0..=three.len()).map(|place| digit(three, place));
            digits
                .chain("==".chars().skip(three.len() - 1))
                .take(4)
                .collect()
        });
        chunks.collect()
    }

    #[test]
    fn a_sound_table_does_what_it_says() {
        assert_eq!(encode(b"any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw==");
        let map = read(&encode(&map())).unwrap();
        assert_eq!(map.normalize_string("xay"), "xbcy");
        assert!(read("!").is_err() && read("").is_err());
    }

    #[test]
    fn no_table_that_is_accepted_can_be_walked_out_of() {
        let sound = map();
        let mut random = fastrand::Rng::with_seed(4);
        let mut accepted = 0;
        for _ in 0..5000 {
            let mut map = sound.clone();
            for _ in 0..random.usize(1..6) {
                // The units that say something, and some others.
                let at = match random.u8(0..4) {
                    0 => random.usize(0..8),
                    1 => 4 * (256 + random.usize(0..128)) + random.usize(0..8),
                    _ => random.usize(0..map.len()),
                };
                map[at] = random.u8(..);
            }
            if let Ok(map) = read(&encode(&map)) {
                accepted += 1;
                for byte in 0..=255u8 {
                    let text: String = [char::from(byte), 'a', char::from(byte)].iter().collect();
                    let _ = map.normalize_string(&text);
                }
            }
        }
        assert!((100..4900).contains(&accepted), "{accepted}");
    }
}
