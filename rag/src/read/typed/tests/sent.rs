//! Tables that were sent, and lie on no disk.

use super::*;

#[test]
fn tables_that_were_sent_are_read_as_those_in_a_folder() {
    let files = [
        ("a.csv", "id,x\n1,2\n2,ten\n3\n"),
        ("b.jsonl", "{\"id\":\"é\",\"x\":4}\n{\"id\":1\n"),
        ("c.tsv", "id\tx\n7\t8\n"),
        ("empty.csv", ""),
        ("picture.png", "id,x\n"),
    ];
    let mut text = String::new();
    for file in files
        .map(|(name, _)| name)
        .into_iter()
        .chain(["missing.csv", "./a.csv"])
    {
        text += &format!(
            "[[nodes]]\nfile = '{file}'\nlabel = 'A'\nkey = 'id'\n[nodes.properties]\nx = 'int'\n"
        );
    }
    let folder = folder(&files);
    let on_disk = mapping(&folder, &text).unwrap();
    // Cut where nothing ends, at every length that a piece may have.
    for length in [1, 3, 1000] {
        let mut sent = TableMapping::parse("mapping.toml", &text).unwrap();
        for (name, bytes) in files {
            let pieces = bytes.as_bytes().chunks(length).map(<[u8]>::to_vec);
            for piece in pieces.chain([Vec::new()]) {
                sent.send(name, piece).unwrap();
            }
        }
        assert_eq!(stated(&sent), stated(&on_disk), "pieces of {length}");
        assert!(sent.files().all(|(_, path)| path.is_none()));
        assert_eq!(sent.schema(), on_disk.schema());
    }
    assert!(
        stated(&on_disk)
            .iter()
            .any(|line| line.contains("it is not there"))
    );
}

#[test]
fn what_was_sent_is_never_looked_for_on_a_disk() {
    let folder = folder(&[("secret.csv", "id\nsecret\n")]);
    let secret = folder.path().join("secret.csv");
    let rule = |file: &str| format!("[[nodes]]\nfile = '{file}'\nlabel = 'A'\nkey = 'id'\n");
    for file in [
        secret.to_str().unwrap(),
        "../secret.csv",
        "a/../../secret.csv",
    ] {
        let refused = TableMapping::parse("audit.toml", &rule(file)).unwrap_err();
        let said = refused.to_string();
        assert!(said.starts_with("audit.toml: [[nodes]] 1"), "{said}");
        assert!(
            said.contains("files lie in the folder of the mapping or below it"),
            "{said}"
        );
        let mut good = TableMapping::parse("audit.toml", &rule("a.csv")).unwrap();
        let refused = good
            .send(file, b"id\n1\n".to_vec())
            .unwrap_err()
            .to_string();
        assert!(refused.contains("files lie in the folder"), "{refused}");
    }
    // One that is there on the disk of whoever reads, and was not sent.
    let there = "audit/issues.csv";
    assert!(
        std::path::Path::new(there).is_file(),
        "tests run in the folder of the crate"
    );
    let here = stated(&TableMapping::parse("audit.toml", &rule(there)).unwrap());
    assert!(
        here.len() == 1 && here[0].contains("it is not there"),
        "{here:?}"
    );
    let mut mapping = TableMapping::parse("audit.toml", &rule("sub/a.csv")).unwrap();
    let other = mapping.send("a.csv", Vec::new()).unwrap_err();
    assert!(other.reason.contains("the mapping names no such file") && !other.hint.is_empty());
    mapping.send("./sub/a.csv", b"id\n1\n".to_vec()).unwrap();
    assert_eq!(stated(&mapping), ["sub/a.csv:2 (A:1) id='1'"]);
    let long = TableMapping::parse("audit.toml", &rule(&"x".repeat(5000))).unwrap_err();
    assert!(long.reason.contains("at most 4096 bytes"), "{long}");
    let long = TableMapping::parse("audit.toml", &"#".repeat(2 << 20)).unwrap_err();
    assert!(long.reason.contains("too long for a mapping"), "{long}");
    let slip = TableMapping::parse("audit.toml", "[[nodes")
        .unwrap_err()
        .to_string();
    assert!(slip.starts_with("audit.toml, line 1"), "{slip}");
    // What lies in a folder is read from there.
    let mut on_disk = self::mapping(&folder, &rule("secret.csv")).unwrap();
    assert!(on_disk.send("secret.csv", Vec::new()).is_err());
}
