"""Text -> predicate, in the part of SQL that filters need.

or     = and {OR and}
and    = not {AND not}
not    = NOT not | "(" or ")" | test
test   = column (op literal | [NOT] IN "(" literal {"," literal} ")" | [NOT] BETWEEN literal AND literal
         | [NOT] LIKE text | IS [NOT] NULL)
op     = "=" | "<>" | "!=" | "<" | "<=" | ">" | ">="
literal = number | 'text' | TRUE | FALSE | DATE 'text' | TIME 'text' | TIMESTAMP 'text' | X'hex'
column = name | `any name`
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, NoReturn

from core.errors import InvalidRequestError
from core.predicate.predicate import (
    MAX_DEPTH,
    And,
    Comparison,
    In,
    IsNull,
    Like,
    Not,
    Operator,
    Or,
    Predicate,
)

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<hex>[xX]'[^']*')
      | '(?P<text>(?:[^']|'')*)'
      | `(?P<name>(?:[^`]|``)+)`
      | (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w$])
      | (?P<word>[^\W\d][\w$]*)
      | (?P<mark><>|!=|<=|>=|[=<>(),.\[\]])
    )""",
    re.VERBOSE,
)
KEYWORDS = frozenset(
    "AND OR NOT IN BETWEEN LIKE IS NULL TRUE FALSE DATE TIME TIMESTAMP".split()  # noqa: SIM905
)
_OPERATORS = {**{o.value: o for o in Operator}, "!=": Operator.NOT_EQUAL}
_MOST_DIGITS = 400  # the largest double has 309
_TYPED = ("DATE", "TIME", "TIMESTAMP")


def parse_predicate(text: str) -> Predicate:
    """The predicate that `text` spells, not bound yet.

    Raises:
        InvalidRequestError: the text breaks the grammar, with the place; or is nested too deeply.
    """
    parser = _Parser(text)
    predicate = parser.disjunction()
    parser.expect_end()
    return predicate


def predicate_of(filter: Predicate | str | None) -> Predicate | None:
    """A filter as callers give it, not bound yet; None for none.

    Raises:
        InvalidRequestError: neither a predicate nor a text that spells one.
    """
    if filter is None or isinstance(filter, Predicate):
        return filter
    if not isinstance(filter, str):
        raise InvalidRequestError("a filter is a text or a predicate", found=repr(filter))
    return parse_predicate(filter)


class _Parser:
    """Tokens are (kind, text, position); kinds are the groups of `_TOKEN` and `end`."""

    def __init__(self, text: str) -> None:
        self._source = text
        self._tokens: list[tuple[str, str, int]] = []
        self._at = 0
        self._depth = 0
        self._tokenize()

    def _tokenize(self) -> None:
        at, end = 0, len(self._source.rstrip())
        while at < end:
            match = _TOKEN.match(self._source, at)
            if match is None or match.lastgroup is None:
                start = at + len(self._source[at:]) - len(self._source[at:].lstrip())
                self._fail(f"cannot read {self._source[start : start + 20]!r}", start)
            kind, token = match.lastgroup, match.group(match.lastgroup)
            self._tokens.append((kind, token, match.start(match.lastgroup)))
            at = match.end()
        self._tokens.append(("end", "the end", end))

    def disjunction(self) -> Predicate:
        parts = [self._conjunction()]
        while self._accept("OR"):
            parts.append(self._conjunction())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _conjunction(self) -> Predicate:
        parts = [self._negation()]
        while self._accept("AND"):
            parts.append(self._negation())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _negation(self) -> Predicate:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail(f"nested more than {MAX_DEPTH} deep")
        if self._accept("NOT"):
            inner: Predicate = Not(self._negation())
        elif self._accept_mark("("):
            inner = self.disjunction()
            self._expect_mark(")")
        else:
            inner = self._test()
        self._depth -= 1
        return inner

    def _test(self) -> Predicate:
        column = self._column()
        kind, token, at = self._next()
        if kind == "mark" and token in ".[":
            self._fail(f"a filter names whole columns, and nothing inside of {column!r}", at)
        if kind == "mark" and token in _OPERATORS:
            return Comparison(column, _OPERATORS[token], self._literal())
        word = token.upper() if kind == "word" else ""
        if word == "IS":
            negated = self._accept("NOT")
            self._expect("NULL")
            return IsNull(column, negated)
        negated = word == "NOT"
        if negated:
            word = self._next()[1].upper()
        match word:
            case "IN":
                return In(column, self._list(), negated)
            case "LIKE":
                return Like(column, self._pattern(), negated)
            case "BETWEEN":
                return self._between(column, negated)
        self._at -= 1
        self._fail(f"expected a comparison, IN, BETWEEN, LIKE or IS, found {self._tokens[self._at][1]!r}")

    def _between(self, column: str, negated: bool) -> Predicate:
        low = self._literal()
        self._expect("AND")
        high = self._literal()
        within = (
            Comparison(column, Operator.GREATER_OR_EQUAL, low),
            Comparison(column, Operator.LESS_OR_EQUAL, high),
        )
        outside = (Comparison(column, Operator.LESS, low), Comparison(column, Operator.GREATER, high))
        return Or(outside) if negated else And(within)

    def _list(self) -> tuple[Any, ...]:
        self._expect_mark("(")
        literals = [self._literal()]
        while self._accept_mark(","):
            literals.append(self._literal())
        self._expect_mark(")")
        return tuple(literals)

    def _pattern(self) -> str:
        kind, token, at = self._next()
        if kind != "text":
            self._fail(f"LIKE needs a text in quotes, found {token!r}", at)
        return token.replace("''", "'")

    def _column(self) -> str:
        kind, token, at = self._next()
        if kind == "name":
            return token.replace("``", "`")
        if kind != "word" or token.upper() in KEYWORDS:
            self._fail(f"expected a column, found {token!r}", at)
        return token

    def _literal(self) -> Any:
        kind, token, at = self._next()
        match kind:
            case "text":
                return token.replace("''", "'")
            case "number":
                if len(token) > _MOST_DIGITS:
                    self._fail(f"a number of more than {_MOST_DIGITS} digits", at)
                return int(token) if re.fullmatch(r"[+-]?\d+", token) else Decimal(token)
            case "hex":
                return self._bytes(token[2:-1], at)
        word = token.upper()
        if kind == "word" and word in ("TRUE", "FALSE"):
            return word == "TRUE"
        if kind == "word" and word in _TYPED and self._tokens[self._at][0] == "text":
            return self._next()[1].replace("''", "'")
        if kind == "word" and word == "NULL":
            self._fail("nothing equals NULL: write IS NULL or IS NOT NULL", at)
        self._fail(f"expected a value, found {token!r}", at)

    def _bytes(self, digits: str, at: int) -> bytes:
        try:
            return bytes.fromhex(digits)
        except ValueError:
            self._fail("X'...' needs pairs of hex digits", at)

    def expect_end(self) -> None:
        kind, token, _ = self._tokens[self._at]
        if kind != "end":
            self._fail(f"expected AND, OR or the end, found {token!r}")

    def _next(self) -> tuple[str, str, int]:
        token = self._tokens[self._at]
        if token[0] != "end":
            self._at += 1
        return token

    def _accept(self, word: str) -> bool:
        kind, token, _ = self._tokens[self._at]
        found = kind == "word" and token.upper() == word
        self._at += found
        return found

    def _accept_mark(self, mark: str) -> bool:
        found = self._tokens[self._at][:2] == ("mark", mark)
        self._at += found
        return found

    def _expect(self, word: str) -> None:
        if not self._accept(word):
            self._fail(f"expected {word}, found {self._tokens[self._at][1]!r}")

    def _expect_mark(self, mark: str) -> None:
        if not self._accept_mark(mark):
            self._fail(f"expected {mark!r}, found {self._tokens[self._at][1]!r}")

    def _fail(self, what: str, at: int | None = None) -> NoReturn:
        place = self._tokens[self._at][2] if at is None else at
        raise InvalidRequestError(f"not a filter: {what}", position=place, text=self._source[:200])
