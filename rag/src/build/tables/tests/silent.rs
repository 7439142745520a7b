//! Files of which no row can be read.

use super::*;

#[test]
fn a_table_that_says_nothing_any_more_takes_out_what_it_stated_only_if_that_is_meant() {
    let folder = tempfile::tempdir().unwrap();
    let layers = layers();
    let good = mapping(folder.path(), ISSUES, CLAUSES);
    layers.upsert_tables("audit", &good).unwrap();
    let before = canonical(&layers);
    let usual = TablesLimits::default();
    let prune = TablesLimits {
        prune: true,
        ..usual.clone()
    };
    let refused = |tables: &TableMapping, file: &str| {
        let refused = layers.upsert_tables("audit", tables).unwrap_err();
        let is_silent =
            matches!(&refused, TablesError::Silent { file: silent, .. } if **silent == *file);
        assert!(is_silent, "{refused}");
        assert!(refused.to_string().contains("--prune"), "{refused}");
        let foreseen = layers.forecast_tables("audit", tables, &usual, &mut |_| ());
        assert_eq!(
            foreseen.unwrap_err().to_string(),
            refused.to_string(),
            "a forecast says it too"
        );
        assert_eq!(canonical(&layers), before);
        refused.to_string()
    };
    // Emptied, without a row, and with none that can be read: nodes stay as somebody refers to them, and their texts would go.
    for (emptied, why) in [
        ("", "clauses.csv, line 1: the file is empty"),
        ("id,text\n", ""),
        (
            "id,text\nc1\nc2\n",
            "clauses.csv, line 2: this record has 1 fields and the header 2",
        ),
    ] {
        let said = refused(&mapping(folder.path(), ISSUES, emptied), "clauses.csv");
        let lost = "taken out, such as the property \"text\" of Clause \"c1\": put the file back";
        assert!(said.contains(lost), "{said}");
        let first = said.split_once(" Its first error: ");
        let first = first.map(|(_, first)| first).unwrap_or_default();
        assert_eq!(first.is_empty(), why.is_empty(), "{said}");
        assert!(first.starts_with(why), "{said}");
    }
    // What was saved in another encoding is told how to mend it.
    let latin = mapping(folder.path(), ISSUES, "");
    let bytes = b"id,text\nc1,na\xefve\nc2,caf\xe9\n";
    fs::write(folder.path().join("clauses.csv"), bytes).unwrap();
    let said = refused(&latin, "clauses.csv");
    assert!(said.contains("line 2") && said.contains("iconv"), "{said}");
    let none = "number,description,category,clauses\n";
    let said = refused(&mapping(folder.path(), none, CLAUSES), "issues.csv");
    assert!(said.contains("such as Issue \"1\": "), "{said}");
    let good = mapping(folder.path(), ISSUES, CLAUSES);
    fs::remove_file(folder.path().join("clauses.csv")).unwrap();
    refused(&good, "clauses.csv");
    // Rows may go as ever where each file has some.
    let fewer = mapping(folder.path(), ISSUES, "id,text\nc1,Nothing is paid twice\n");
    layers.upsert_tables("audit", &fewer).unwrap();
    let good = mapping(folder.path(), ISSUES, CLAUSES);
    layers.upsert_tables("audit", &good).unwrap();
    assert_eq!(canonical(&layers), before);
    // Whoever means it says so, and from then on there is nothing that could go.
    fs::remove_file(folder.path().join("clauses.csv")).unwrap();
    let report = layers.upsert_tables_within("audit", &good, &prune, &mut |_| ());
    let report = report.unwrap();
    assert_eq!((report.nodes, report.count_broken), (4, 1));
    assert!(!canonical(&layers).contains("Nothing is paid twice"));
    let again = layers.upsert_tables("audit", &good).unwrap();
    assert_eq!((again.change.keys, again.count_broken), (0, 1));
    // So it is with a file that never was there.
    let fresh = self::layers();
    for _ in 0..2 {
        assert_eq!(fresh.upsert_tables("audit", &good).unwrap().nodes, 4);
    }
    assert_eq!(canonical(&layers), canonical(&fresh));
}

#[test]
fn a_file_that_never_had_rows_holds_up_no_other() {
    let extra = "[[nodes]]\nfile = 'extra.csv'\nlabel = 'Extra'\nkey = 'id'\n[[nodes.links]]\ntype = 'ABOUT'\ncolumn = 'clause'\nto = 'Clause'\n";
    let cites = "[[relationships]]\nfile = 'cites.csv'\ntype = 'CITES'\nfrom = { label = 'Clause', column = 'from' }\nto = { label = 'Clause', column = 'to' }\n";
    for text in [
        format!("{extra}{MAPPING}{cites}"),
        format!("{cites}{MAPPING}{extra}"),
    ] {
        let layers = layers();
        let upsert = |issues: &str, clauses: &str, cites: &str| {
            let mut tables = TableMapping::parse("audit.toml", &text).unwrap();
            for (file, rows) in [
                ("extra.csv", "id,clause\n"),
                ("issues.csv", issues),
                ("clauses.csv", clauses),
                ("cites.csv", cites),
            ] {
                tables.send(file, rows.into()).unwrap();
            }
            layers.upsert_tables("audit", &tables)
        };
        let row = "from,to\nc2,c1\n";
        upsert(ISSUES, CLAUSES, row).unwrap();
        // Rows of the others may go.
        let fewer = ISSUES.split_once("2,No").unwrap().0;
        assert!(upsert(fewer, CLAUSES, row).unwrap().change.deleted > 0);
        let clause = CLAUSES.split_once("c2").unwrap().0;
        assert!(upsert(fewer, clause, row).unwrap().change.written > 0);
        upsert(ISSUES, CLAUSES, row).unwrap();
        let before = canonical(&layers);
        // The one that is named is the one that has stated what would go.
        for (refused, file, first) in [
            (
                upsert(ISSUES, "id,text\n", row),
                "clauses.csv",
                "the property \"text\" of Clause \"c1\"",
            ),
            (
                upsert("number,description,category,clauses\n", CLAUSES, row),
                "issues.csv",
                "Issue \"1\"",
            ),
            (
                upsert(ISSUES, CLAUSES, "from,to\n"),
                "cites.csv",
                "CITES from Clause \"c2\" to Clause \"c1\"",
            ),
        ] {
            let refused = refused.unwrap_err();
            let is_named = matches!(&refused, TablesError::Silent { file: silent, lost, .. } if **silent == *file && lost == first);
            assert!(is_named, "{file}: {refused}");
            assert_eq!(canonical(&layers), before);
        }
    }
}

#[test]
fn of_two_files_with_one_label_the_empty_one_is_named_with_what_would_go() {
    let text = "[[nodes]]\nfile = 'old.csv'\nlabel = 'Issue'\nkey = 'id'\n[[nodes]]\nfile = 'new.csv'\nlabel = 'Issue'\nkey = 'id'\n";
    let layers = layers();
    let upsert = |old: &str, prune: bool| {
        let mut tables = TableMapping::parse("audit.toml", text).unwrap();
        for (file, rows) in [("old.csv", old), ("new.csv", "id\n")] {
            tables.send(file, rows.into()).unwrap();
        }
        let limits = TablesLimits {
            prune,
            ..TablesLimits::default()
        };
        layers.upsert_tables_within("audit", &tables, &limits, &mut |_| ())
    };
    upsert("id\n1\n2\n", false).unwrap();
    // Either file may have stated it.
    let refused = upsert("id\n1\n", false).unwrap_err().to_string();
    let said = "new.csv: no row could be read of it, and what it may have stated before would be taken out, such as Issue \"2\": put the file back";
    assert!(refused.starts_with(said), "{refused}");
    assert_eq!(upsert("id\n1\n", true).unwrap().nodes, 1);
    // It holds up nothing that only adds.
    assert_eq!(upsert("id\n1\n3\n", false).unwrap().nodes, 2);
}
