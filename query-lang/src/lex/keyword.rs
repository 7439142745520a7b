//! The words that mean something to the parser.
//!
//! None of them is reserved: a keyword is a name wherever a name may stand. The lexer only notes which
//! keyword a word could be, so that the parser compares numbers and no text.
//!
//! Next: `text.rs`.

macro_rules! keywords {
    ($($keyword:ident = $text:literal,)*) => {
        /// A word that means something in some place.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum Keyword {
            $($keyword,)*
        }

        impl Keyword {
            /// All of them, in the order of the alphabet.
            pub(crate) const ALL: &[Self] = &[$(Self::$keyword,)*];

            /// The word in capitals.
            pub(crate) const fn text(self) -> &'static str {
                match self {
                    $(Self::$keyword => $text,)*
                }
            }
        }
    };
}

keywords! {
    All = "ALL",
    AllShortestPaths = "ALLSHORTESTPATHS",
    And = "AND",
    Any = "ANY",
    As = "AS",
    Asc = "ASC",
    Ascending = "ASCENDING",
    Break = "BREAK",
    Budget = "BUDGET",
    By = "BY",
    Call = "CALL",
    Candidates = "CANDIDATES",
    Case = "CASE",
    Collect = "COLLECT",
    Concurrent = "CONCURRENT",
    Constraint = "CONSTRAINT",
    Constraints = "CONSTRAINTS",
    Contains = "CONTAINS",
    Continue = "CONTINUE",
    Count = "COUNT",
    Create = "CREATE",
    Cypher = "CYPHER",
    Delete = "DELETE",
    Desc = "DESC",
    Descending = "DESCENDING",
    Detach = "DETACH",
    Distinct = "DISTINCT",
    Drop = "DROP",
    Each = "EACH",
    Edges = "EDGES",
    Else = "ELSE",
    Emit = "EMIT",
    End = "END",
    Ends = "ENDS",
    Error = "ERROR",
    Exact = "EXACT",
    Exceed = "EXCEED",
    Exists = "EXISTS",
    Explain = "EXPLAIN",
    Fail = "FAIL",
    False = "FALSE",
    Finish = "FINISH",
    For = "FOR",
    ForEach = "FOREACH",
    From = "FROM",
    FullText = "FULLTEXT",
    Function = "FUNCTION",
    Functions = "FUNCTIONS",
    Group = "GROUP",
    Groups = "GROUPS",
    Hierarchies = "HIERARCHIES",
    Hierarchy = "HIERARCHY",
    If = "IF",
    In = "IN",
    Index = "INDEX",
    Indexes = "INDEXES",
    Inf = "INF",
    Infinity = "INFINITY",
    Is = "IS",
    Keep = "KEEP",
    Kept = "KEPT",
    Key = "KEY",
    Levels = "LEVELS",
    Limit = "LIMIT",
    Match = "MATCH",
    Merge = "MERGE",
    Milliseconds = "MILLISECONDS",
    Nan = "NAN",
    Node = "NODE",
    Nodes = "NODES",
    None = "NONE",
    Not = "NOT",
    Null = "NULL",
    Of = "OF",
    Offset = "OFFSET",
    On = "ON",
    Optional = "OPTIONAL",
    Options = "OPTIONS",
    Or = "OR",
    Order = "ORDER",
    Parent = "PARENT",
    Path = "PATH",
    Paths = "PATHS",
    Per = "PER",
    Procedure = "PROCEDURE",
    Procedures = "PROCEDURES",
    Profile = "PROFILE",
    Range = "RANGE",
    Recover = "RECOVER",
    Reduce = "REDUCE",
    Relationship = "RELATIONSHIP",
    Remove = "REMOVE",
    Report = "REPORT",
    Require = "REQUIRE",
    Return = "RETURN",
    Row = "ROW",
    Rows = "ROWS",
    Score = "SCORE",
    Search = "SEARCH",
    Set = "SET",
    Shortest = "SHORTEST",
    ShortestPath = "SHORTESTPATH",
    Show = "SHOW",
    Single = "SINGLE",
    Skip = "SKIP",
    Starts = "STARTS",
    Status = "STATUS",
    Step = "STEP",
    Stop = "STOP",
    Then = "THEN",
    Top = "TOP",
    Transaction = "TRANSACTION",
    Transactions = "TRANSACTIONS",
    Traverse = "TRAVERSE",
    Tree = "TREE",
    True = "TRUE",
    Typed = "TYPED",
    Unfiltered = "UNFILTERED",
    Union = "UNION",
    Unique = "UNIQUE",
    Unwind = "UNWIND",
    Vector = "VECTOR",
    When = "WHEN",
    Where = "WHERE",
    With = "WITH",
    Xor = "XOR",
    Yield = "YIELD",
}

/// The length of the longest of them.
const LONGEST: usize = 16;

impl Keyword {
    /// The keyword that `word` is, whatever its case.
    pub(crate) fn of(word: &str) -> Option<Self> {
        let mut capitals = [0; LONGEST];
        let capitals = capitals.get_mut(..word.len())?;
        for (capital, byte) in capitals.iter_mut().zip(word.bytes()) {
            if !byte.is_ascii_alphabetic() {
                return None;
            }
            *capital = byte.to_ascii_uppercase();
        }
        let capitals = &*capitals;
        let at = Self::ALL
            .binary_search_by(|keyword| keyword.text().as_bytes().cmp(capitals))
            .ok()?;
        Self::ALL.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_is_found_in_any_case() {
        for &keyword in Keyword::ALL {
            assert!(keyword.text().len() <= LONGEST);
            assert_eq!(Keyword::of(keyword.text()), Some(keyword));
            assert_eq!(Keyword::of(&keyword.text().to_lowercase()), Some(keyword));
        }
        assert!(Keyword::ALL.is_sorted_by_key(|keyword| keyword.text()));
        for word in [
            "",
            "MATC",
            "MATCHA",
            "MATCH1",
            "a_very_long_word_indeed",
            "ſet",
        ] {
            assert_eq!(Keyword::of(word), None, "{word}");
        }
    }
}
