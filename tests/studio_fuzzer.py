"""Random requests, most of them wrong, made from the studio's own OpenAPI description."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any
from urllib.parse import quote

import httpx

WORDS = (
    "", " ", "connect4", "chess", "tictactoe", "yavalath:players=3", "reversi:size=4", "uct",
    "random", "alphabeta:analyse=on", "mcts:c=-1", "mcts:memory=999999", "perfect:book=/etc/passwd",
    "uci:path=/bin/sh", "../../etc/passwd", "/etc/passwd", "..%2f..%2fetc%2fpasswd", "cup",
    "S0.table10",
    "d1", "e2e4", "4453", "a" * 5000, "\x00", "\U0001f600", "%s%s%n", "'; DROP TABLE runs; --",
    "<script>alert(1)</script>", "8/8/8/8/8/8/8/8 w - - 0 1", "file:/etc/passwd", "random:60",
    "human", "models/connect4.npz", "models/tictactoe.npz", "models/../../outside", "tictactoe-9",
    "ntuple:models/tictactoe.npz", "ntuple:../outside", "alphabeta:eval=ntuple:/etc/passwd",
    "ntuple", "trainings/cup/run1/best.npz", "walk 3 x 3",
)  # fmt: skip
KEYS = (
    "games", "game", "seed", "network.tuples", "network.contents", "learning.alpha.initial",
    "learning.cut", "measure.opponents", "measure.every", "learning", "nosuch.key", "",
)  # fmt: skip
NUMBERS = (0, 1, -1, 2, 7, 2**31, 2**63, 10**30, 0.5, -0.0, 1e308, 1e-9)
HARMLESS = {"limits": {"iterations": 20, "seconds": 0.05}}


class Fuzzer:
    """Sends requests and counts what comes back."""

    def __init__(self, address: str, seed: int) -> None:
        self._random = random.Random(seed)
        self._client = httpx.Client(base_url=address, timeout=120)
        self._description = self._client.get("/api/openapi.json").json()
        self._operations = [
            (path, verb, operation)
            for path, verbs in self._description["paths"].items()
            for verb, operation in verbs.items()
        ]
        self.codes: Counter[int] = Counter()
        self.bad: list[str] = []

    def run(self, requests: int) -> None:
        self._random.shuffle(self._operations)
        for number in range(requests):  # each operation as often as the others
            self._send(*self._operations[number % len(self._operations)])
        self._client.close()

    def _send(self, path: str, verb: str, operation: dict[str, Any]) -> None:
        chance = self._random
        query: dict[str, str] = {}
        for parameter in operation.get("parameters", ()):
            value = self._scalar(parameter.get("schema", {}))
            if parameter["in"] == "path":
                name = quote(str(value)[:300], safe=chance.choice(("", "/."))) or "x"
                path = path.replace("{" + parameter["name"] + "}", name)
            elif chance.random() < 0.7:
                query[parameter["name"]] = str(value)[:2000]
        content = None
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            content = self._body(schema, path)
        headers = {"Content-Type": chance.choice(("application/json",) * 9 + ("text/plain",))}
        answer = self._client.request(
            verb.upper(), path, params=query, content=content, headers=headers
        )
        self.codes[answer.status_code] += 1
        secret = "root:" in answer.text and "/bin/" in answer.text
        if answer.status_code >= 500 or secret:
            self.bad.append(
                f"{verb} {path} {content!r:.300}: {answer.status_code} {answer.text:.200}"
            )

    def _body(self, schema: dict[str, Any], path: str) -> bytes:
        chance = self._random.random()
        if chance < 0.05:
            return self._random.choice((b"", b"{", b"null", b"[]", b"\xff\xfe", b"1" * 70_000))
        value = self._value(schema, 0)
        # What is accepted by accident should not keep the server busy for long.
        if isinstance(value, dict) and ("limits" in value or path.endswith("/search")):
            value |= HARMLESS
        if isinstance(value, dict) and "seconds" in value:
            value["seconds"] = min(value["seconds"], 0.05) if _is_number(value["seconds"]) else ""
        if isinstance(value, dict) and "games" in value and _is_number(value["games"]):
            value["games"] = min(value["games"], 2)
        if isinstance(value, dict) and isinstance(value.get("values"), dict):
            value["values"] |= {"games": 2, "measure.games": 1}
        return json.dumps(value).encode("utf-8", "surrogatepass")

    def _value(self, schema: dict[str, Any], depth: int) -> Any:
        chance = self._random
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            return self._value(self._description["components"]["schemas"][name], depth)
        if chance.random() < 0.06:
            return chance.choice((None, True, 3, "x", [], {}, [[[[]]]]))
        if "anyOf" in schema:
            return self._value(chance.choice(schema["anyOf"]), depth)
        if schema.get("type") == "object" or "properties" in schema:
            made = {
                name: self._value(each, depth + 1)
                for name, each in schema.get("properties", {}).items()
                if name in schema.get("required", ()) or chance.random() < 0.5
            }
            if "additionalProperties" in schema and "properties" not in schema:
                others = schema["additionalProperties"]
                keys = chance.sample(KEYS, chance.choice((0, 0, 1, 2)))
                made = {key: self._value(others, depth + 1) for key in keys}
            elif chance.random() < 0.04:
                made["unknown"] = 1
            return made
        if schema.get("type") == "array":
            count = chance.choice((0, 1, 2, 2, 3))
            return [self._value(schema.get("items", {}), depth + 1) for _ in range(count)]
        return self._scalar(schema)

    def _scalar(self, schema: dict[str, Any]) -> Any:
        chance = self._random
        if "enum" in schema or "const" in schema:
            return chance.choice((*schema.get("enum", (schema.get("const"),)), "other"))
        kind = schema.get("type")
        if kind in ("integer", "number"):
            return chance.choice(NUMBERS)
        if kind == "boolean":
            return chance.random() < 0.5
        return chance.choice(WORDS)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
