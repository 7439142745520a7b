//! The words for errors: type, phase, detail.
//!
//! Next: `fault.rs`.

/// When an error was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Before the query read anything.
    Compile,
    /// While it ran.
    Runtime,
}

impl Phase {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Compile => "compile time",
            Self::Runtime => "runtime",
        }
    }
}

macro_rules! error_types {
    ($($(#[$doc:meta])* $name:ident,)+) => {
        /// The type of a query's error. The list is closed on purpose, as it is the language's.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorType {
            $($(#[$doc])* $name,)+
        }

        impl ErrorType {
            /// The word for it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)+ }
            }
        }
    };
}

error_types! {
    /// The text is no query, or one that cannot mean anything.
    SyntaxError,
    /// What it says cannot be done with what is there.
    SemanticError,
    /// A value has another type than is needed.
    TypeError,
    /// An argument is out of its range.
    ArgumentError,
    /// A computation has no result.
    ArithmeticError,
    /// A node or relationship is not there.
    EntityNotFound,
    /// A parameter was not given.
    ParameterMissing,
    /// A procedure cannot be called like this.
    ProcedureError,
    /// A constraint would be broken by what is changed.
    ConstraintValidationFailed,
    /// A constraint of the graph itself would be broken.
    ConstraintVerificationFailed,
    /// A limit was met.
    LimitExceeded,
    /// An index or a constraint cannot be declared or dropped.
    SchemaError,
}

macro_rules! details {
    ($($(#[$doc:meta])* $name:ident: $compile:ident / $runtime:ident,)+) => {
        /// What exactly is wrong: a stable code, the same in every version.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Detail {
            $($(#[$doc])* $name,)+
        }

        impl Detail {
            /// Every detail there is.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The word for it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)+ }
            }

            /// The type of error that it is, found in `phase`.
            #[must_use]
            pub fn error_type(self, phase: Phase) -> ErrorType {
                match (self, phase) {
                    $((Self::$name, Phase::Compile) => ErrorType::$compile,
                      (Self::$name, Phase::Runtime) => ErrorType::$runtime,)+
                }
            }
        }
    };
}

details! {
    /// Something stands where it cannot.
    UnexpectedSyntax: SyntaxError / SyntaxError,
    /// The statement nests too deeply.
    NestingTooDeep: SyntaxError / SyntaxError,
    /// The statement is too long.
    QueryTooLong: SyntaxError / SyntaxError,
    /// A whole number does not fit into 64 bits.
    IntegerOverflow: SyntaxError / ArithmeticError,
    /// A number is larger than a float can be.
    FloatingPointOverflow: SyntaxError / ArithmeticError,
    /// A number that is none.
    InvalidNumberLiteral: SyntaxError / SyntaxError,
    /// `\u` without its digits.
    InvalidUnicodeLiteral: SyntaxError / SyntaxError,
    /// A character that no statement has.
    InvalidUnicodeCharacter: SyntaxError / SyntaxError,
    /// A relationship pattern that is none.
    InvalidRelationshipPattern: SyntaxError / SyntaxError,
    /// Clauses that cannot stand beside each other.
    InvalidClauseComposition: SyntaxError / SyntaxError,
    /// A part of a clause that is there already.
    DuplicateSubclause: SyntaxError / SyntaxError,
    /// A step of `TRAVERSE` that is more than one.
    InvalidTraverseStep: SyntaxError / SyntaxError,
    /// `RECOVER` without a last level.
    UnboundedRecover: SyntaxError / ArgumentError,
    /// A variable that nothing has bound.
    UndefinedVariable: SyntaxError / SyntaxError,
    /// A variable that is bound already.
    VariableAlreadyBound: SyntaxError / SyntaxError,
    /// A variable that is something else here than there.
    VariableTypeConflict: SyntaxError / SyntaxError,
    /// A value of a type that is not taken here.
    InvalidArgumentType: SyntaxError / TypeError,
    /// A value that is not taken here.
    InvalidArgumentValue: ArgumentError / TypeError,
    /// An aggregate where there is nothing to aggregate.
    InvalidAggregation: SyntaxError / SyntaxError,
    /// An aggregate within another.
    NestedAggregation: SyntaxError / SyntaxError,
    /// Part of an item is neither grouped by nor aggregated.
    AmbiguousAggregationExpression: SyntaxError / SyntaxError,
    /// Two columns of one name.
    ColumnNameConflict: SyntaxError / SyntaxError,
    /// An item of WITH that needs a name.
    NoExpressionAlias: SyntaxError / SyntaxError,
    /// `*` where there is no variable.
    NoVariablesInScope: SyntaxError / SyntaxError,
    /// The queries of a UNION have other columns.
    DifferentColumnsInUnion: SyntaxError / SyntaxError,
    /// A relationship of variable length cannot be created.
    CreatingVarLength: SyntaxError / SyntaxError,
    /// A relationship needs one type to be created.
    NoSingleRelationshipType: SyntaxError / SyntaxError,
    /// A relationship needs a direction to be created.
    RequiresDirectedRelationship: SyntaxError / SyntaxError,
    /// One relationship cannot be two of a pattern.
    RelationshipUniquenessViolation: SyntaxError / SyntaxError,
    /// This cannot be deleted.
    InvalidDelete: SyntaxError / SyntaxError,
    /// A parameter where none can stand.
    InvalidParameterUse: SyntaxError / SyntaxError,
    /// A number that must be known before the query runs.
    NonConstantExpression: SyntaxError / SyntaxError,
    /// A negative number where there can be none.
    NegativeIntegerArgument: SyntaxError / SyntaxError,
    /// No such function.
    UnknownFunction: SyntaxError / SyntaxError,
    /// Too many arguments, or too few.
    InvalidNumberOfArguments: SyntaxError / SyntaxError,
    /// Arguments that are left to parameters, where they cannot be.
    InvalidArgumentPassingMode: SyntaxError / SyntaxError,
    /// No such procedure.
    ProcedureNotFound: ProcedureError / ProcedureError,
    /// A procedure gives no such column.
    UnknownYieldColumn: SyntaxError / SyntaxError,
    /// A parameter that was not given.
    MissingParameter: ParameterMissing / ParameterMissing,
    /// A number out of its range.
    NumberOutOfRange: ArgumentError / ArgumentError,
    /// A division by zero.
    DivisionByZero: ArithmeticError / ArithmeticError,
    /// A map has no element of that kind of key.
    MapElementAccessByNonString: TypeError / TypeError,
    /// A list has no element of that kind of index.
    ListElementAccessByNonInteger: TypeError / TypeError,
    /// A property of this type cannot be stored.
    InvalidPropertyType: TypeError / TypeError,
    /// What was deleted is used.
    DeletedEntityAccess: EntityNotFound / EntityNotFound,
    /// A node that still has relationships.
    DeleteConnectedNode: ConstraintVerificationFailed / ConstraintVerificationFailed,
    /// MERGE with a null property.
    MergeReadOwnWrites: SemanticError / SemanticError,
    /// A constraint that a change would break.
    ConstraintBroken: ConstraintValidationFailed / ConstraintValidationFailed,
    /// A text that is no value of that type.
    InvalidTemporalText: ArgumentError / ArgumentError,
    /// A regular expression that is none.
    InvalidRegularExpression: ArgumentError / ArgumentError,
    /// The statement changes the graph, and may not here.
    ReadOnlyQuery: SemanticError / SemanticError,
    /// The result is cut off by a limit on memory.
    MemoryLimit: LimitExceeded / LimitExceeded,
    /// The time is over.
    TimeLimit: LimitExceeded / LimitExceeded,
    /// More rows than were allowed.
    RowLimit: LimitExceeded / LimitExceeded,
    /// More work than was allowed.
    StepLimit: LimitExceeded / LimitExceeded,
    /// A traversal would cost more than its BUDGET.
    BudgetExceeded: LimitExceeded / LimitExceeded,
    /// This is in the language but not yet in this engine.
    NotSupported: SemanticError / SemanticError,
    /// Something declared is there already.
    AlreadyDeclared: SchemaError / SchemaError,
    /// Something declared is not there.
    NotDeclared: SchemaError / SchemaError,
    /// Something cannot be declared like this.
    InvalidDeclaration: SchemaError / SchemaError,
    /// A procedure or a function of the host failed.
    ProcedureFailed: ProcedureError / ProcedureError,
    /// Vectors that should be compared have different dimensions.
    VectorDimensionMismatch: ArgumentError / ArgumentError,
    /// No such vector index.
    VectorIndexNotFound: SchemaError / SchemaError,
    /// No such full-text index.
    FulltextIndexNotFound: SchemaError / SchemaError,
    /// No such hierarchy.
    HierarchyNotFound: SchemaError / SchemaError,
    /// This cannot be done within a transaction.
    InvalidTransaction: SemanticError / SemanticError,
}
