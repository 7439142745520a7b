use super::*;
use std::collections::BTreeMap;

/// One number for the length of the text, one for its purpose; counts the texts.
#[derive(Default)]
struct Lengths {
    computed: Mutex<Vec<String>>,
}

impl Lengths {
    fn compute(&self, texts: &[&str], purpose: f32) -> Result<Rows, ModelError> {
        let mut rows = Rows::zeros(texts.len(), 2)?;
        let mut computed = self.computed.lock().unwrap();
        for (place, (text, row)) in texts.iter().zip(rows.iter_mut()).enumerate() {
            if *text == "bad" {
                return Err(ModelError::NotFinite { place });
            }
            computed.push((*text).to_owned());
            row.copy_from_slice(&[text.len() as f32, purpose]);
        }
        Ok(rows)
    }
}

impl Embedder for Lengths {
    fn name(&self) -> &str {
        "lengths"
    }
    fn dimensions(&self) -> usize {
        2
    }
    fn max_tokens(&self) -> usize {
        9
    }
    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        self.compute(texts, 1.0)
    }
    fn embed_questions(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        self.compute(texts, 2.0)
    }
}

/// A database in memory.
#[derive(Default)]
struct Table {
    rows: Mutex<BTreeMap<(String, bool, TextHash), Vec<f32>>>,
}

impl VectorStore for Table {
    fn get(
        &self,
        embedder: &str,
        purpose: Purpose,
        texts: &[TextHash],
    ) -> Result<Vec<Option<Vec<f32>>>, Cause> {
        let rows = self.rows.lock().unwrap();
        let key = |text| (embedder.to_owned(), purpose == Purpose::Question, text);
        Ok(texts
            .iter()
            .map(|text| rows.get(&key(*text)).cloned())
            .collect())
    }

    fn put(
        &self,
        embedder: &str,
        purpose: Purpose,
        vectors: &[(TextHash, &[f32])],
    ) -> Result<(), Cause> {
        let mut rows = self.rows.lock().unwrap();
        for (text, row) in vectors {
            let key = (embedder.to_owned(), purpose == Purpose::Question, *text);
            rows.insert(key, row.to_vec());
        }
        Ok(())
    }
}

fn computed(cached: &Cached<Lengths>) -> Vec<String> {
    std::mem::take(&mut cached.embedder.inner().computed.lock().unwrap())
}

#[test]
fn each_text_is_computed_once_for_each_purpose() {
    let cached = Cached::new(Lengths::default(), 1 << 20);
    let rows = cached.embed(&["aa", "b", "aa", "", "b"]).unwrap();
    assert_eq!(rows.values(), [2., 1., 1., 1., 2., 1., 0., 1., 1., 1.]);
    assert_eq!(computed(&cached), ["aa", "b", ""]);
    let rows = cached.embed(&["b", "ccc", "aa"]).unwrap();
    assert_eq!(rows.values(), [1., 1., 3., 1., 2., 1.]);
    assert_eq!(computed(&cached), ["ccc"]);
    let rows = cached.embed_questions(&["aa"]).unwrap();
    assert_eq!(rows.values(), [2., 2.]);
    assert_eq!(computed(&cached), ["aa"]);
    let counts = cached.counts();
    assert_eq!(
        (counts.from_memory, counts.from_store, counts.computed),
        (4, 0, 5)
    );
    assert!(cached.embed(&[]).unwrap().is_empty());
}

#[test]
fn a_store_outlives_the_process_and_is_not_believed_blindly() {
    let store = Arc::new(Table::default());
    let new = || Cached::new(Lengths::default(), 1 << 20).with_store(store.clone());
    let first = new();
    first.embed(&["aa", "b"]).unwrap();
    first.embed_questions(&["aa"]).unwrap();
    assert_eq!(store.rows.lock().unwrap().len(), 3);
    let again = new();
    let rows = again.embed(&["b", "ccc", "aa", "b"]).unwrap();
    assert_eq!(rows.values(), [1., 1., 3., 1., 2., 1., 1., 1.]);
    assert_eq!(computed(&again), ["ccc"]);
    assert_eq!(again.counts().from_store, 2);
    // Of another width, of no numbers, of nothing: each is made again and replaced.
    for damaged in [vec![1.0], vec![f32::NAN, 1.0], vec![0.0, 0.0]] {
        let key = ("lengths".to_owned(), false, TextHash::of("b"));
        store.rows.lock().unwrap().insert(key.clone(), damaged);
        assert_eq!(new().embed(&["b"]).unwrap().values(), [1., 1.]);
        assert_eq!(store.rows.lock().unwrap()[&key], [1., 1.]);
    }
}

#[test]
fn an_error_names_the_place_of_the_caller_and_nothing_half_done_is_kept() {
    let store = Arc::new(Table::default());
    let cached = Cached::new(Lengths::default(), 1 << 20).with_store(store.clone());
    cached.embed(&["aa"]).unwrap();
    let error = cached.embed(&["aa", "b", "b", "bad"]).unwrap_err();
    assert!(
        matches!(error, ModelError::NotFinite { place: 3 }),
        "{error:?}"
    );
    assert_eq!(store.rows.lock().unwrap().len(), 1);
}

#[test]
fn hashes_are_sha_256() {
    let abc = format!("{:?}", TextHash::of("abc"));
    assert_eq!(
        abc,
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(TextHash::of("abc").as_bytes()[0], 0xba);
}
