//! Judges against the second encoder in plain loops, with a head in plain loops on top.

use crate::tiny::{HIDDEN, MOST_TOKENS, Tiny, WORDS};
use serde_json::json;
use stratigraph_models::{
    LocalReranker, ModelError, ModelSource, Reranker, ScoreScale, open_embedder,
};

/// Puts a head on an encoder: the tensors of the inner and the outer layer have these names.
fn judge(mut tiny: Tiny, encoder: &str, inner: &str, outer: &str, seed: u64) -> Tiny {
    let mut random = fastrand::Rng::with_seed(seed);
    let tensors = std::mem::take(&mut tiny.tensors).into_iter();
    let within = |(name, tensor)| (format!("{encoder}{name}"), tensor);
    tiny.tensors = tensors.map(within).collect();
    for (name, shape) in [
        (format!("{inner}.weight"), vec![HIDDEN, HIDDEN]),
        (format!("{inner}.bias"), vec![HIDDEN]),
        (format!("{outer}.weight"), vec![1, HIDDEN]),
        (format!("{outer}.bias"), vec![1]),
    ] {
        let count = shape.iter().product();
        let numbers = (0..count).map(|_| random.f32() - 0.5).collect();
        tiny.tensors.insert(name, (shape, numbers));
    }
    tiny
}

/// The score of these ids, by loops: the first token, a matrix, a bend, a row.
fn score(encoder: &Tiny, judge: &Tiny, head: [&str; 2], ids: &[usize], kinds: &[usize]) -> f64 {
    let first = vec![encoder.rows(ids, kinds)[0].clone()];
    let mut inner = judge.linear(head[0], &first);
    inner.iter_mut().flatten().for_each(|x| *x = x.tanh());
    judge.linear(head[1], &inner)[0][0]
}

fn load(tiny: &Tiny) -> LocalReranker {
    let source = ModelSource::folder(tiny.write().keep());
    let judge = LocalReranker::builder()
        .threads(2)
        .name("tiny")
        .open(&source);
    let ModelSource::Folder(folder) = source else {
        unreachable!("it is a folder")
    };
    std::fs::remove_dir_all(folder).expect("it was there");
    judge.expect("loads")
}

/// Neither is read further than what there is room for. Then token after token is taken from the longer one; once they
/// are equally long, the one that was longer, or else the passage, has what is left over.
fn shortened<'a>(question: &'a [usize], passage: &'a [usize]) -> (&'a [usize], &'a [usize]) {
    let room = MOST_TOKENS - 3;
    let (question, passage) = (
        &question[..question.len().min(room)],
        &passage[..passage.len().min(room)],
    );
    let (mut first, mut second) = (question.len(), passage.len());
    while first + second > room {
        if first > second || (first == second && question.len() <= passage.len()) {
            first -= 1;
        } else {
            second -= 1;
        }
    }
    (&question[..first], &passage[..second])
}

fn spelt(ids: &[usize]) -> String {
    let words: Vec<&str> = ids.iter().map(|id| WORDS[*id]).collect();
    words.join(" ")
}

#[test]
fn bert_reads_pairs_of_every_length_with_their_kinds() {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let encoder = Tiny::new(seed);
    let head = ["bert.pooler.dense", "classifier"];
    let tiny = judge(encoder.clone(), "bert.", head[0], head[1], seed);
    let model = load(&tiny);
    assert_eq!((model.name(), model.max_tokens()), ("tiny", MOST_TOKENS));
    assert_eq!(model.scale(), ScoreScale::Logit);
    let words = [1, 4, 5, 6, 7, 8, 10];
    let mut some = |length: usize| -> Vec<usize> {
        (0..length)
            .map(|_| words[random.usize(0..words.len())])
            .collect()
    };
    for asked in [0, 1, 3, 4, 5, 8, 11] {
        let question = some(asked);
        let passages: Vec<Vec<usize>> = [0, 1, 2, 4, 5, 8, 13].map(&mut some).to_vec();
        let texts: Vec<String> = passages.iter().map(|ids| spelt(ids)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let scores = model.scores(&spelt(&question), &texts).expect("scores");
        for (passage, found) in passages.iter().zip(scores) {
            let (first, second) = shortened(&question, passage);
            let ids = [&[2], first, &[3], second, &[3]].concat();
            let mut kinds = vec![0; first.len() + 2];
            kinds.resize(ids.len(), 1);
            let expected = score(&encoder, &tiny, head, &ids, &kinds);
            let off = (f64::from(found) - expected).abs();
            assert!(
                off < 5e-6,
                "seed {seed}, {question:?} and {passage:?}: {found}, not {expected}"
            );
        }
    }
    assert!(model.scores("one", &[]).expect("nothing").is_empty());
}

#[test]
fn xlm_r_has_a_head_of_its_own_and_no_kinds() {
    let mut encoder = Tiny::roberta(31);
    encoder.sentence = json!({"max_seq_length": 14});
    let head = ["classifier.dense", "classifier.out_proj"];
    let tiny = judge(encoder.clone(), "roberta.", head[0], head[1], 31);
    let found = load(&tiny).scores("one two", &["graph", "node one"]);
    let found = found.expect("scores");
    for (found, ids) in found
        .iter()
        .zip([&[0, 4, 5, 2, 2, 6, 2][..], &[0, 4, 5, 2, 2, 8, 4, 2]])
    {
        let expected = score(&encoder, &tiny, head, ids, &vec![0; ids.len()]);
        assert!(
            (f64::from(*found) - expected).abs() < 5e-6,
            "{found}, not {expected}"
        );
    }
}

#[test]
fn what_is_no_judge_is_refused_by_name() {
    let refused = |tiny: &Tiny| {
        let loaded = LocalReranker::load(tiny.write().path());
        loaded.err().expect("it is no judge").to_string()
    };
    let whole = judge(
        Tiny::new(32),
        "bert.",
        "bert.pooler.dense",
        "classifier",
        32,
    );
    for name in [
        "bert.pooler.dense.weight",
        "classifier.weight",
        "classifier.bias",
    ] {
        let mut tiny = whole.clone();
        tiny.tensors.remove(name);
        assert!(refused(&tiny).contains(name));
    }
    // Three classes instead of a score.
    let mut tiny = whole.clone();
    let three = (vec![3, HIDDEN], vec![0.5; 3 * HIDDEN]);
    tiny.tensors.insert("classifier.weight".to_owned(), three);
    assert!(refused(&tiny).contains("[3, 12]"));
    for (pair, said) in [
        (json!([]), "without a pair"),
        (json!([{"Sequence": {"id": "B"}}]), "damaged"),
        (
            json!([{"Sequence": {"id": "A"}}, {"Sequence": {"id": "B", "type_id": 2}}]),
            "kinds below",
        ),
    ] {
        let mut tiny = whole.clone();
        tiny.tokenizer["post_processor"]["pair"] = pair;
        let error = refused(&tiny);
        assert!(error.contains(said), "{error}");
    }
    assert!(refused(&Tiny::qwen3(32)).contains("model_type"));
    // And a judge makes no vectors.
    let mut tiny = whole;
    tiny.config["architectures"] = json!(["BertForSequenceClassification"]);
    let folder = tiny.write();
    let error = open_embedder(&ModelSource::folder(folder.path())).err();
    let error = error.expect("it is a judge");
    assert!(matches!(error, ModelError::Unsupported { .. }), "{error:?}");
    assert!(error.to_string().contains("judges"), "{error}");
}

#[test]
fn weights_that_lead_to_no_number_are_an_error() {
    let mut tiny = judge(
        Tiny::new(33),
        "bert.",
        "bert.pooler.dense",
        "classifier",
        33,
    );
    let bias = tiny
        .tensors
        .get_mut("classifier.bias")
        .expect("it is there");
    bias.1[0] = f32::NAN;
    let error = load(&tiny).scores("one", &["two"]).expect_err("no number");
    assert!(matches!(error, ModelError::NotFinite { place: 0 }));
}
