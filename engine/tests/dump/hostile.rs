//! Dumps that were cut, edited, damaged, or made to do harm.

use crate::model::Model;
use crate::{dump, dump_error, load, load_with};
use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::{Database, DumpError, Error, ErrorKind, LoadOptions, Read, verify_dump};

const HEADER: &str = r#"{"stratigraph_dump":1,"nodes":2,"relationships":1,"next":{"node":9,"relationship":9,"declaration":9}}"#;
const NODE: &str = r#"{"node":0,"labels":[],"properties":{}}"#;
const OTHER: &str = r#"{"node":3,"labels":["A"],"properties":{"p":1}}"#;
const KNOWS: &str = r#"{"relationship":0,"type":"T","from":0,"to":3,"properties":{}}"#;
const END: &str = r#"{"end":{"nodes":2,"relationships":1,"checksum":""}}"#;

fn edited() -> LoadOptions {
    LoadOptions::default().ignore_checksum(true)
}

/// What is said of lines, by the reader and by a load alike.
#[track_caller]
fn refused(lines: &[&str]) -> String {
    let text = lines.join("\n");
    let read = verify_dump(text.as_bytes(), &edited(), &mut Watch::quiet()).unwrap_err();
    let loaded = dump_error(load_with(text.as_bytes(), &edited()).unwrap_err());
    assert_eq!(read.to_string(), loaded.to_string());
    assert_eq!(read.kind(), ErrorKind::Request);
    read.to_string()
}

#[test]
fn a_small_dump_by_hand_is_taken() {
    let text = [HEADER, NODE, OTHER, KNOWS, END].join("\r\n");
    let (db, report) = load_with(text.as_bytes(), &edited()).unwrap();
    assert_eq!(
        (report.contents.nodes, report.contents.relationships),
        (2, 1)
    );
    assert_eq!(db.read().unwrap().relationship_count(Some("T")).unwrap(), 1);
    let error = load(&text).unwrap_err();
    assert!(error.to_string().contains("ignore_checksum"), "{error}");
}

#[test]
fn lines_are_refused_with_their_place() {
    let node = |line: &'static str| refused(&[HEADER, line, END]);
    let relationship = |line: &'static str| refused(&[HEADER, NODE, line, END]);
    let cases: Vec<(String, &str)> = vec![
        (
            refused(&[""]),
            "this is not a dump of Stratigraph: its first line is not a header {\"stratigraph_dump\":1, ...} (it is empty); `stratigraph dump` writes one",
        ),
        (
            refused(&[NODE]),
            "this is not a dump of Stratigraph: its first line is not a header {\"stratigraph_dump\":1, ...} (missing field `stratigraph_dump`); `stratigraph dump` writes one",
        ),
        (
            refused(&[r#"{"stratigraph_dump":2,"shape":"new"}"#]),
            "the dump has format 2, and this version reads format 1: load it with a newer stratigraph",
        ),
        (
            refused(&[r#"{"stratigraph_dump":1,"nodes":0,"relationships":0}"#, END]),
            "line 1: missing field `next`",
        ),
        (
            refused(&[HEADER, HEADER]),
            "line 2: a header line cannot come after a header line",
        ),
        (
            refused(&[HEADER, "", END]),
            "line 2: a line is one JSON object that begins with the key of its kind",
        ),
        (
            node("[]"),
            "line 2: a line is one JSON object that begins with the key of its kind",
        ),
        (
            node(r#"{"point":0}"#),
            "line 2: `point` is not a kind of line",
        ),
        (
            node(r#"{"node":0,"labels":[],"properties":{}"#),
            "line 2, column 37: EOF while parsing an object",
        ),
        (
            node(r#"{"node":0,"labels":[],"properties":{}} x"#),
            "line 2, column 40: trailing characters",
        ),
        (
            node(r#"{"node":0,"labels":[],"properties":{},"colour":1}"#),
            "line 2, column 46: unknown field `colour`, expected one of `node`, `labels`, `properties`",
        ),
        (
            node(r#"{"node":0,"node":1,"labels":[],"properties":{}}"#),
            "line 2, column 16: duplicate field `node`",
        ),
        (
            node(r#"{"node":0,"properties":{}}"#),
            "line 2, column 26: missing field `labels`",
        ),
        (
            node(r#"{"node":-1,"labels":[],"properties":{}}"#),
            "line 2, column 10: invalid value: integer `-1`, expected u64",
        ),
        (
            node(r#"{"node":1.0,"labels":[],"properties":{}}"#),
            "line 2, column 11: invalid type: floating point `1.0`, expected u64",
        ),
        (
            node(r#"{"node":18446744073709551616,"labels":[],"properties":{}}"#),
            "line 2, column 28: invalid type: floating point `1.8446744073709552e+19`, expected u64",
        ),
        (
            node(r#"{"node":9223372036854775808,"labels":[],"properties":{}}"#),
            "line 2: node 9223372036854775808 is not below 9223372036854775808, the next free id of the header",
        ),
        (
            node(r#"{"node":0,"labels":"A","properties":{}}"#),
            "line 2, column 22: invalid type: string \"A\", expected a sequence",
        ),
        (
            node(r#"{"node":0,"labels":[""],"properties":{}}"#),
            "line 2: \"\" cannot be the name of a label: names have 1 to 1024 bytes and no zero byte",
        ),
        (
            node(r#"{"node":0,"labels":[],"properties":{"p":1,"q":2,"p":3}}"#),
            "line 2, column 54: property \"p\" is there twice",
        ),
        (
            node(r#"{"node":0,"labels":[],"properties":{"p":{"date":"1984-13-01"}}}"#),
            "line 2, property p: this is not a date: the month must be between 1 and 12, it is 13 at byte 0 (at $)",
        ),
        (
            node(r#"{"node":0,"labels":[],"properties":{"p":[1,{"point":2}]}}"#),
            "line 2, property p: `point` is not a kind of value (at $[1])",
        ),
        (
            node(r#"{"node":0,"labels":[],"properties":{"p":9223372036854775808}}"#),
            "line 2, property p: the integer 9223372036854775808 does not fit into 64 bits (at $)",
        ),
        (
            node(r#"{"node":0,"labels":[],"properties":{"p":18446744073709551616}}"#),
            "line 2, column 41: the integer 18446744073709551616 does not fit into 64 bits",
        ),
        (
            node(r#"{"node":0,"labels":[],"properties":{"p":["\"9",-99999999999999999999]}}"#),
            "line 2: property p cannot be stored: a stored list holds one kind of value",
        ),
        (
            node(r#"{"node":0,"labels":[],"properties":{"p":[1.5,-99999999999999999999]}}"#),
            "line 2, column 46: the integer -99999999999999999999 does not fit into 64 bits",
        ),
        (
            node(r#"{"node":0,"labels":[],"properties":{"p":1e999}}"#),
            "line 2, column 45: number out of range",
        ),
        (
            node(r#"{"node":0,"labels":[],"properties":{"p":{"map":{}}}}"#),
            "line 2: property p cannot be stored: a map cannot be stored in a property; give each of its entries a property of its own",
        ),
        (
            refused(&[HEADER, OTHER, NODE]),
            "line 3: node 0 comes after node 3: each id is there once, and they rise",
        ),
        (
            refused(&[HEADER, NODE, NODE]),
            "line 3: node 0 comes after node 0: each id is there once, and they rise",
        ),
        (
            refused(&[HEADER, NODE, OTHER, KNOWS, KNOWS]),
            "line 5: relationship 0 comes after relationship 0: each id is there once, and they rise",
        ),
        (
            refused(&[HEADER, NODE, OTHER, KNOWS, NODE]),
            "line 5: a node line cannot come after a relationship line",
        ),
        (
            refused(&[HEADER, NODE, r#"{"label":"A"}"#]),
            "line 3: a name line cannot come after a node line",
        ),
        (
            relationship(KNOWS),
            "line 3, field to: the dump has no node 3",
        ),
        (
            relationship(r#"{"relationship":0,"type":"T","from":1,"to":0,"properties":{}}"#),
            "line 3, field from: the dump has no node 1",
        ),
        (
            relationship(r#"{"member":1,"hierarchy":"h"}"#),
            "line 3, field member: the dump has no node 1",
        ),
        (
            relationship(r#"{"member":0,"hierarchy":"h"}"#),
            "line 3: no hierarchy h was declared in the lines before",
        ),
        (
            node(r#"{"index":"i","properties":["p"]}"#),
            "line 2: it is on either a `label` or a `type`",
        ),
        (
            node(r#"{"index":"i","label":"A","type":"T","properties":["p"]}"#),
            "line 2: it is on either a `label` or a `type`",
        ),
        (
            node(r#"{"constraint":"c","label":"A","properties":["p"],"demand":"nice"}"#),
            "line 2, column 64: unknown variant `nice`, expected one of `unique`, `exists`, `type`, `key`",
        ),
        (
            refused(&[HEADER, NODE]),
            "the dump ends after line 2 without an end line: it was cut; dump again",
        ),
        (
            refused(&[HEADER]),
            "the dump ends after line 1 without an end line: it was cut; dump again",
        ),
        (
            refused(&[HEADER, NODE, OTHER, KNOWS, END, NODE]),
            "line 6: nothing may follow the end line",
        ),
    ];
    for (said, expected) in cases {
        assert!(said.starts_with(expected), "{said}");
    }
}

#[test]
fn a_header_that_does_not_fit_is_refused() {
    let strict = LoadOptions::default();
    for (lines, expected) in [
        (
            vec![HEADER, NODE, r#"{"node":9,"labels":[],"properties":{}}"#],
            "line 3: node 9 is not below 9, the next free id of the header",
        ),
        (
            vec![HEADER, NODE, END],
            "the end line says 2 nodes, and the dump has 1: it was cut or edited; `ignore_checksum` (`--ignore-checksum`) loads what is there",
        ),
        (vec![HEADER, NODE, OTHER, KNOWS, END], "the checksum is "),
    ] {
        let text = lines.join("\n");
        let error = verify_dump(text.as_bytes(), &strict, &mut Watch::quiet()).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    }
    let high = HEADER.replace("\"node\":9", "\"node\":18446744073709551615");
    assert_eq!(
        refused(&[&high, END]),
        "line 1: the next ids are higher than ids can be"
    );
}

#[test]
fn depth_and_length_have_limits() {
    let deep = format!(
        r#"{{"node":0,"labels":[],"properties":{{"p":{}1{}}}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    assert!(refused(&[HEADER, &deep]).contains("recursion limit exceeded"));
    let deep = format!(
        r#"{{"node":0,"labels":[],"properties":{{"p":{}1{}}}}}"#,
        "[".repeat(70),
        "]".repeat(70)
    );
    assert!(refused(&[HEADER, &deep]).contains("nested 64 deep"));

    let options = edited().line_bytes(200);
    let name = "n".repeat(300);
    let long = format!(r#"{{"node":0,"labels":[],"properties":{{"{name}":1}}}}"#);
    let text = [HEADER, &long, END].join("\n");
    let error = verify_dump(text.as_bytes(), &options, &mut Watch::quiet()).unwrap_err();
    assert!(matches!(
        dump_error(error),
        DumpError::LineTooLong {
            line: 2,
            limit_bytes: 200
        }
    ),);
    let exact = LoadOptions::default()
        .ignore_checksum(true)
        .line_bytes(long.len() as u64);
    assert!(verify_dump(text.as_bytes(), &exact, &mut Watch::quiet()).is_ok());
}

/// Endless input that says how much of it was taken.
struct Endless(u64);

impl std::io::Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        buffer.fill(b'{');
        self.0 += buffer.len() as u64;
        Ok(buffer.len())
    }
}

#[test]
fn an_endless_line_is_given_up() {
    let mut endless = Endless(0);
    let input = std::io::BufReader::new(&mut endless);
    let options = LoadOptions::default().line_bytes(1 << 20);
    let error = verify_dump(input, &options, &mut Watch::quiet()).unwrap_err();
    assert!(matches!(
        dump_error(error),
        DumpError::LineTooLong { line: 1, .. }
    ));
    assert!(endless.0 < 2 << 20, "{} bytes were read", endless.0);
}

#[test]
fn text_that_is_none_is_refused() {
    let mut text = [HEADER, NODE, ""].join("\n").into_bytes();
    text.extend_from_slice(b"{\"label\":\"\xff\"}\n");
    let error = verify_dump(&text[..], &edited(), &mut Watch::quiet()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3, column 11: the bytes are not UTF-8 text"
    );
    let error = verify_dump(&b"\x1f\x8b\x08\xff"[..], &edited(), &mut Watch::quiet());
    assert!(error.unwrap_err().to_string().contains("(it is not text)"));
}

#[test]
fn too_many_names_are_refused() {
    let mut text = HEADER.to_owned();
    for name in 0..=stratigraph::catalog::MAX_NAMES {
        text.push_str(&format!("\n{{\"label\":\"n{name}\"}}"));
    }
    let error = verify_dump(text.as_bytes(), &edited(), &mut Watch::quiet()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 65538: 65537 label are over the limit of 65536"
    );
}

#[test]
fn what_was_cut_or_damaged_is_never_taken() {
    let seed = 5;
    let mut rng = fastrand::Rng::with_seed(seed);
    let db = Model::random(&mut rng, 12, false).database(&mut rng);
    let text = dump(&db).0.into_bytes();
    let options = LoadOptions::default();
    let verified = |bytes: &[u8]| verify_dump(bytes, &options, &mut Watch::quiet());
    assert!(verified(&text).is_ok());
    // The last line break is no loss.
    for cut in 0..text.len() - 1 {
        assert!(verified(&text[..cut]).is_err(), "cut at {cut}");
    }
    let end = text
        .windows(6)
        .rposition(|bytes| bytes == b",\"of\":")
        .unwrap();
    for _ in 0..1500 {
        let mut damaged = text.clone();
        let at = rng.usize(..end);
        damaged[at] ^= 1 << rng.u8(..8);
        assert!(verified(&damaged).is_err(), "seed {seed}, byte {at}");
    }
    // A line that is lost, doubled or moved.
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    for at in 0..lines.len() {
        let without: Vec<u8> = [&lines[..at], &lines[at + 1..]].concat().concat();
        assert!(verified(&without).is_err(), "without line {at}");
        let twice: Vec<u8> = [&lines[..at], &lines[at..=at], &lines[at..]]
            .concat()
            .concat();
        assert!(verified(&twice).is_err(), "line {at} twice");
        if at > 0 {
            let mut moved = lines.clone();
            moved.swap(at - 1, at);
            assert!(verified(&moved.concat()).is_err(), "line {at} moved");
        }
    }
    // Whatever the bytes are: no panic, and what is taken with the checksum ignored is a sound database.
    let mut taken = 0;
    for round in 0..800 {
        let mut damaged = text.clone();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(..damaged.len());
            damaged[at] = *rng.choice(b"0129\"{}[],:e-.ax\n\\\xff").unwrap();
        }
        if let Ok((db, _)) = load_with(&damaged, &edited()) {
            taken += 1;
            let report = db.check(&mut Watch::quiet()).unwrap();
            assert!(
                report.is_clean(),
                "seed {seed}, round {round}: {:?}",
                report.findings
            );
        }
    }
    assert!(taken > 15, "{taken}");
}

#[test]
fn a_load_that_stops_half_way_says_so_and_leaves_no_new_database() {
    // Two persons of one name, and a constraint that only shows at the end.
    let text = [
        HEADER,
        r#"{"constraint":"c","label":"A","properties":["p"],"demand":"unique"}"#,
        r#"{"node":0,"labels":["A"],"properties":{"p":1}}"#,
        OTHER,
        KNOWS,
        END,
    ]
    .join("\n");
    let db = Database::in_memory().unwrap();
    let load = || db.load(text.as_bytes(), &edited(), &mut Watch::quiet());
    match load().unwrap_err() {
        Error::Dump(error) => {
            assert!(
                error
                    .to_string()
                    .contains("2 nodes and 1 relationships had been loaded")
            );
            let DumpError::Partial { source, .. } = *error else {
                panic!("{error}")
            };
            let Error::Dump(refused) = *source else {
                panic!("{source}")
            };
            let DumpError::Refused { line: 2, source } = *refused else {
                panic!("{refused}")
            };
            assert!(matches!(*source, Error::ConstraintViolation(_)), "{source}");
        }
        error => panic!("{error}"),
    }
    let again = load().unwrap_err();
    assert!(matches!(dump_error(again), DumpError::NotEmpty));

    // The same constraint, not proved before the dump either, is left out.
    let text = text.replace("\"unique\"}", "\"unique\",\"building\":true}");
    let (db, report) = load_with(text.as_bytes(), &edited()).unwrap();
    assert_eq!(
        report
            .left_out
            .iter()
            .map(|name| &**name)
            .collect::<Vec<_>>(),
        ["c"]
    );
    assert_eq!(db.read().unwrap().catalog().constraints().count(), 0);
}

#[test]
fn nothing_is_written_before_the_first_portion() {
    // Refused in the first portion: the database is still new.
    let db = Database::in_memory().unwrap();
    let text = [HEADER, NODE, NODE].join("\n");
    let refused = db
        .load(text.as_bytes(), &edited(), &mut Watch::quiet())
        .unwrap_err();
    assert!(matches!(refused, Error::Dump(error) if matches!(*error, DumpError::IdOrder { .. })));
    let (good, _) = dump(&Database::in_memory().unwrap());
    assert!(
        db.load(
            good.as_bytes(),
            &LoadOptions::default(),
            &mut Watch::quiet()
        )
        .is_ok()
    );
}

#[test]
fn both_directions_can_be_cancelled() {
    let mut rng = fastrand::Rng::with_seed(1);
    let db = Model::random(&mut rng, 30, false).database(&mut rng);
    let (text, _) = dump(&db);
    let token = CancelToken::new();
    token.cancel();
    let mut report = |_: Progress<'_>| {};
    let mut watch = Watch::new(&mut report, token);
    assert!(matches!(
        db.dump(std::io::sink(), &mut watch),
        Err(Error::Cancelled)
    ));
    assert!(matches!(
        db.dump_canonical(std::io::sink(), &mut watch),
        Err(Error::Cancelled)
    ));
    let new = Database::in_memory().unwrap();
    let loaded = new.load(text.as_bytes(), &LoadOptions::default(), &mut watch);
    assert!(matches!(loaded, Err(Error::Cancelled)));
}

#[test]
fn no_reader_sees_a_part_and_no_writer_gets_in_between() {
    let mut lines = vec![HEADER.to_owned()];
    lines
        .extend((0..120_000).map(|id| format!(r#"{{"node":{id},"labels":[],"properties":{{}}}}"#)));
    lines.push(END.to_owned());
    let text = lines.join("\n");
    let db = Database::builder()
        .write_queue_timeout(std::time::Duration::from_millis(1))
        .in_memory()
        .unwrap();
    let mut looked = 0;
    let mut report = |progress: Progress<'_>| {
        // While the nodes are read: the load is published later.
        if progress.done > 0 && looked < 3 {
            looked += 1;
            assert_eq!(db.read().unwrap().node_count(None).unwrap(), 0);
            assert!(matches!(
                db.write().err(),
                Some(Error::LoadInProgress | Error::WriterQueueTimeout { .. })
            ));
        }
    };
    let mut watch = Watch::new(&mut report, CancelToken::new());
    db.load(text.as_bytes(), &edited(), &mut watch).unwrap();
    assert_eq!(looked, 3);
    assert_eq!(db.read().unwrap().node_count(None).unwrap(), 120_000);
}

#[test]
fn what_cannot_be_written_or_read_is_unavailable() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("no room"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("torn off"))
        }
    }
    let db = Database::in_memory().unwrap();
    let error = db.dump(Full, &mut Watch::quiet()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(error.to_string(), "cannot write the dump: no room");
    let input = std::io::BufReader::new(Broken);
    let error = db
        .load(input, &LoadOptions::default(), &mut Watch::quiet())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(
        error.to_string(),
        "cannot read the dump after line 0: torn off"
    );
}
