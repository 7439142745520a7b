//! What properties hold, described by a few numbers: a model keeps many of them, and only whoever
//! stores or compares one makes it.

use super::names::{
    DIMENSIONS, EMBEDDING, FLAGS, KEY, MARK, MEANING, NAME, PROPERTIES, RANK, RANKS, SHORT_NAMES,
    TEXT, WEIGHT,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use stratigraph::{Value, Vector};

/// The properties of a node or a relationship.
pub(super) type Properties = BTreeMap<&'static str, Content>;

/// Text and vectors that are longer than this are shown by a hash.
const SHOWN: usize = 40;

/// One value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Int(i64),
    Float(u32),
    Bool(bool),
    /// One of the short names.
    Name(usize),
    /// So many random characters.
    Text {
        seed: u64,
        characters: u32,
    },
    Bytes {
        seed: u64,
        length: u32,
    },
    Vector {
        seed: u64,
        dimension: u32,
    },
    /// A list of so many short texts.
    List {
        seed: u64,
        length: u32,
    },
}

impl Content {
    /// What a property of that name may hold.
    pub(super) fn draw(property: &str, rng: &mut fastrand::Rng) -> Self {
        match property {
            RANK | WEIGHT => Self::Int(rng.i64(..RANKS)),
            NAME => Self::Name(rng.usize(..SHORT_NAMES.len())),
            // In place, apart, and now and then of several blocks.
            TEXT => Self::Text {
                seed: rng.u64(..),
                characters: match rng.u8(..20) {
                    0..8 => rng.u32(..300),
                    8..19 => rng.u32(300..3000),
                    _ => rng.u32(8000..20_000),
                },
            },
            EMBEDDING => Self::Vector {
                seed: rng.u64(..),
                dimension: [3, 32, 32, 96][rng.usize(..4)],
            },
            MEANING => Self::Vector {
                seed: rng.u64(..),
                dimension: DIMENSIONS,
            },
            _ => match rng.u8(..4) {
                0 => Self::Bool(rng.bool()),
                1 => Self::Float(rng.u32(..)),
                2 => Self::Bytes {
                    seed: rng.u64(..),
                    length: rng.u32(..1500),
                },
                _ => Self::List {
                    seed: rng.u64(..),
                    length: rng.u32(..5),
                },
            },
        }
    }

    /// The value itself.
    pub(super) fn value(self) -> Value {
        match self {
            Self::Int(number) => number.into(),
            Self::Float(number) => f64::from(number).sqrt().into(),
            Self::Bool(value) => value.into(),
            Self::Name(at) => SHORT_NAMES[at].into(),
            Self::Text { seed, characters } => {
                text(&mut fastrand::Rng::with_seed(seed), characters).into()
            }
            Self::Bytes { seed, length } => {
                let mut bytes = vec![0; length as usize];
                fastrand::Rng::with_seed(seed).fill(&mut bytes);
                Value::bytes(bytes)
            }
            Self::Vector { seed, dimension } => {
                let mut rng = fastrand::Rng::with_seed(seed);
                let numbers: Vec<f32> = (0..dimension).map(|_| rng.f32() * 2.0 - 1.0).collect();
                Vector::new(numbers).map_or(Value::Null, Value::Vector)
            }
            Self::List { seed, length } => {
                let mut rng = fastrand::Rng::with_seed(seed);
                let texts: Vec<String> = (0..length).map(|_| text(&mut rng, 6)).collect();
                texts.into()
            }
        }
    }
}

/// Half of it repeats itself, as text does, and compresses well.
fn text(rng: &mut fastrand::Rng, characters: u32) -> String {
    const LETTERS: [char; 16] = [
        'a', 'e', 'i', 'n', 'r', 's', 't', ' ', ' ', 'd', 'é', 'ß', '漢', '\n', '"', '🌍',
    ];
    if rng.bool() {
        let word: String = (0..7).map(|_| LETTERS[rng.usize(..16)]).collect();
        return word.chars().cycle().take(characters as usize).collect();
    }
    (0..characters).map(|_| LETTERS[rng.usize(..16)]).collect()
}

/// A value in words, exactly: two that differ in anything look different.
pub(super) fn show(value: &Value) -> String {
    match value {
        Value::String(text) if text.len() > SHOWN => {
            let begin: String = text.chars().take(8).collect();
            let (length, hash) = (text.len(), hash(text.bytes()));
            format!("{begin:?}.. of {length} bytes, {hash:016x}")
        }
        Value::Bytes(bytes) if bytes.len() > SHOWN => {
            format!(
                "{} bytes, {:016x}",
                bytes.len(),
                hash(bytes.iter().copied())
            )
        }
        Value::Vector(vector) => {
            let numbers = vector.as_slice();
            let bits = numbers
                .iter()
                .flat_map(|number| number.to_bits().to_be_bytes());
            format!("vector of {}, {:016x}", numbers.len(), hash(bits))
        }
        value => format!("{value:?}"),
    }
}

/// FNV-1a: nobody here wants to collide.
fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// Named values in words, in the order of their names.
pub(super) fn show_all<'a>(properties: impl IntoIterator<Item = (&'a str, &'a Value)>) -> String {
    let sorted: BTreeMap<&str, &Value> = properties.into_iter().collect();
    let mut words = String::new();
    for (name, value) in sorted {
        // Writing to a string cannot fail.
        let _ = write!(words, "{name}: {}; ", show(value));
    }
    words
}

/// What nodes may have, without what is theirs by right.
pub(super) const OF_NODES: [&str; 6] = [RANK, NAME, TEXT, EMBEDDING, MEANING, FLAGS];
/// What relationships may have.
pub(super) const OF_RELATIONSHIPS: [&str; 5] = [WEIGHT, TEXT, EMBEDDING, MEANING, FLAGS];
const _: () = assert!(PROPERTIES.len() == OF_NODES.len() + [KEY, MARK, WEIGHT].len());
