"""One line of CSV, field by field, as Paimon 2.0.0 reads it. The clear form: for lines that have more or
fewer fields than columns, for the first line of a file, and as the oracle of the rest in tests."""

from __future__ import annotations

from core.format_table.options import CsvOptions


def fields_of_line(line: str, options: CsvOptions) -> list[str | None]:
    """The fields of a line without its end; the last is None where its quote is never closed."""
    quote, escape, delimiter = options.quote, options.escape, options.delimiter
    found: list[str | None] = []
    text: list[str] = []
    in_quotes = in_field = False
    place = 0
    while place < len(line):
        sign, following = line[place], line[place + 1 : place + 2]
        if escape is not None and sign == escape:
            if (in_quotes or in_field) and following in (quote, escape) and following:
                text.append(following)
                place += 1
        elif quote is not None and sign == quote:
            if (in_quotes or in_field) and following == quote:
                text.append(quote)
                place += 1
            else:
                if place > 2 and line[place - 1] != delimiter and following not in ("", delimiter):
                    if text and "".join(text).isspace():
                        text.clear()
                    else:
                        text.append(quote)
                in_quotes = not in_quotes
            in_field = not in_field
        elif sign == delimiter and not in_quotes:
            found.append("".join(text))
            text.clear()
            in_field = False
        else:
            text.append(sign)
            in_field = True
        place += 1
    found.append(None if in_quotes else "".join(text))
    return found
