use super::*;
use crate::Document;
use crate::chunk::{Chunker, Chunking, Piece, Words};
use crate::extract::OpenDocument;
use crate::read::{Format, Source};

fn document(text: &str) -> Document {
    Source::new("a.md", text.as_bytes())
        .read(Format::Markdown)
        .unwrap()
}

fn pieces(document: &Document) -> Vec<Piece> {
    let chunking = Chunking::Structure { limit: 200 };
    Chunker::new(chunking, &Words).pieces(document)
}

fn extracted(rules: &Rules, text: &str) -> Vec<Extracted> {
    let document = document(text);
    let open = OpenDocument::new(&document);
    let pieces = pieces(&document);
    let read = |piece| {
        rules
            .extract(&Reading::new(&open, piece))
            .unwrap()
            .extracted
    };
    pieces.iter().map(read).collect()
}

fn names(extracted: &Extracted) -> Vec<(&str, &str)> {
    let entities = extracted.entities.iter();
    entities
        .map(|entity| (&*entity.name, entity.kind.as_deref().unwrap_or_default()))
        .collect()
}

fn root() -> Domain {
    Domain {
        name: "All disciplines".to_owned(),
        description: "Whatever there is.".to_owned(),
    }
}

const ENGLISH: &str = "# Rocks\n\nIntro.\n\n## Basalt\n\nBasalt was lava. The Geological Survey of Iceland maps \
    it in Reykjavik.\n\"Vesicle\" means a hole in a rock. He measured 5 km and 12 MB.\n\n```\nLet Foo = Bar Baz;\n```\n";

#[test]
fn names_terms_and_titles_of_an_english_piece() {
    let extracted = extracted(&Rules::new(), ENGLISH);
    let basalt = &extracted[1];
    assert_eq!(
        names(basalt),
        [
            ("Geological Survey of Iceland", "name"),
            ("Reykjavik", "name"),
            ("Vesicle", "term"),
            ("Basalt", "title"),
        ]
    );
    assert_eq!(
        basalt.entities[2].description,
        "\"Vesicle\" means a hole in a rock."
    );
    assert_eq!(basalt.entities[3].description, "Basalt was lava.");
    let facts: Vec<(&str, &str)> = basalt
        .triples
        .iter()
        .map(|triple| (&*triple.subject, &*triple.object))
        .collect();
    assert_eq!(facts, [("Geological Survey of Iceland", "Reykjavik")]);
    let document = document(ENGLISH);
    let sentence = basalt.entities[1].sentences[0].clone();
    assert!(
        document
            .text_of(sentence)
            .ends_with("maps it in Reykjavik.")
    );
}

#[test]
fn a_heading_names_things_and_says_nothing_of_them() {
    let text = "# Bridges\n\n## Corran Bridge\nIt leads to Tarn Pits. Corran Bridge is of red stone.\n\n\
                ## Mill Bridge of Lowmoor\n\nA single arch.\n";
    let document = document(text);
    let whole = Piece {
        section: 1,
        span: 0..text.len(),
        carried: None,
        part: (1, 1),
    };
    let open = OpenDocument::new(&document);
    let read = Rules::new().extract(&Reading::new(&open, &whole)).unwrap();
    let of = |name: &str| {
        let mut entities = read.extracted.entities.iter();
        entities.find(|entity| entity.name == name).unwrap()
    };
    let said = |name: &str| {
        let spans = of(name).sentences.iter();
        let sentences: Vec<&str> = spans.map(|span| &text[span.clone()]).collect();
        (of(name).description.as_str(), sentences)
    };
    let stone = "Corran Bridge is of red stone.";
    assert_eq!(said("Corran Bridge"), (stone, vec![stone]));
    // No heading runs on into the text below it.
    let pits = "It leads to Tarn Pits.";
    assert_eq!(said("Tarn Pits"), (pits, vec![pits]));
    assert_eq!(said("Mill Bridge of Lowmoor"), ("", vec![]));
    for triple in &read.extracted.triples {
        assert!(!triple.description.contains('#'), "{triple:?}");
    }
}

#[test]
fn italian_and_chinese_pieces() {
    let italian = extracted(
        &Rules::new(),
        "# Appalti\n\nPer «stazione appaltante» si intende l'ente. Il Ministero dell'Economia vigila con l'ANAC. \
         La procedura negoziata è ammessa; la procedura negoziata non è libera.\n",
    );
    assert_eq!(
        names(&italian[0]),
        [
            ("stazione appaltante", "term"),
            ("Ministero dell'Economia", "name"),
            ("ANAC", "name"),
            ("Appalti", "title"),
            ("procedura negoziata", "phrase"),
        ]
    );
    let chinese = extracted(
        &Rules::new(),
        "# 审计\n\n本办法所称预算单位，是指各级机关。审计署依照《中华人民共和国审计法》对预算单位进行审计，并使用ERP系统。\n",
    );
    let found = names(&chinese[0]);
    for expected in [
        ("预算单位", "term"),
        ("中华人民共和国审计法", "work"),
        ("ERP", "name"),
    ] {
        assert!(found.contains(&expected), "{found:?}");
    }
    assert_eq!(
        chinese[0].entities[0].description,
        "本办法所称预算单位，是指各级机关。"
    );
}

#[test]
fn known_names_are_found_with_their_kinds() {
    let dictionary = Dictionary::of([("lava", Some("rock")), ("holes", None)]).unwrap();
    let rules = Rules::new().dictionary(dictionary.clone());
    assert_ne!(rules.version(), Rules::new().version());
    let extracted = extracted(&rules, "# A\n\nIt was lava of holes.\n");
    assert_eq!(names(&extracted[0]), [("lava", "rock"), ("holes", "")]);
    assert_eq!(extracted[0].triples.len(), 1);
    let without = Rules::new().dictionary(dictionary).co_occurrence(false);
    let pieces = super::tests::extracted(&without, "# A\n\nIt was lava of holes.\n");
    assert!(pieces[0].triples.is_empty());
}

#[test]
fn chains_go_along_the_headings() {
    let extracted = extracted(&Rules::new().chains_from(root()), ENGLISH);
    let chain = extracted[1]
        .chains
        .iter()
        .find(|chain| chain.object == "Reykjavik")
        .unwrap();
    let names: Vec<&str> = chain.domains.iter().map(|domain| &*domain.name).collect();
    assert_eq!(names, ["All disciplines", "Rocks", "Basalt"]);
    // What is the title itself lies under the rest.
    let chain = extracted[1]
        .chains
        .iter()
        .find(|chain| chain.object == "Basalt")
        .unwrap();
    assert_eq!(chain.domains.last().unwrap().name, "Rocks");
}

#[test]
fn what_a_piece_of_a_book_without_headings_is_about_is_its_domain() {
    let rules = Rules::new().chains_from(root());
    let about = |topic: &str| format!("Here {topic} is read. Nobody at Reykjavik has {topic}. ");
    let part = about("log shipping").repeat(400) + &about("index tuning").repeat(800);
    let chains = |text: &str| -> Vec<Vec<String>> {
        let pieces = extracted(&rules, text).into_iter();
        let names = |chain: &Chain| {
            let domains = chain.domains.iter().map(|domain| domain.name.clone());
            domains.collect()
        };
        let of = pieces.flat_map(|piece| {
            let mut of = piece.chains.into_iter();
            of.find(|chain| chain.object == "Reykjavik")
        });
        of.map(|chain| names(&chain)).collect()
    };
    let book = chains(&format!("# Servers\n\n{part}\n"));
    assert_eq!(book[0], ["All disciplines", "Servers", "log shipping"]);
    assert_eq!(
        book.last().unwrap(),
        &["All disciplines", "Servers", "index tuning"]
    );
    let chapter = chains(&format!("# Servers\n\n{}\n", &part[..20_000]));
    assert!(!chapter.is_empty());
    for chain in chapter {
        assert_eq!(chain, ["All disciplines", "Servers"]);
    }
}

#[test]
fn the_same_text_gives_the_same() {
    let once = extracted(&Rules::new(), ENGLISH);
    for _ in 0..5 {
        assert_eq!(extracted(&Rules::new(), ENGLISH), once);
    }
}

/// Each of these would take hours if any step looked back or ahead without an end.
#[test]
fn hostile_texts_are_read_once() {
    let lines = [
        "A ".repeat(50_000),
        "Aa of ".repeat(25_000),
        "“".repeat(50_000),
        "岩".repeat(50_000),
        "所称".repeat(25_000),
        "\"aa\" ".repeat(20_000),
        "a.B".repeat(25_000),
        "1/".repeat(25_000),
        "Xx yy. ".repeat(15_000),
    ];
    for line in lines {
        let document = document(&format!("# T\n\n{line}\n"));
        let open = OpenDocument::new(&document);
        let piece = Piece {
            section: 1,
            span: 0..document.text().len(),
            carried: None,
            part: (1, 1),
        };
        let read = Rules::new().extract(&Reading::new(&open, &piece)).unwrap();
        assert!(read.extracted.entities.len() <= MOST_ENTITIES);
    }
}
