//! The one table of column families: name, owner, picture of key and value, and how it is stored.
//!
//! Open, compact, check, scrub, dump, backup and statistics iterate [`FAMILIES`]; nothing lists
//! families by hand. A family's number never changes and is never used again, since it is its place
//! in arrays; its name is on disk.

/// One column family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Family {
    /// The database's own facts: identity, commit sequence, load marker, catalogue.
    Meta = 0,
    /// A node's labels and small properties, one record each.
    Nodes = 1,
    /// Long strings, apart from the records that traversals read.
    Text = 2,
    /// Relationship records: type, ends and properties.
    Edges = 3,
    /// Relationships seen from their source.
    Out = 4,
    /// Relationships seen from their target.
    In = 5,
    /// Sets of node ids by label.
    Labels = 6,
    /// Property index entries.
    PropIndex = 7,
    /// Members, levels and roots of hierarchies.
    Hierarchy = 8,
    /// Vectors, apart from the records that traversals read.
    Vectors = 9,
    /// Parts of vector index snapshots.
    VectorSnapshot = 10,
    /// Full-text postings.
    Postings = 11,
    /// What the derived indexes have not taken in yet.
    Journal = 12,
    /// What full-text indexes know of documents: statistics, directories, lengths, terms.
    TextDocuments = 13,
}

/// How a family is read and written, which decides how it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// Mostly read by whole key: a Bloom filter saves the reads that would find nothing.
    pub point_reads: bool,
    /// Length of the key's first part when scans stay within one such part: a filter on it saves
    /// opening the files that hold nothing for it.
    pub prefix_bytes: Option<usize>,
    /// Values large enough that compressing them costs more than it saves.
    pub incompressible: bool,
    /// Size of a block, the unit that is read and checked.
    pub block_bytes: usize,
}

/// A family's line in the table.
#[derive(Debug, Clone, Copy)]
pub struct FamilySpec {
    /// Which family.
    pub family: Family,
    /// Its name on disk.
    pub name: &'static str,
    /// The module that alone reads and writes it.
    pub owner: &'static str,
    /// A picture of its keys.
    pub key: &'static str,
    /// A picture of its values.
    pub value: &'static str,
    /// How it is stored.
    pub tuning: Tuning,
}

const POINT: Tuning = Tuning {
    point_reads: true,
    prefix_bytes: None,
    incompressible: false,
    block_bytes: 4 << 10,
};
const SCAN: Tuning = Tuning {
    point_reads: false,
    prefix_bytes: None,
    incompressible: false,
    block_bytes: 8 << 10,
};
const ADJACENCY: Tuning = Tuning {
    point_reads: false,
    prefix_bytes: Some(8),
    incompressible: false,
    block_bytes: 8 << 10,
};
const LONG: Tuning = Tuning {
    point_reads: true,
    prefix_bytes: None,
    incompressible: false,
    block_bytes: 16 << 10,
};
const NUMBERS: Tuning = Tuning {
    point_reads: true,
    prefix_bytes: None,
    incompressible: true,
    block_bytes: 16 << 10,
};

/// Every column family there is.
pub const FAMILIES: &[FamilySpec] = &[
    spec(
        Family::Meta,
        "meta",
        "storage",
        "[tag: 1][...]",
        "[format: 1][...]",
        POINT,
    ),
    spec(
        Family::Nodes,
        "nodes",
        "graph",
        "[node: 8 BE]",
        "[format: 1][labels][properties]",
        POINT,
    ),
    spec(
        Family::Text,
        "text",
        "graph",
        "[kind: 1][id: 8 BE][property: 4 BE]",
        "[format: 1][value]",
        LONG,
    ),
    spec(
        Family::Edges,
        "edges",
        "graph",
        "[edge: 8 BE]",
        "[format: 1][type][src][dst][properties]",
        POINT,
    ),
    spec(
        Family::Out,
        "out",
        "graph",
        "[src: 8 BE][type: 4 BE]([dst: 8 BE][edge: 8 BE])",
        "[] or, of the shorter key, [degree: varint]",
        ADJACENCY,
    ),
    spec(
        Family::In,
        "in",
        "graph",
        "[dst: 8 BE][type: 4 BE]([src: 8 BE][edge: 8 BE])",
        "[] or, of the shorter key, [degree: varint]",
        ADJACENCY,
    ),
    spec(
        Family::Labels,
        "labels",
        "graph",
        "[kind: 1][number: 4 BE][id >> 16: 6 BE]",
        "[format: 1][roaring, of id & FFFF]",
        POINT,
    ),
    spec(
        Family::PropIndex,
        "prop_index",
        "index/property",
        "[index: 4 BE][values: ordered]([id: 8 BE])",
        "[] or, of a unique index, [id: 8 BE]",
        POINT,
    ),
    spec(
        Family::Hierarchy,
        "hierarchy",
        "graph",
        "[hierarchy: 4 BE][kind: 1][...]",
        "[format: 1][...]",
        SCAN,
    ),
    spec(
        Family::Vectors,
        "vectors",
        "graph",
        "[property: 4 BE][kind: 1][id: 8 BE]",
        "[format: 1][f32 LE ...]",
        NUMBERS,
    ),
    spec(
        Family::VectorSnapshot,
        "vector_snapshot",
        "index/vector",
        "[index: 4 BE]([part: 4 BE]([generation: 4 BE]))",
        "[format: 1][part]",
        NUMBERS,
    ),
    spec(
        Family::Postings,
        "postings",
        "index/text",
        "[index: 4 BE][segment: 4 BE][part: 1][page: 4 BE]",
        "[format: 1][page]",
        LONG,
    ),
    spec(
        Family::Journal,
        "journal",
        "index",
        "[index: 4 BE][sequence: 8 BE]",
        "[format: 1][...]",
        SCAN,
    ),
    spec(
        Family::TextDocuments,
        "text_documents",
        "index/text",
        "[index: 4 BE][kind: 1][...]",
        "[format: 1][...]",
        LONG,
    ),
];

/// How many families there are.
pub const FAMILY_COUNT: usize = FAMILIES.len();

const fn spec(
    family: Family,
    name: &'static str,
    owner: &'static str,
    key: &'static str,
    value: &'static str,
    tuning: Tuning,
) -> FamilySpec {
    FamilySpec {
        family,
        name,
        owner,
        key,
        value,
        tuning,
    }
}

impl Family {
    /// The family's line in the table.
    #[must_use]
    pub fn spec(self) -> &'static FamilySpec {
        &FAMILIES[self.index()]
    }

    /// The family's name on disk.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// The family's place in the table.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The family of that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        FAMILIES
            .iter()
            .find(|spec| spec.name == name)
            .map(|spec| spec.family)
    }

    /// Every family in the table's order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + Clone {
        FAMILIES.iter().map(|spec| spec.family)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_stands_at_its_own_number_and_name() {
        for (index, spec) in FAMILIES.iter().enumerate() {
            assert_eq!(spec.family.index(), index, "{} is out of place", spec.name);
            assert_eq!(Family::by_name(spec.name), Some(spec.family));
        }
    }
}
