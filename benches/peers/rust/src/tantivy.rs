//! tantivy with its own English analysis, one indexing thread, and a number for each text.

use anyhow::Result;
use std::path::Path;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{TextAnalyzer, TokenStream};
use tantivy::{Index, IndexWriter, Searcher, TantivyDocument, Term};
use tantivy::fastfield::Column;

/// What the indexing thread may hold before it writes a segment: more than a portion needs.
const WRITER_BYTES: usize = 128 << 20;

pub struct Tantivy {
    searcher: Searcher,
    /// The numbers of the texts, by segment: looked up once, as a program that searches often would.
    numbers: Vec<Column<u64>>,
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
        let searcher = reader.searcher();
        let segments = searcher.segment_readers().iter();
        let numbers = segments.map(|segment| segment.fast_fields().u64("number")).collect::<Result<_, _>>()?;
        Ok(Self { searcher, numbers, text, analyzer: index.tokenizer_for_field(text)? })
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
        let best = self.searcher.search(&BooleanQuery::new(terms), &TopDocs::with_limit(k).order_by_score())?;
        let number = |segment: u32, document| self.numbers.get(segment as usize)?.first(document);
        Ok(best.iter().filter_map(|(_, address)| number(address.segment_ord, address.doc_id)).collect())
    }
}
