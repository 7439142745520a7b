//! The `.proto` files as descriptors, with their comments.

use prost_reflect::DescriptorPool;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};
use std::collections::BTreeMap;
use std::path::Path;

/// The text of every file, by the name that imports use.
pub(crate) fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto");
    let folder = root.join("stratigraph/v1");
    let mut sources = BTreeMap::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(&root).unwrap();
        let name = name.to_str().unwrap().replace('\\', "/");
        sources.insert(name, std::fs::read_to_string(&path).unwrap());
    }
    sources
}

/// What those texts describe.
pub(crate) fn described(sources: &BTreeMap<String, String>) -> DescriptorPool {
    let mut resolver = ChainFileResolver::new();
    resolver.add(Texts(sources.clone()));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(resolver);
    compiler.open_files(sources.keys()).unwrap();
    compiler.descriptor_pool()
}

struct Texts(BTreeMap<String, String>);

impl FileResolver for Texts {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        let text = self.0.get(name);
        let text = text.ok_or_else(|| protox::Error::file_not_found(name))?;
        File::from_source(name, text)
    }
}
