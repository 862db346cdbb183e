"""The first line of an export."""

from __future__ import annotations

from muniment.errors import MunimentError
from muniment.quick import dataclass
from muniment.transfer.format import FORMAT, VERSION, Lines, Record, check_version, failure_of
from muniment.verbs.identities import PRIVATE_SIZE
from muniment.verbs.opening import SCHEMA, check_namespace

_MEMBERS = {"format", "version", "schema", "namespace", "origin", "size", "root", "key"}


@dataclass(frozen=True, slots=True)
class Header:
    """What an export says of itself.

    Args:
        namespace: The name its log was begun under.
        origin: The name of the log itself.
        size: How many entries the log has.
        root: Its root.
        key: The half of the namespace's secret that goes along.
        pepper: The whole of it, from store to store; None in a file.
    """

    namespace: str
    origin: str
    size: int
    root: bytes
    key: bytes
    pepper: bytes | None = None


def read_header(lines: Lines, private: bool = False) -> Header:
    """Read the first line.

    Args:
        lines: The file, at its beginning.
        private: It comes from a store, not from a file.

    Raises:
        CorruptError: If it is not the first line of an export.
        NewerSchemaError: If a later version made it.
    """
    for record in lines:
        try:
            return _header(lines, record, private)
        except (KeyError, ValueError, TypeError, MunimentError) as error:
            raise failure_of(lines, error) from None
    lines.number = 1
    raise lines.bad("is missing: the file is empty")


def _header(lines: Lines, record: Record, private: bool) -> Header:
    if record.get("format") != FORMAT:
        raise lines.bad("does not say that this is an export of Muniment")
    check_version(record)
    if record["version"] != VERSION or type(record["version"]) is not int or record["schema"] != SCHEMA:
        raise lines.bad("says a version that never was")
    if record.keys() != (_MEMBERS | {"pepper"} if private else _MEMBERS):
        raise lines.bad("does not have the members of a header")
    root, key = bytes.fromhex(record["root"]), bytes.fromhex(record["key"])
    size, origin = record["size"], record["origin"]
    if len(root) != 32 or len(key) != PRIVATE_SIZE or type(size) is not int or size < 2 or type(origin) is not str:
        raise lines.bad("does not have the members of a header")
    pepper = bytes.fromhex(record["pepper"]) if private else None
    return Header(check_namespace(record["namespace"]), origin, size, root, key, pepper)
