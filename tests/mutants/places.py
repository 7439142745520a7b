"""Finds what can be made wrong in a file of Rust, and writes every such mistake into it behind a number.

The mistakes are those of cargo-mutants: a body that only returns a value of its type, another operator, a `!` or `-`
that is missing, an arm of a `match` that is missing, a guard that is always or never true. cargo-mutants makes one
mistake, builds, runs the tests, and takes it back; a build of the engine takes longer than its tests. Here all of them are
in one program, and `mutants::on(7)` says whether the seventh is made.

What cannot stand behind a number is left out: constants, `const fn`, macros, and bodies whose type is only known by
what they return (`impl Trait`), or has no value that is known here.
"""

import re
from dataclasses import dataclass, field
from itertools import product

import tree_sitter_rust
from tree_sitter import Language, Node, Parser

OPERATORS = {
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "<": ["==", ">", "<="], ">": ["==", "<", ">="], "<=": [">"], ">=": ["<"],
    "+": ["-", "*"], "-": ["+", "/"], "*": ["+", "/"], "/": ["%", "*"], "%": ["/", "+"],
    "<<": [">>"], ">>": ["<<"], "&": ["|", "^"], "|": ["&", "^"], "^": ["|", "&"],
    "+=": ["-=", "*="], "-=": ["+=", "/="], "*=": ["+=", "/="], "/=": ["%=", "*="], "%=": ["/=", "+="],
    "<<=": [">>="], ">>=": ["<<="], "&=": ["|="], "|=": ["&="], "^=": ["|=", "&="],
}  # fmt: skip
UNSIGNED = {"u8", "u16", "u32", "u64", "u128", "usize"}
SIGNED = {"i8", "i16", "i32", "i64", "i128", "isize"}
KNOWN = {
    "()": ["()"], "bool": ["true", "false"], "String": ["String::new()", '"xyzzy".into()'],
    "fmt::Result": ["Ok(())"], "Arc<str>": ['"".into()', '"xyzzy".into()'],
    "&str": ['""', '"xyzzy"'], "&'static str": ['""', '"xyzzy"'], "f32": ["0.0", "1.0", "-1.0"], "f64": ["0.0", "1.0", "-1.0"],
}  # fmt: skip
PARSER = Parser(Language(tree_sitter_rust.language()))


@dataclass
class Mutant:
    """One mistake: where it is, what it is, and the texts that put it there."""

    file: str
    line: int
    function: str
    what: str
    edits: list = field(repr=False)
    number: int = 0

    def __str__(self):
        return f"{self.file}:{self.line} {self.function}: {self.what}"


def arguments(kind: str) -> list[str]:
    """The parts of `A<B, C>`, or of `(B, C)`, between the outermost brackets."""
    inner = kind[kind.index("<") + 1 : -1] if kind.endswith(">") else kind[1:-1]
    parts, depth, last = [], 0, 0
    for at, letter in enumerate(inner):
        depth += (letter in "<([") - (letter in ">)]")
        if letter == "," and depth == 0:
            parts.append(inner[last:at].strip())
            last = at + 1
    return [part for part in [*parts, inner[last:].strip()] if part]


def values(kind: str, defaults: set[str]) -> list[str]:
    """Expressions of a type; none where no value of it is known."""
    if kind in KNOWN:
        return KNOWN[kind]
    if kind in UNSIGNED:
        return ["0", "1"]
    if kind in SIGNED:
        return ["0", "1", "-1"]
    if re.match(r"&('\w+ )?\[u8\]$", kind):
        return ["&[]", "&[0]", "&[1]"]
    if array := re.match(r"\[(\w+); (\w+)\]$", kind):
        return [f"[{one}; {array[2]}]" for one in values(array[1], defaults)]
    if kind.startswith("("):
        return [f"({', '.join(each)})" for each in product(*(values(part, defaults) for part in arguments(kind)))]
    outer = kind.split("<", 1)[0].rsplit("::", 1)[-1]
    if "<" in kind and not kind.startswith("&"):
        inner = arguments(kind)
        if outer == "Option":
            return ["None", *(f"Some({one})" for one in values(inner[0], defaults))]
        if outer == "Result":
            return [f"Ok({one})" for one in values(inner[0], defaults)]
        if outer == "Vec":
            return ["vec![]", *(f"vec![{one}]" for one in values(inner[0], defaults))]
        if outer in ("Box", "Arc", "Rc") and inner[0] != "str":
            return [f"{outer}::new({one})" for one in values(inner[0], defaults)]
        if outer in ("BTreeMap", "HashMap", "BTreeSet", "HashSet"):
            return ["Default::default()"]
        if outer == "Cow":
            return [f"std::borrow::Cow::Borrowed({one})" for one in values("&" + inner[-1], defaults)]
    return ["Default::default()"] if kind in defaults else []


class File:
    """A file and the mutants in it."""

    def __init__(self, name: str, text: bytes, defaults: set[str]):
        self.name, self.source, self.defaults = name, text, defaults
        self.mutants: list[Mutant] = []
        self.functions: list[str] = []
        self.owner = ""
        self.walk(PARSER.parse(text).root_node)

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode()

    def add(self, node: Node, what: str, *edits):
        """An edit is a place, whether it opens, the length of what it encloses, and a text with `{on}` in it."""
        function = "::".join(filter(None, [self.owner, self.functions[-1]]))
        self.mutants.append(Mutant(self.name, node.start_point.row + 1, function, what, list(edits)))

    def around(self, node: Node, before: str, after: str):
        length = node.end_byte - node.start_byte
        return (node.start_byte, True, length, before), (node.end_byte, False, length, after)

    def walk(self, node: Node):
        if node.type in ("const_item", "static_item", "macro_invocation", "macro_definition", "array_type", "attribute_item"):
            return
        before = node.prev_named_sibling
        while before is not None and before.type in ("attribute_item", "line_comment"):
            if re.search(r"cfg\(.*(test|loom|planted)|#\[(tokio::)?test", self.text(before)):
                return
            before = before.prev_named_sibling
        owner = self.owner
        if node.type == "impl_item":
            self.owner = re.sub(r"<.*", "", self.text(node.child_by_field_name("type")))
        is_function = node.type == "function_item"
        if is_function:
            modifiers = [self.text(child) for child in node.children if child.type == "function_modifiers"]
            if "const" in " ".join(modifiers):
                return
            self.functions.append(self.text(node.child_by_field_name("name")))
            self.body(node)
        if self.functions:
            self.expression(node)
        for child in node.children:
            self.walk(child)
        if is_function:
            self.functions.pop()
        self.owner = owner

    def body(self, node: Node):
        kind, body = node.child_by_field_name("return_type"), node.child_by_field_name("body")
        name = self.functions[-1]
        if body is None or body.named_child_count == 0 or name in ("new", "default"):
            return
        kind = "()" if kind is None else " ".join(self.text(kind).split())
        for value in values(kind, self.defaults):
            if "".join(self.text(body).split()) != "{" + "".join(value.split()) + "}":
                self.add(node, f"returns {value}", (body.start_byte + 1, True, 0, f" if {{on}} {{{{ return {value}; }}}} "))

    def expression(self, node: Node):
        if node.type in ("binary_expression", "compound_assignment_expr"):
            left, right = (node.child_by_field_name(side) for side in ("left", "right"))
            operator = self.text(node.child_by_field_name("operator"))
            for other in OPERATORS.get(operator, []):
                wrong = braced(f"{self.text(left)} {other} {self.text(right)}")
                place = self.around(node, f"(if {{on}} {{{{ {wrong} }}}} else {{{{ ", " }})")
                self.add(node, f"{operator} is {other}", *place)
        elif node.type == "unary_expression" and (sign := self.text(node)[0]) in "!-":
            right = braced(self.text(node.named_children[0]))
            self.add(node, f"no {sign}", *self.around(node, f"(if {{on}} {{{{ {right} }}}} else {{{{ ", " }})"))
        elif node.type == "match_block":
            self.arms([arm for arm in node.named_children if arm.type == "match_arm"])

    def arms(self, arms: list[Node]):
        patterns = [arm.child_by_field_name("pattern") for arm in arms]
        has_rest = any(self.text(pattern) == "_" for pattern in patterns)
        for pattern in patterns:
            guard = pattern.child_by_field_name("condition")
            chained = guard is not None and guard.type in ("let_condition", "let_chain")
            said = " ".join(self.text(pattern).split())
            if guard is not None and not chained:
                self.add(pattern, f"guard of {said} is true", *self.around(guard, "{on} || (", ")"))
                self.add(pattern, f"guard of {said} is false", *self.around(guard, "!{on} && (", ")"))
            if has_rest and self.text(pattern) != "_":
                if guard is None:
                    edits = [(pattern.end_byte, False, 0, " if !{on}")]
                elif chained:
                    edits = [(guard.start_byte, True, 0, "!{on} && ")]
                else:
                    edits = self.around(guard, "!{on} && (", ")")
                self.add(pattern, f"no arm {said}", *edits)


def braced(text: str) -> str:
    """A text that `format` leaves as it is."""
    return text.replace("{", "{{").replace("}", "}}")


def planted(source: bytes, mutants: list[Mutant]) -> bytes:
    """The file with all of these mutants in it. Of two that begin together, the longer encloses the shorter."""
    edits = []
    for order, mutant in enumerate(mutants):
        for place, opens, length, text in mutant.edits:
            text = text.format(on=f"crate::mutants::on({mutant.number})")
            edits.append((place, opens, -length, order, text) if opens else (place, opens, length, -order, text))
    out, last = bytearray(), 0
    for place, _, _, _, text in sorted(edits):
        out += source[last:place] + text.encode()
        last = place
    return bytes(out + source[last:])
