use super::*;
use proptest::prelude::*;

fn reader(text: &[u8]) -> TripleReader {
    TripleReader::new("facts.jsonl", Box::new(std::io::Cursor::new(text.to_vec())))
}

/// Each fact in a line, and each error.
fn all(text: &str) -> (Vec<String>, TripleCounts) {
    let mut reader = reader(text.as_bytes());
    let mut shown = Vec::new();
    for read in reader.by_ref() {
        shown.push(match read {
            Err(error) => error.to_string(),
            Ok(Stated {
                triple,
                entities,
                metadata,
                line,
            }) => {
                let [one, other] = entities.map(|entity| entity.kind.unwrap_or_default());
                let more: Vec<_> = metadata
                    .iter()
                    .map(|(name, value)| format!("{name}={value:?}"))
                    .collect();
                let Triple {
                    subject,
                    predicate,
                    object,
                    source,
                    ..
                } = triple;
                format!(
                    "{line}: {subject}:{one} {predicate} {object}:{other} <{source}> {}",
                    more.join(" ")
                )
            }
        });
    }
    (shown, reader.counts())
}

#[test]
fn facts_are_read_under_all_their_names() {
    let (shown, counts) = all(r#"
{"entity1":"A","relation":"makes","entity2":"B","source":"p. 1"}
{"subject":" A ","predicate":"sells","object":"B","year":2023,"score":0.5,"tags":["x"],"deep":{"a":1}}
{"head":"A","head_type":"Company","relation":"owns","tail":"C","tail_type":"Place","description":null}
{"entita1":"Ente","relazione":"applica","entita2":"Norma","fonte":"Art. 1"}
["Infosys","COMPANY","reports","5%","METRIC",{"quarter":"Q1","year":2023,"source":"p. 7"}]
["Infosys","COMPANY","reports","6%","METRIC"]
"#);
    assert_eq!(
        shown,
        [
            "2: A: makes B: <p. 1> ",
            "3: A: sells B: <> score=Float(0.5) tags=List([Text(\"x\")]) year=Integer(2023)",
            "4: A:Company owns C:Place <> ",
            "5: Ente: applica Norma: <Art. 1> ",
            "6: Infosys:COMPANY reports 5%:METRIC <p. 7> quarter=Text(\"Q1\") year=Integer(2023)",
            "7: Infosys:COMPANY reports 6%:METRIC <> ",
        ]
    );
    assert_eq!((counts.facts, counts.broken), (6, 0));
}

#[test]
fn a_line_may_hold_a_title_and_several_facts() {
    let (shown, _) = all(
        r#"{"titolo_documento":"D.Lgs. 50","anno":2016,"triples":[{"entita1":"a","relazione":"r","entita2":"b","fonte":"Art. 1"},{"entita1":"a","relazione":"r","entita2":"c","fonte":"D.Lgs. 50, Art. 2"},{"entita1":"a","relazione":"r","entita2":"d"}]}"#,
    );
    assert_eq!(
        shown,
        [
            "1: a: r b: <[D.Lgs. 50]: Art. 1> anno=Integer(2016)",
            "1: a: r c: <D.Lgs. 50, Art. 2> anno=Integer(2016)",
            "1: a: r d: <[D.Lgs. 50]> anno=Integer(2016)",
        ]
    );
}

#[test]
fn duplicates_and_self_loops_are_counted() {
    let fact = r#"{"entity1":"A","relation":"r","entity2":"B","source":"s"}"#;
    let text = [
        fact,
        fact,
        r#"{"entity1":"A","relation":"r","entity2":"A"}"#,
        r#"{"tail":"B","head":"A","rel":"r","fonte":"s"}"#,
        r#"{"entity1":"A","relation":"r","entity2":"B","source":"other"}"#,
    ]
    .join("\n");
    let (shown, counts) = all(&text);
    assert_eq!(shown.len(), 2);
    assert_eq!(
        (counts.facts, counts.duplicates, counts.self_loops),
        (2, 2, 1)
    );
}

/// The same was reported for two quarters: these are two facts, as whoever asks for one of them must find it.
#[test]
fn facts_that_differ_in_their_metadata_are_two() {
    let text = [
        r#"["Infosys","COMPANY","reports","growth","METRIC",{"quarter":"Q1"}]"#,
        r#"["Infosys","COMPANY","reports","growth","METRIC",{"quarter":"Q2"}]"#,
        r#"["Infosys","COMPANY","reports","growth","METRIC",{"quarter":2}]"#,
        r#"["Infosys","COMPANY","reports","growth","METRIC",{"quarter":"2"}]"#,
        r#"["Infosys","COMPANY","reports","growth","METRIC",{"quarter":"Q2"}]"#,
    ];
    let (shown, counts) = all(&text.join("\n"));
    assert_eq!((shown.len(), counts.duplicates), (4, 1), "{shown:?}");
}

#[test]
fn a_broken_line_is_told_and_the_next_is_read() {
    let text = "{\"entity1\":\"A\",\"relation\":\"r\"\n\
                {\"entity1\":\"A\",\"relation\":\"r\"}\n\
                [1,2]\n\
                \"text\"\n\
                {\"entity1\":\"A\",\"head\":\"B\",\"relation\":\"r\",\"tail\":\"C\"}\n\
                {\"entity1\":[],\"relation\":\"r\",\"tail\":\"C\"}\n\
                {\"a\":1,\"a\":2}\n\
                {\"triples\":[{\"h\":\"a\"}]}\n\
                {\"entity1\":\"A\",\"relation\":\"r\",\"entity2\":\"B\"}\n";
    let (shown, counts) = all(text);
    for (line, said) in [
        (0, "facts.jsonl, line 1, column 29: EOF"),
        (
            1,
            "line 2: there is no object; a line is {\"subject\":..,\"relation\":..,\"object\":..,",
        ),
        (2, "line 3: the array has 2 parts"),
        (3, "line 4"),
        (4, "`entity1` and `head` are the same part"),
        (5, "`entity1` is no text"),
        (6, "\"a\" is there twice"),
        (7, "fact 1: there is no relation"),
        (8, "9: A: r B:"),
    ] {
        assert!(shown[line].contains(said), "{}", shown[line]);
    }
    assert_eq!((counts.facts, counts.broken), (1, 8));
    // Bytes that are no text, and a line without an end.
    let mut broken = reader(b"\xFF\n[\"a\",\"\",\"r\",\"b\",\"\"]");
    let error = broken.next().unwrap().unwrap_err();
    assert!(error.hint.contains("iconv -f"), "{error}");
    assert!(broken.next().is_some_and(|read| read.is_ok()));
    assert!(broken.next().is_none());
    let endless = "x".repeat(TripleReader::MAX_LINE as usize + 2);
    let mut endless = reader(endless.as_bytes());
    let error = endless.next().unwrap().unwrap_err();
    assert!(
        error.to_string().contains("line 1: a line of more than"),
        "{error}"
    );
    assert!(endless.next().is_none());
}

#[test]
fn what_a_line_says_of_all_its_facts_does_not_become_many_times_its_length() {
    let facts: Vec<String> = (0..1000)
        .map(|number| format!("{{\"h\":\"a\",\"r\":\"r\",\"t\":\"{number}\"}}"))
        .collect();
    let line = |key: &str, bytes: usize| {
        let said = "x".repeat(bytes);
        format!("{{\"{key}\":\"{said}\",\"triples\":[{}]}}", facts.join(","))
    };
    let (shown, counts) = all(&line("note", 100_000));
    assert!(
        shown[0].contains("bytes that are said of each of them"),
        "{}",
        shown[0]
    );
    assert_eq!((shown.len(), counts.broken), (1, 1));
    // As much of one fact, or as little of many, is read.
    assert_eq!(all(&line("note", 1000)).1.facts, 1000);
    let one = format!(
        "{{\"note\":\"{}\",\"triples\":[{}]}}",
        "x".repeat(1_000_000),
        facts[0]
    );
    assert_eq!(all(&one).1.facts, 1);
    // A title is cut, and so is that of a single fact.
    for text in [line("title", 100_000), one.replace("note", "title")] {
        let stated = reader(text.as_bytes()).next().unwrap().unwrap();
        assert_eq!(stated.triple.source.len(), "[]".len() + 500);
    }
}

proptest! {
    #[test]
    fn any_lines_are_read_to_an_end(text in "[\\[\\]{}:,\"ahr12 \\n]{0,80}", bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let lines = text.lines().count() + 1;
        prop_assert!(reader(text.as_bytes()).count() <= lines);
        prop_assert!(reader(&bytes).count() <= bytes.len() + 1);
    }

    #[test]
    fn what_is_left_of_a_good_line_is_read_or_told(cut in 0_usize..90, at in 0_usize..90, byte in any::<u8>()) {
        let mut line = br#"{"subject":"A","predicate":"sells","object":"B","year":2023,"metadata":{"x":[1]}}"#.to_vec();
        let length = line.len();
        line[at % length] = byte;
        line.truncate(cut.max(1));
        prop_assert!(reader(&line).count() <= 2);
    }
}
