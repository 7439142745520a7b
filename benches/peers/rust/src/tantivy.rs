//! tantivy with its own English analysis, one indexing thread, and a number for each text.

use anyhow::Result;
use std::path::Path;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{TextAnalyzer, TokenStream};
use tantivy::{Index, IndexReader, IndexWriter, TantivyDocument, Term};

/// What the indexing thread may hold before it writes a segment: more than a portion needs.
const WRITER_BYTES: usize = 128 << 20;

pub struct Tantivy {
    reader: IndexReader,
    text: Field,
    analyzer: TextAnalyzer,
}

impl Tantivy {
    pub fn build(place: &Path, texts: &[String], portion: usize) -> Result<Self> {
        std::fs::create_dir_all(place)?;
        let mut schema = Schema::builder();
        let number = schema.add_u64_field("number", FAST);
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("en_stem")
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let text = schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
        let index = Index::create_in_dir(place, schema.build())?;
        let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
        for (at, body) in texts.iter().enumerate() {
            let mut document = TantivyDocument::default();
            document.add_u64(number, at as u64);
            document.add_text(text, body);
            writer.add_document(document)?;
            if (at + 1) % portion == 0 {
                writer.commit()?;
            }
        }
        writer.commit()?;
        writer.wait_merging_threads()?;
        let reader = index.reader()?;
        reader.reload()?;
        Ok(Self { reader, text, analyzer: index.tokenizer_for_field(text)? })
    }

    /// The numbers of the best texts that have any of the words.
    pub fn search(&self, question: &str, k: usize) -> Result<Vec<u64>> {
        let mut analyzer = self.analyzer.clone();
        let mut stream = analyzer.token_stream(question);
        let mut terms: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        while let Some(token) = stream.next() {
            let term = Term::from_field_text(self.text, &token.text);
            terms.push((Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))));
        }
        let searcher = self.reader.searcher();
        let best = searcher.search(&BooleanQuery::new(terms), &TopDocs::with_limit(k).order_by_score())?;
        let mut found = Vec::with_capacity(best.len());
        for (_, address) in best {
            let numbers = searcher.segment_reader(address.segment_ord).fast_fields().u64("number")?;
            found.extend(numbers.first(address.doc_id));
        }
        Ok(found)
    }
}
