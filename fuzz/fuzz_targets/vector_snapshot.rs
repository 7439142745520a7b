//! Loads a vector index from bytes: as they are, and as changes to a real snapshot whose checksums are
//! mended, so that what is behind them is reached. What loads is searched.
//!
//! Input: a byte that chooses the coding, then edits of five bytes, a place and what is put there. Next:
//! `engine/vector/src/snapshot/load.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Cursor;
use std::sync::OnceLock;
use stratigraph_vector::{Coding, Effort, Index, Metric, Query, Settings};
use xxhash_rust::xxh3::xxh3_64;

const DIMENSIONS: usize = 5;
const CODINGS: [Coding; 3] = [Coding::Halves, Coding::Bytes, Coding::Whole];

fn settings(coding: Coding) -> Settings {
    Settings::new(DIMENSIONS, Metric::Euclidean)
        .coding(coding)
        .links(4)
        .memory_limit(4 << 20)
}

/// A real snapshot, with the length of each of its parts.
fn real(coding: usize) -> &'static (Vec<u8>, Vec<usize>) {
    static REAL: [OnceLock<(Vec<u8>, Vec<usize>)>; 3] = [const { OnceLock::new() }; 3];
    REAL[coding].get_or_init(|| {
        let index = settings(CODINGS[coding]).build().expect("small");
        for id in 0..1200_u64 {
            let number = |at: u64| (id * 31 + at * id * id % 97) as f32 / 100.0;
            let vector: [f32; DIMENSIONS] = std::array::from_fn(|at| number(at as u64));
            index.insert(1 + id, id, &vector).expect("room");
        }
        index.tend(0);
        for id in 0..100 {
            index.remove(2000, id * 7).expect("a later sequence");
        }
        index.tend(2000);
        index.insert(2001, 5000, &[1.0; DIMENSIONS]).expect("room");
        let mut bytes = Vec::new();
        index.save(b"", &mut bytes).expect("memory");
        let mut snapshot = index.snapshot(b"");
        let mut part = Vec::new();
        let mut lengths = Vec::new();
        for number in 0..snapshot.parts() {
            snapshot.part(number, &mut part).expect("memory");
            lengths.push(part.len());
        }
        (bytes, lengths)
    })
}

fn seal(bytes: &mut [u8]) -> u64 {
    let (body, checksum) = bytes
        .split_last_chunk_mut()
        .expect("longer than a checksum");
    let sum = xxh3_64(body);
    *checksum = sum.to_le_bytes();
    sum
}

fn load(coding: usize, bytes: &[u8]) {
    let Ok(index) = Index::load(settings(CODINGS[coding]), b"", &mut Cursor::new(bytes)) else {
        return;
    };
    for effort in [
        Effort::Breadth(20),
        Effort::Breadth(500),
        Effort::Scan,
        Effort::Exact,
    ] {
        let query = [0.5; DIMENSIONS];
        let answer = index
            .search(&Query::new(&query, 10).effort(effort))
            .expect("finite");
        assert!(
            answer
                .hits
                .is_sorted_by(|left, right| left.score <= right.score)
        );
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((coding, edits)) = data.split_first() else {
        return;
    };
    let coding = *coding as usize % CODINGS.len();
    load(coding, edits);
    let (real, parts) = real(coding);
    let mut bytes = real.clone();
    let end = bytes.len();
    let head = parts.iter().sum::<usize>();
    for edit in edits.chunks_exact(5) {
        let place = u32::from_le_bytes([edit[0], edit[1], edit[2], edit[3]]) as usize;
        // Half of the edits go into the head, which is small and decides the most.
        let place = if place % 2 == 0 {
            head + place / 2 % (end - head)
        } else {
            place / 2 % end
        };
        bytes[place] = edit[4];
    }
    let mut start = 0;
    for (part, length) in parts.iter().enumerate() {
        let sum = seal(&mut bytes[start..start + length]);
        start += length;
        let place = end - 16 - 8 * (parts.len() - part);
        bytes[place..place + 8].copy_from_slice(&sum.to_le_bytes());
    }
    seal(&mut bytes[head..end - 8]);
    load(coding, &bytes);
});
