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

#[test]
fn files_of_which_no_row_could_be_read_are_known() {
    let folder = folder(&[
        ("empty.csv", ""),
        ("head.csv", "id\n"),
        ("empty.jsonl", ""),
        ("broken.csv", "id\n1,2\n\"4\"5\n"),
        ("some.csv", "id\n1,2\n3\n"),
        ("others.csv", "id,kind\n1,b\n"),
        ("some.jsonl", "{\"id\"\n{\"id\":1}\n"),
    ]);
    for (file, is_silent) in [
        ("missing.csv", true),
        ("empty.csv", true),
        ("head.csv", true),
        ("empty.jsonl", true),
        ("broken.csv", true),
        ("some.csv", false),
        // A row that no rule is for was read nevertheless.
        ("others.csv", false),
        ("some.jsonl", false),
    ] {
        let when = match file {
            "others.csv" => "when = { column = 'kind', is = 'a' }\n",
            _ => "",
        };
        let rule = format!("[[nodes]]\nfile = '{file}'\n{when}label = 'A'\nkey = 'id'\n");
        let mapping = mapping(&folder, &rule).unwrap();
        let mut rows = mapping.rows();
        assert!(rows.silent().is_empty());
        rows.by_ref().for_each(drop);
        let silent: Vec<&str> = rows.silent().iter().map(|file| &*file.name).collect();
        let expected: &[&str] = if is_silent { &[file] } else { &[] };
        assert_eq!(silent, expected, "{file}");
    }
}
