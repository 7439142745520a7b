//! What the real MiniLM can read, and what is taken where it cannot. Without the model in the cache the test says so.

use stratigraph_models::{Embedder, LocalEmbedder, cached_minilm, choose_embedder};

const READ: [(&str, &str); 6] = [
    (
        "English",
        "The committee shall publish an annual report on the state of the rivers and their banks, together with its accounts.",
    ),
    (
        "German",
        "Der Ausschuss veröffentlicht jährlich einen Bericht über den Zustand der Flüsse und ihrer Ufer.",
    ),
    (
        "Italian",
        "La stazione appaltante verifica i requisiti di partecipazione degli operatori economici alla gara.",
    ),
    (
        "code",
        "fn main() { let total: u64 = rows.iter().map(|row| row.count).sum(); println!(\"{total}\"); }",
    ),
    (
        "a table",
        "2021 | 17.5 | 12,000 EUR | net income of the subsidiary | 3 %",
    ),
    ("numbers", "1 2 3 4 5 6 7"),
];

const NOT_READ: [(&str, &str); 8] = [
    (
        "Chinese",
        "国有企业审计发现，部分境外投资项目未按规定履行决策程序，存在重大风险隐患。",
    ),
    (
        "Japanese",
        "委員会は、河川とその堤防の状態に関する年次報告書を公表しなければならない。",
    ),
    (
        "Korean",
        "위원회는 하천과 제방의 상태에 관한 연례 보고서를 발표하여야 한다.",
    ),
    (
        "Russian",
        "Комиссия ежегодно публикует доклад о состоянии рек и их берегов вместе с отчётностью.",
    ),
    (
        "Arabic",
        "تنشر اللجنة تقريرا سنويا عن حالة الأنهار وضفافها مع حساباتها.",
    ),
    (
        "Hebrew",
        "הוועדה תפרסם דוח שנתי על מצב הנהרות וגדותיהם יחד עם חשבונותיה.",
    ),
    (
        "Hindi",
        "समिति नदियों और उनके तटों की स्थिति पर वार्षिक प्रतिवेदन प्रकाशित करेगी।",
    ),
    ("Thai", "คณะกรรมการต้องเผยแพร่รายงานประจำปีเกี่ยวกับสภาพของแม่น้ำ"),
];

#[test]
fn minilm_reads_latin_letters_and_says_so_of_others() {
    let Some(folder) = cached_minilm() else {
        eprintln!(
            "SKIPPED: the model is not in the cache; `cargo xtask setup --models` fetches it"
        );
        return;
    };
    let load = || {
        LocalEmbedder::builder()
            .threads(1)
            .load(&folder)
            .expect("the cached model loads")
    };
    let model = load();
    let coverage = |text: &str| {
        model
            .coverage(&[text])
            .expect("tokens")
            .expect("it can tell")
    };
    for (language, text) in READ {
        println!("{language}: {}", coverage(text));
    }
    for (language, text) in NOT_READ {
        println!("{language}: {}", coverage(text));
    }
    for (language, text) in READ {
        assert!(coverage(text).is_enough(), "{language}: {}", coverage(text));
    }
    for (language, text) in NOT_READ {
        assert!(
            !coverage(text).is_enough(),
            "{language}: {}",
            coverage(text)
        );
    }

    let texts: Vec<&str> = NOT_READ.iter().map(|(_, text)| *text).collect();
    let chosen = choose_embedder(Box::new(load()), &texts).expect("tokens");
    assert!(chosen.fell_back);
    assert_eq!(chosen.embedder.name(), "lexical-1");
    assert!(
        chosen.reason.contains("is used instead"),
        "{}",
        chosen.reason
    );
    let english: Vec<&str> = READ.iter().map(|(_, text)| *text).collect();
    let chosen = choose_embedder(Box::new(load()), &english).expect("tokens");
    assert!(!chosen.fell_back, "{}", chosen.reason);
    assert_eq!(chosen.embedder.name(), model.name());
    // A corpus with a foreign name here and there is still read.
    let mixed = format!("{} 审计 {}", READ[0].1, READ[1].1);
    let chosen = choose_embedder(Box::new(load()), &[&mixed, ""]).expect("tokens");
    assert!(!chosen.fell_back, "{}", chosen.reason);
}
