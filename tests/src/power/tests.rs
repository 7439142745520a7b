//! The disk model on hand-made records.

use super::{Disk, Image, Mode, NodeId, Recording};
use std::collections::BTreeSet;

const ROOT: u64 = 1;
const FILE: u64 = 10;
const MODES: [Mode; 4] = [Mode::SyncedOnly, Mode::Random, Mode::Torn, Mode::Everything];

/// Writes a record as `iolog.c` would.
struct Script(Vec<u8>);

impl Script {
    fn new() -> Script {
        let mut script = Script(Vec::new());
        script.raw(1, &[1], b"", b"");
        script
    }

    fn raw(&mut self, kind: u8, fields: &[u64], name: &[u8], data: &[u8]) -> &mut Script {
        let name_len = u16::try_from(name.len()).unwrap().to_ne_bytes();
        let data_len = u32::try_from(data.len()).unwrap().to_ne_bytes();
        self.0.push(kind);
        self.0.push(u8::try_from(fields.len()).unwrap());
        self.0.extend(name_len);
        self.0.extend(data_len);
        self.0.extend(fields.iter().flat_map(|f| f.to_ne_bytes()));
        self.0.extend(name);
        self.0.extend(data);
        self
    }

    fn create(&mut self, parent: u64, name: &str, node: u64) -> &mut Script {
        self.raw(2, &[parent, node], name.as_bytes(), b"")
    }
    fn mkdir(&mut self, parent: u64, name: &str, node: u64) -> &mut Script {
        self.raw(3, &[parent, node], name.as_bytes(), b"")
    }
    fn unlink(&mut self, parent: u64, name: &str, node: u64) -> &mut Script {
        self.raw(5, &[parent, node], name.as_bytes(), b"")
    }
    fn rename(&mut self, from: (u64, &str), to: (u64, &str), node: u64) -> &mut Script {
        self.raw(6, &[from.0, to.0, node], from.1.as_bytes(), to.1.as_bytes())
    }
    fn write(&mut self, node: u64, offset: u64, data: &[u8]) -> &mut Script {
        self.raw(7, &[node, offset], b"", data)
    }
    fn truncate(&mut self, node: u64, size: u64) -> &mut Script {
        self.raw(8, &[node, size], b"", b"")
    }
    fn allocate(&mut self, node: u64, size: u64) -> &mut Script {
        self.raw(9, &[node, size], b"", b"")
    }
    fn sync_begin(&mut self, sync: u64, node: u64) -> &mut Script {
        self.raw(11, &[sync, node], b"", b"")
    }
    fn sync_end(&mut self, sync: u64, succeeded: bool) -> &mut Script {
        self.raw(12, &[sync, u64::from(succeeded)], b"", b"")
    }
    fn sync(&mut self, sync: u64, node: u64) -> &mut Script {
        self.sync_begin(sync, node).sync_end(sync, true)
    }
    fn done(&mut self) -> Recording {
        Recording::parse(std::mem::take(&mut self.0)).unwrap()
    }
}

/// A file with a durable name and this durable content.
fn durable_file(content: &[u8]) -> Script {
    let mut script = Script::new();
    script.create(ROOT, "f", FILE).write(FILE, 0, content);
    script.raw(15, &[], b"", b"");
    script
}

fn at_end(recording: &Recording, seed: u64, mode: Mode) -> Image {
    recording.image_at(recording.len(), &mut fastrand::Rng::with_seed(seed), mode)
}

/// The contents of "f" over many seeds.
fn contents(recording: &Recording, mode: Mode) -> BTreeSet<Vec<u8>> {
    let images = (0..400).map(|seed| at_end(recording, seed, mode));
    images
        .map(|image| image.file("f").unwrap().to_vec())
        .collect()
}

/// The file names of the root over many seeds.
fn listings(recording: &Recording) -> BTreeSet<String> {
    let images = (0..400).map(|seed| at_end(recording, seed, Mode::Random));
    images
        .map(|image| {
            let paths = image.paths();
            let names: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
            names.join(" ")
        })
        .collect()
}

fn set<const N: usize>(items: [&str; N]) -> BTreeSet<String> {
    items.map(str::to_owned).into()
}

#[test]
fn a_synced_write_stays_and_an_unsynced_one_may_go() {
    let recording = durable_file(b"")
        .write(FILE, 0, b"kept")
        .sync(1, FILE)
        .write(FILE, 4, b"lost")
        .done();
    assert_eq!(
        contents(&recording, Mode::SyncedOnly),
        [b"kept".into()].into()
    );
    assert_eq!(
        contents(&recording, Mode::Everything),
        [b"keptlost".into()].into()
    );
    let random = contents(&recording, Mode::Random);
    let expected: [&[u8]; 3] = [b"kept", b"keptlost", b"kept\0\0\0\0"];
    assert_eq!(random, expected.map(<[u8]>::to_vec).into());
}

#[test]
fn a_sync_covers_only_what_came_before_it_began() {
    let recording = durable_file(b"")
        .write(FILE, 0, b"a")
        .sync_begin(1, FILE)
        .write(FILE, 1, b"b")
        .sync_end(1, true)
        .done();
    assert_eq!(contents(&recording, Mode::SyncedOnly), [b"a".into()].into());
    let before_end = recording.len() - 1;
    let image = recording.image_at(before_end, &mut fastrand::Rng::new(), Mode::SyncedOnly);
    assert_eq!(image.file("f"), Some(&b""[..]), "not before it returned");
}

#[test]
fn a_new_file_needs_a_sync_of_its_directory() {
    let mut script = Script::new();
    script.raw(15, &[], b"", b"");
    script
        .create(ROOT, "f", FILE)
        .write(FILE, 0, b"x")
        .sync(1, FILE);
    let nameless = Script(script.0.clone()).done();
    assert_eq!(listings(&nameless), set(["", "f"]));
    assert!(at_end(&nameless, 0, Mode::SyncedOnly).paths().is_empty());
    let named = script.sync(2, ROOT).done();
    assert_eq!(listings(&named), set(["f"]));
    assert_eq!(contents(&named, Mode::SyncedOnly), [b"x".into()].into());
}

#[test]
fn a_rename_is_old_or_new_and_never_neither() {
    let mut script = Script::new();
    script.create(ROOT, "temp", FILE).write(FILE, 0, b"new");
    script
        .create(ROOT, "f", FILE + 1)
        .write(FILE + 1, 0, b"old");
    script.raw(15, &[], b"", b"");
    script.rename((ROOT, "temp"), (ROOT, "f"), FILE);
    let states = |recording: &Recording| -> BTreeSet<String> {
        let images = (0..400).map(|seed| at_end(recording, seed, Mode::Random));
        let texts = images.map(|image| {
            let read = |name| image.file(name).map(String::from_utf8_lossy);
            format!("{:?} {:?}", read("f").unwrap(), read("temp"))
        });
        texts.collect()
    };
    let pending = Script(script.0.clone()).done();
    let (before, after) = (r#""old" Some("new")"#, r#""new" None"#);
    assert_eq!(states(&pending), set([before, after]));
    assert_eq!(states(&script.sync(1, ROOT).done()), set([after]));
}

#[test]
fn a_rename_between_directories_is_whole() {
    let mut script = Script::new();
    script.mkdir(ROOT, "a", 2).mkdir(ROOT, "b", 3);
    script.create(2, "x", FILE).raw(15, &[], b"", b"");
    script.create(3, "first", FILE + 1);
    script.rename((2, "x"), (3, "y"), FILE);
    let pending = Script(script.0.clone()).done();
    assert_eq!(
        listings(&pending),
        set(["a/x", "a/x b/first", "b/first b/y"])
    );
    assert_eq!(listings(&script.sync(1, 2).done()), set(["b/first b/y"]));
}

#[test]
fn names_of_one_directory_survive_in_order() {
    let mut script = Script::new();
    script.raw(15, &[], b"", b"");
    script.create(ROOT, "1", 11).create(ROOT, "2", 12);
    script.create(ROOT, "3", 13).unlink(ROOT, "1", 11);
    let all = set(["", "1", "1 2", "1 2 3", "2 3"]);
    assert_eq!(listings(&script.done()), all);
}

#[test]
fn a_file_in_a_nameless_directory_is_gone() {
    let mut script = Script::new();
    script.raw(15, &[], b"", b"");
    script.mkdir(ROOT, "d", 2).create(2, "f", FILE).sync(1, 2);
    let image = at_end(&script.done(), 0, Mode::SyncedOnly);
    assert!(image.paths().is_empty() && image.directories().is_empty());
}

#[test]
fn blocks_survive_in_any_combination() {
    let recording = durable_file(&[b'-'; 12288])
        .write(FILE, 0, &[b'+'; 12288])
        .done();
    let seen = contents(&recording, Mode::Random);
    for content in &seen {
        assert_eq!(content.len(), 12288);
        let whole = |block: &[u8]| block.iter().all(|byte| *byte == block[0]);
        assert!(content.chunks(4096).all(whole), "a block was cut");
    }
    assert_eq!(seen.len(), 8, "every subset of three blocks turns up");
}

#[test]
fn a_later_block_may_survive_alone_with_zeros_before_it() {
    let recording = durable_file(b"").write(FILE, 0, &[b'+'; 8192]).done();
    let mut hole = vec![0; 4096];
    hole.extend([b'+'; 4096]);
    assert!(contents(&recording, Mode::Random).contains(&hole));
}

#[test]
fn a_torn_write_stops_at_a_sector_inside_a_block() {
    let recording = durable_file(&[b'-'; 4096])
        .write(FILE, 0, &[b'+'; 4096])
        .done();
    let seen = contents(&recording, Mode::Torn);
    let lengths: BTreeSet<usize> = seen
        .iter()
        .map(|content| content.iter().take_while(|byte| **byte == b'+').count())
        .collect();
    assert_eq!(lengths, (1..8).map(|sector| sector * 512).collect());
    for content in seen {
        assert_eq!(content.iter().filter(|b| **b == b'-').count() % 512, 0);
    }
}

#[test]
fn a_truncation_is_pending_until_a_sync() {
    let mut script = durable_file(b"long");
    script.truncate(FILE, 0).allocate(FILE, 2);
    let pending = Script(script.0.clone()).done();
    let expected: [&[u8]; 3] = [b"long", b"", b"\0\0"];
    assert_eq!(
        contents(&pending, Mode::Random),
        expected.map(<[u8]>::to_vec).into()
    );
    let synced = script.sync(1, FILE).done();
    assert_eq!(contents(&synced, Mode::Random), [b"\0\0".into()].into());
}

#[test]
fn bytes_written_after_a_truncation_come_with_it() {
    let recording = durable_file(b"12345678")
        .truncate(FILE, 0)
        .write(FILE, 0, b"ab")
        .done();
    let mixed = b"ab345678".to_vec();
    assert!(!contents(&recording, Mode::Random).contains(&mixed));
}

#[test]
fn a_sync_after_a_failed_sync_does_not_bring_the_data_back() {
    let mut script = durable_file(b"----");
    script
        .write(FILE, 0, b"ab")
        .sync_begin(1, FILE)
        .sync_end(1, false);
    script.sync(2, FILE);
    let retried = Script(script.0.clone()).done();
    let either: [&[u8]; 2] = [b"----", b"ab--"];
    assert_eq!(
        contents(&retried, Mode::Random),
        either.map(<[u8]>::to_vec).into()
    );
    // Writing into the block again saves all of the block.
    let rewritten = script.write(FILE, 3, b"c").sync(3, FILE).done();
    assert_eq!(contents(&rewritten, Mode::Random), [b"ab-c".into()].into());
}

/// Random histories: what was synced last is there, and no byte appears that was never written.
#[test]
fn random_histories_keep_what_was_synced_and_invent_nothing() {
    const LEN: usize = 40_000;
    for seed in 0..60 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut script = durable_file(b"");
        let mut now = Vec::new();
        let mut synced = Vec::new();
        // Per byte of the file a bit for each value it ever had; zero is always possible.
        let mut ever = vec![1_u32; LEN];
        // The bytes that may differ from the synced content.
        let mut dirty = vec![false; LEN];
        let mut longest = 0;
        for step in 0..rng.u64(1..30) {
            match rng.u8(..10) {
                0 => {
                    script.sync(step, FILE);
                    synced.clone_from(&now);
                    dirty.fill(false);
                }
                1 => {
                    let size = rng.usize(..LEN);
                    script.truncate(FILE, size as u64);
                    dirty[size.min(now.len())..].fill(true);
                    now.resize(size, 0);
                }
                _ => {
                    let at = rng.usize(..LEN - 10_000);
                    let data = vec![rng.u8(1..32); rng.usize(1..10_000)];
                    script.write(FILE, at as u64, &data);
                    now.resize(now.len().max(at + data.len()), 0);
                    for (i, byte) in (at..).zip(&data) {
                        now[i] = *byte;
                        ever[i] |= 1 << byte;
                        dirty[i] = true;
                    }
                }
            }
            longest = longest.max(now.len());
        }
        let recording = script.done();
        let everything = at_end(&recording, seed, Mode::Everything);
        assert_eq!(everything.file("f"), Some(now.as_slice()), "seed {seed}");
        let only = at_end(&recording, seed, Mode::SyncedOnly);
        assert_eq!(only.file("f"), Some(synced.as_slice()), "seed {seed}");
        for (image_seed, mode) in (0..6).zip(MODES.into_iter().cycle()) {
            let image = at_end(&recording, image_seed, mode);
            let content = image.file("f").unwrap();
            let context = format!("seed {seed}, image seed {image_seed}, {mode:?}");
            assert!(content.len() <= longest, "{context}: too long");
            for (i, byte) in content.iter().enumerate() {
                assert!(ever[i] >> byte & 1 == 1, "{context}: byte {i} was invented");
            }
            for (i, byte) in synced.iter().enumerate().filter(|(i, _)| !dirty[*i]) {
                assert_eq!(content.get(i), Some(byte), "{context}: byte {i} was lost");
            }
        }
    }
}

#[test]
fn moving_one_disk_along_equals_starting_over() {
    let mut script = durable_file(&[b'-'; 5000]);
    script.write(FILE, 100, &[b'1'; 9000]).sync_begin(1, FILE);
    script.write(FILE, 0, &[b'2'; 6000]).sync_end(1, true);
    script
        .create(ROOT, "g", 11)
        .rename((ROOT, "g"), (ROOT, "h"), 11);
    script
        .sync(2, ROOT)
        .truncate(FILE, 50)
        .write(FILE, 50, b"x");
    let recording = script.done();
    let mut disk = Disk::new(&recording);
    for point in 0..=recording.len() {
        disk.advance_to(point);
        assert_eq!(disk.position(), point);
        for mode in MODES {
            let moved = disk.image(&mut fastrand::Rng::with_seed(7), mode);
            let fresh = recording.image_at(point, &mut fastrand::Rng::with_seed(7), mode);
            assert_eq!(moved.paths(), fresh.paths());
            for path in moved.paths() {
                assert_eq!(moved.file(path), fresh.file(path), "{mode:?} at {point}");
            }
        }
    }
}

#[test]
fn acks_are_those_before_the_point() {
    let mut script = durable_file(b"");
    script.raw(13, &[], b"", b"1\n").sync(1, ROOT);
    let recording = script.raw(13, &[], b"", b"2\n").done();
    let acks = |point| recording.acks_before(point).collect::<Vec<_>>().concat();
    assert_eq!(acks(recording.len()), b"1\n2\n");
    assert_eq!(acks(recording.len() - 1), b"1\n");
    assert_eq!(acks(recording.base_len()), b"");
}

#[test]
fn a_torn_record_ends_the_recording_and_a_wrong_one_is_an_error() {
    let whole = durable_file(b"abc").0;
    let ops = Recording::parse(whole.clone()).unwrap().len();
    for cut in 0..whole.len() {
        match Recording::parse(whole[..cut].to_vec()) {
            Ok(recording) => assert!(recording.len() < ops && cut >= 16),
            Err(_) => assert!(cut < 16, "only a missing header is an error"),
        }
    }
    let broken = |add: fn(&mut Script) -> &mut Script| {
        let mut script = durable_file(b"abc");
        let _ = add(&mut script);
        Recording::parse(script.0).is_err()
    };
    assert!(broken(|s| s.write(99, 0, b"x")), "unknown file");
    assert!(broken(|s| s.write(ROOT, 0, b"x")), "a directory");
    assert!(broken(|s| s.write(FILE, u64::MAX, b"x")), "too far");
    assert!(broken(|s| s.create(ROOT, "..", 11)), "leads out");
    assert!(broken(|s| s.create(ROOT, "a/b", 11)), "leads out");
    assert!(broken(|s| s.create(ROOT, "g", FILE)), "used twice");
    assert!(broken(|s| s.sync_end(5, true)), "never began");
    assert!(broken(|s| s.raw(77, &[], b"", b"")), "unknown kind");
    assert!(Recording::parse(vec![0xff; 64]).is_err(), "no header");
}

#[test]
fn an_image_is_written_only_to_an_empty_directory() {
    let mut script = durable_file(b"abc");
    script.mkdir(ROOT, "d", 2);
    script.raw(4, &[2, FILE], b"link", b"");
    let recording = script.done();
    let image = at_end(&recording, 0, Mode::Everything);
    let dir = super::shim_tests::scratch("image");
    image.write_to(&dir.join("out")).unwrap();
    let none: Vec<String> = Vec::new();
    assert_eq!(image.differences(&dir.join("out")).unwrap(), none);
    std::fs::create_dir(dir.join("used")).unwrap();
    std::fs::write(dir.join("used/other"), b"").unwrap();
    assert!(image.write_to(&dir.join("used")).is_err());
    std::fs::write(dir.join("out/d/link"), b"abX").unwrap();
    assert_eq!(image.differences(&dir.join("out")).unwrap().len(), 2);
    assert_eq!(
        recording.ops()[0],
        super::Op::Create {
            parent: NodeId::ROOT,
            name: b"f".to_vec(),
            node: NodeId(FILE),
            directory: false,
        }
    );
    std::fs::remove_dir_all(dir).unwrap();
}
