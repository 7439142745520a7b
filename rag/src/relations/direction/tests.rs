//! Names that turn each other around and names that do not, and each word of the tables in a name that people write:
//! whoever takes one out is told which name it was there for. The tables themselves are not what they are held against.

use super::*;

fn turns(one: &str, other: &str) -> bool {
    let (one, other) = (Directed::of(one), Directed::of(other));
    assert_eq!(one.turns(&other), other.turns(&one));
    // Who compares names of the same stems alone misses nothing.
    assert!(!one.agrees(&other) || one.stems() == other.stems());
    one.turns(&other)
}

fn same(one: &str, other: &str) -> bool {
    Directed::of(one).says_the_same(&Directed::of(other))
}

#[test]
fn names_that_differ_by_direction_alone_turn() {
    for (one, other) in [
        ("caused", "caused by"),
        ("causes", "is caused by"),
        ("shipped_to", "shippedFrom"),
        ("capital", "capital of"),
        ("was awarded", "awarded"),
        ("was awarded", "has awarded"),
        ("happened before", "happened after"),
        ("moved in", "moved into"),
        ("trasferito da", "trasferito a"),
        ("trasferito_dalla", "trasferito_alla"),
        ("disciplina", "è disciplinata da"),
        ("verkauft an", "verkauft von"),
        ("wird bezahlt", "bezahlt"),
        ("liegt über", "liegt unter"),
        ("livré à", "livré par"),
        ("suivi", "suivi de"),
        ("vendido a", "vendido por"),
        ("批准", "被批准"),
        ("流入", "流出"),
        ("by", "to"),
        ("is", "is a"),
        ("uses", "used by"),
        ("used by", "using"),
        ("makes", "made by"),
        ("does", "done by"),
        ("owns", "own by"),
        ("does not employ", "is not employed by"),
    ] {
        assert!(turns(one, other), "{one} / {other}");
    }
}

#[test]
fn forms_of_one_name_and_names_of_other_words_do_not_turn() {
    for (one, other) in [
        ("located in", "is located in"),
        ("IsLocatedIn", "was_located_in"),
        ("part of", "is a part of"),
        ("relates to", "is related to"),
        ("disciplinato da", "è disciplinato dalla"),
        ("parte del", "parte della"),
        ("non giustificato se", "non è giustificato se"),
        ("gehört zu", "gehört zum"),
        ("livré à", "est livré aux"),
        ("parte de", "parte del"),
        ("适用于", "是适用于"),
        ("works for", "is employed by"),
        ("disciplina", "si applica a"),
        ("comprises", "is composed of"),
        ("made by", "used for"),
        ("done by", "made for"),
        ("does apply to", "applies to"),
        ("buys", "bought by"),
        ("", ""),
    ] {
        assert!(!turns(one, other), "{one} / {other}");
    }
}

#[test]
fn names_of_other_words_have_other_stems() {
    assert_eq!(Directed::of("is employed by").stems(), ["emp"]);
    assert_eq!(Directed::of("è disciplinata da").stems(), ["dis"]);
    assert_eq!(Directed::of("été livré à").stems(), ["été", "liv"]);
    assert_eq!(Directed::of("has ph level of").stems(), ["ph", "lev"]);
    assert!(Directed::of("is").stems().is_empty());
}

/// Names with a word of direction behind them, as people write them: it is what parts each from the name without it.
const WITH_A_WORD: [&str; 5] = [
    // English
    "talks about, hangs above, runs across, arrives after, argues against, runs along, \
     stands among, built around, acts as, located at, moves away, arrives before, falls behind, \
     lies below, lies beneath, stands beside, lies between, reaches beyond, bought by, \
     handed down, absent during, pays for, comes from, sits inside, turned into, switched off, \
     built on, moved onto, rented out, stands outside, handed over, drove past, open since, \
     passed through, sold to, heads toward, heads towards, works under, open until, picks up, \
     relies upon, sent via, deals with, falls within",
    // Italian
    "nominato come, ricorre contro, posto davanti, custodito dentro, posto dietro, arriva dopo, \
     vietato durante, paga entro, scelto fra, posto fuori, concluso mediante, prosegue oltre, \
     lavora presso, arriva prima, posto sopra, posto sotto, scelto tra, inviato tramite, \
     diretto verso",
    // Spanish
    "llega antes, queda bajo, actúa como, vota contra, abierto desde, llega después, nacido en, \
     situado entre, avanza hacia, abierto hasta, sirve para, vendido por, nombrado según, \
     escribe sobre, llega tras",
    // French
    "arrive après, arrive avant, travaille avec, habite chez, agit comme, vote contre, \
     situé dans, ouvert depuis, livré par, vote pour, placé sous, porte sur, dirigé vers",
    // German
    "liegt auf, stammt aus, gilt bis, verkauft durch, haftet für, klagt gegen, steht hinter, \
     arbeitet mit, reist nach, liegt neben, gilt seit, liegt unter, verkauft an, steht vor, \
     liegt zwischen, liegt über",
];

#[test]
fn each_word_of_direction_parts_a_name_from_the_one_without_it() {
    let names = WITH_A_WORD.iter().flat_map(|names| names.split(", "));
    for name in names {
        let (bare, _) = name.rsplit_once(' ').unwrap();
        assert!(turns(bare, name), "{bare} / {name}");
    }
}

/// A name of another direction, or of none, and a word of direction in all its forms behind one verb.
const FORMS_OF_ONE: [(&str, &str); 15] = [
    (
        "donato da",
        "donato a, donato ad, donato al, donato all', donato alla, donato alle, donato allo, \
         donato ai, donato agli",
    ),
    ("livré par", "livré à, livré au, livré aux"),
    (
        "donato a",
        "donato da, donato dal, donato dall', donato dalla, donato dalle, donato dallo, \
         donato dai, donato dagli",
    ),
    ("capital", "capital of"),
    (
        "nomina",
        "nomina di, nomina del, nomina dell', nomina della, nomina delle, nomina dello, \
         nomina dei, nomina degli",
    ),
    (
        "capitale",
        "capitale de, capitale des, capitale du, capitale d'",
    ),
    ("shipped into", "shipped in"),
    (
        "situato sotto",
        "situato in, situato nel, situato nell', situato nella, situato nelle, situato nello, \
         situato nei, situato negli",
    ),
    ("geht aus", "geht in, geht im, geht ins"),
    (
        "pubblicato",
        "pubblicato su, pubblicato sul, pubblicato sull', pubblicato sulla, pubblicato sulle, \
         pubblicato sullo, pubblicato sui, pubblicato sugli",
    ),
    ("firmato da", "firmato con, firmato col, firmato coi"),
    ("pagato da", "pagato per, pagato pel"),
    ("arbeitet für", "arbeitet bei, arbeitet beim"),
    ("kommt zu", "kommt von, kommt vom"),
    ("kommt von", "kommt zu, kommt zum, kommt zur"),
];

#[test]
fn forms_of_one_word_of_direction_say_the_same_and_not_what_another_says() {
    for (opposite, names) in FORMS_OF_ONE {
        let names: Vec<&str> = names.split(", ").collect();
        for name in &names {
            assert!(same(names[0], name), "{} / {name}", names[0]);
            assert!(turns(opposite, name), "{opposite} / {name}");
        }
    }
}

#[test]
fn each_chinese_sign_of_direction_parts_two_names() {
    for (one, other) in [
        ("批准", "被批准"),
        ("组成", "由组成"),
        ("获得", "从获得"),
        ("獲得", "從獲得"),
        ("引", "引自"),
        ("报告", "向报告"),
        ("支付", "支付给"),
        ("支付", "支付給"),
        ("进口", "出口"),
        ("進口", "出口"),
        ("流入", "流出"),
        ("发布前", "发布后"),
        ("發布前", "發布後"),
        ("上级", "下级"),
        ("境内", "境外"),
        ("境內", "境外"),
    ] {
        assert!(turns(one, other), "{one} / {other}");
    }
    // Two ways to write one.
    for (one, other) in [("流入", "流进"), ("流入", "流進")] {
        assert!(same(one, other), "{one} / {other}");
    }
}

#[test]
fn each_word_of_a_passive_parts_it_from_the_active() {
    for (passive, active) in [
        ("are awarded", "awarded"),
        ("may be awarded", "may award"),
        ("has been awarded", "has awarded"),
        ("being awarded", "awarding"),
        ("is awarded", "awarded"),
        ("was awarded", "awarded"),
        ("were awarded", "awarded"),
        ("werden bezahlt", "bezahlt"),
        ("wird bezahlt", "bezahlt"),
        ("wurde bezahlt", "bezahlt"),
        ("wurden bezahlt", "bezahlt"),
    ] {
        assert!(turns(passive, active), "{passive} / {active}");
    }
}

#[test]
fn verbs_that_are_common_words_say_what_a_name_is_about() {
    for (active, passive) in [
        ("make", "is made by"),
        ("makes", "is made by"),
        ("making", "made by"),
        ("own", "is owned by"),
        ("owns", "is owned by"),
        ("use", "is used by"),
        ("uses", "is used by"),
        ("using", "used by"),
        ("do", "is done by"),
        ("does", "is done by"),
        ("did", "was done by"),
        ("doing", "done by"),
    ] {
        assert!(turns(active, passive), "{active} / {passive}");
    }
    for (one, other) in [
        ("is made by", "is used by"),
        ("made for", "owned by"),
        ("makes", "used by"),
        ("is done by", "makes"),
        ("is done by", "is by"),
    ] {
        assert!(!turns(one, other) && !same(one, other), "{one} / {other}");
    }
}

#[test]
fn words_that_say_nothing_beside_others_are_passed_over() {
    for (name, without) in [
        ("umfasst das Gebiet", "umfasst Gebiet"),
        ("gehört dem Staat", "gehört Staat"),
        ("regelt den Handel", "regelt Handel"),
        ("regelt der", "regelt"),
        ("regelt die", "regelt"),
        ("produce e vende", "produce vende"),
        ("braucht ein", "braucht"),
        ("braucht eine", "braucht"),
        ("dient einem", "dient"),
        ("braucht einen", "braucht"),
        ("dient einer", "dient"),
        ("cubre el", "cubre"),
        ("es miembro", "miembro"),
        ("est membre", "membre"),
        ("vend et achète", "vend achète"),
        ("fue alumno", "alumno"),
        ("haben gebaut", "gebaut"),
        ("hat gebaut", "gebaut"),
        ("ist Teil", "Teil"),
        ("couvre l'", "couvre"),
        ("cubre las", "cubre"),
        ("couvre les", "couvre"),
        ("cubre los", "cubre"),
        ("ont construit", "construit"),
        ("vend ou loue", "vend loue"),
        ("sind Teil", "Teil"),
        ("sont membres", "membres"),
        ("kauft und verkauft", "kauft verkauft"),
        ("war Teil", "Teil"),
        ("waren Teil", "Teil"),
    ] {
        assert!(same(name, without), "{name} / {without}");
    }
}
