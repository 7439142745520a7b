//! Which files are read to their end.

use super::*;

#[test]
fn whether_a_file_was_read_to_its_end_is_known() {
    let long = "x".repeat((16 << 20) + 1);
    let folder = folder(&[
        ("empty.csv", ""),
        ("rows.csv", "id\n1\n2,3\n\"4\"5\n"),
        ("rows.jsonl", "{\"id\":1}\n{\"id\"\n"),
        ("open.csv", "id\n1\n\"2\n"),
        ("head.csv", "\"id\n1\n"),
        ("other.csv", "ident\n1\n"),
        ("twice.csv", "id,id\n1,2\n"),
        ("long.jsonl", &long),
        ("picture.png", "id\n1\n"),
    ]);
    fs::create_dir(folder.path().join("folder.csv")).unwrap();
    for (file, is_cut_short) in [
        ("missing.csv", false),
        ("empty.csv", false),
        ("rows.csv", false),
        ("rows.jsonl", false),
        ("open.csv", true),
        ("head.csv", true),
        ("other.csv", true),
        ("twice.csv", true),
        ("long.jsonl", true),
        ("picture.png", true),
        ("folder.csv", true),
    ] {
        let rule = format!("[[nodes]]\nfile = '{file}'\nlabel = 'A'\nkey = 'id'\n");
        let mapping = mapping(&folder, &rule).unwrap();
        let mut rows = mapping.rows();
        assert!(!rows.is_cut_short());
        let errors = rows.by_ref().filter(Result::is_err).count();
        assert!(errors > 0, "{file}");
        assert_eq!(rows.is_cut_short(), is_cut_short, "{file}");
    }
}
