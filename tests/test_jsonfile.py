"""JSON out and in: results written piece by piece, and files that are not what they should be."""

from __future__ import annotations

import io
import json

import pytest

from trisolve.jsonfile import MAX_BYTES, ResultWriter, SolutionFileError, read_solutions

FACTS = {"engine": "dlx", "complete": True}


def written(*solutions: dict[str, str], count: int | None = None) -> str:
    """What the writer makes of these solutions."""
    stream = io.StringIO()
    writer = ResultWriter(stream, "a")
    for solution in solutions:
        writer.solution(solution)
    writer.finish(FACTS, count=count)
    return stream.getvalue()


def test_a_result_is_one_object() -> None:
    assert json.loads(written()) == {"puzzle": "a", "solutions": [], **FACTS}
    assert json.loads(written(count=10**30)) == {"puzzle": "a", "count": 10**30, **FACTS}
    for number in (1, 2, 3):
        solutions = [{"r1c1": f"00{i}"} for i in range(number)]
        expected = [{"cells": solution} for solution in solutions]
        assert json.loads(written(*solutions)) == {"puzzle": "a", "solutions": expected, **FACTS}


def test_what_is_written_can_be_read() -> None:
    solutions = [{"r1c1": "001", "r1c2": "12W"}, {}]
    assert read_solutions(io.BytesIO(written(*solutions).encode()), "f") == solutions
    assert read_solutions(io.BytesIO(b'\xef\xbb\xbf{"cells": {"r1c1": "000"}}'), "f") == [{"r1c1": "000"}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "1:1: not JSON: "),
        (b"{", "1:2: not JSON: "),
        (b'{"cells": {\n  "r1c1": }}', "2:11: not JSON: "),
        (b'{"cells": {}} x', "1:15: not JSON: "),
        (b'{"cells": {"a": "\xff"}}', "1:18: byte 0xff is not UTF-8 text"),
        (b"[1, 2]", "1:1: expected a JSON object"),
        (b"7", "1:1: expected a JSON object"),
        (b"{}", '1:1: expected the key "cells"'),
        (b'{"count": 3}', '1:1: expected the key "cells"'),
        (b'{"cells": []}', '1:2: "cells" must be an object'),
        (b'{"cells": {"r1c1": "000",\n "r1c2": 11}}', '2:2: "r1c2" must be a placed tile in quotes'),
        (b'{"cells": {"r1c1": "000", "r1c2": ["a"]}}', '1:27: "r1c2" must be a placed tile'),
        (b'{"cells": {"r1c1": "000",\n "r1c1": "000"}}', '2:2: the key "r1c1" is given twice'),
        (b'{"cells": {}, "a": [{"b": 1}, {"b": 1, "\\u0062": 2}]}', '1:40: the key "b" is given twice'),
        (b'{"cells": {},\n "seconds": NaN}', "2:13: not JSON: NaN is no JSON value"),
        (b'{"a": "Infinity", "seconds": -Infinity}', "1:30: not JSON: -Infinity is no JSON value"),
        (b'{"seconds": ' + b"9" * 5000 + b"}", '1:1: expected the key "cells"'),
        (b'{"solutions": {}}', '1:2: "solutions" must be a list'),
        (b'{"solutions": []}', "1:2: the list of solutions is empty"),
        (b'{"solutions": [{"cells": {}},\n {"cell": {}}]}', "2:2: expected a solution, an object with the key"),
        (b'{"solutions": [{"cells": {}}, 5]}', "1:31: expected a solution, an object with the key"),
        (b"[" * 200_000, "1:22: the brackets are nested too deep"),
        (b'{"a":' * 200_000, "1:102: the brackets are nested too deep"),
    ],
    ids=lambda value: value[:30].decode("latin-1") if isinstance(value, bytes) else "",
)
def test_a_malformed_file(text: bytes, message: str) -> None:
    with pytest.raises(SolutionFileError) as error:
        read_solutions(io.BytesIO(text), "f.json")
    assert str(error.value).startswith(f"f.json:{message}")
    assert "\n" not in str(error.value)


def test_a_file_that_is_too_large() -> None:
    with pytest.raises(SolutionFileError, match=r"^f:1:1: the file is too large: expected at most 64 MiB$"):
        read_solutions(io.BytesIO(b" " * (MAX_BYTES + 1)), "f")
