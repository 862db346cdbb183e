"""Published test vectors and small helpers that several test modules share."""

from __future__ import annotations

from base64 import b64decode

from muniment.ledger.tree import Frontier, leaf_hash

# Test data of the transparency-dev/merkle project.
LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    bytes.fromhex(text)
    for text in (
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    )
]
HASH = {
    name: b64decode(text)
    for name, text in {
        "A": "lqKW0iTyhcZ77pPDD4owkVfw2qNdxbh+QQt4YwoJz8c=",
        "B": "Xwg/ChozygdqlSeYMlgNs+DvRYS9/x9UyKNg9Q3jAx4=",
        "C": "a0eq8p7jwq+a+Im8H7klTavTEXfxYjLdaqsDXKOb9uQ=",
        "D": "vBoGQ7EuTS18d5GPROD095qDi2z57FtcKD4fTYhZnms=",
        "E": "yoVOoSjtBQtBs1/8G4e46yveRh6eO1WW7Oa51ZdaCuA=",
        "F": "037kGJdt2VdTwcc4Yrk5j6Kiz5tP8P3+izDNlSCWFLc=",
        "G": "+sVCA+fMaWzw38tCySodnbr3CtnmIfS9jZhmLwDjwSU=",
        "H": "DrxdNDf74tsVi58Sah0RjjCBgQMdCpSfje3t68VY72o=",
        "I": "sIaT7C5yFZcTBkHoIR5+7cy0wmQTlj7ubB4u0W/7Gl8=",
    }.items()
}
INCLUSION = [(0, 8, "ABC"), (5, 8, "DEF"), (2, 3, "G")]
CONSISTENCY = [(1, 8, "ABC"), (6, 8, "HEF"), (2, 5, "BD"), (6, 7, "HIF")]

# RFC 8032 keys, tests 1 and 2, in the roles of a log and a witness.
LOG_SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
LOG_VKEY = "memory.example/test-log+90f392ba+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea"
ORIGIN = "memory.example/test-log"
CHECKPOINT = "memory.example/test-log\n8\nXcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+Nw7/RgQyg=\n"
LOG_LINE = (
    "— memory.example/test-log "
    "kPOSuq5hDeH2Xm447/Tf5JYvJq0EyR92uJjeaP7saa17XhsTZ8YxB15s2TYFVia5lneWu+yHYULleoyZPY8gg1xTXwA=\n"
)
WITNESS_SEED = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
WITNESS_VKEY = "witness.example/w1+04d2d833+BD1AF8PoQ4lakrcKp00bfrycmCzPLsSWjMDNVfEq9GYM"
WITNESS_TIME = 1700000000
WITNESS_LINE = (
    "— witness.example/w1 "
    "BNLYMwAAAABlU/EAPmpoCnS2NYdJccHetbf1ALwyT19XIkJgrLn008z+st2Bp/zj9XGlBYNYHpqt/sqvoRYCJlt9orxlPsHM9plXBg==\n"
)

# Test data of Go's golang.org/x/mod/sumdb/note.
GO_VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_PRIVATE = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
GO_LINE = (
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)


def named(letters: str) -> list[bytes]:
    """The vector hashes called by these letters."""
    return [HASH[letter] for letter in letters]


class Nodes:
    """A stored tree in a dict that counts how often it is read."""

    def __init__(self) -> None:
        self.stored: dict[tuple[int, int], bytes] = {}
        self.frontier = Frontier()
        self.reads = 0

    @classmethod
    def over(cls, leaves: list[bytes]) -> Nodes:
        """Build the tree over these leaf data."""
        nodes = cls()
        for data in leaves:
            nodes.add(leaf_hash(data))
        return nodes

    def add(self, leaf: bytes) -> None:
        """Append a leaf hash, as a store does."""
        self.stored[0, self.frontier.size] = leaf
        for level, index, node in self.frontier.append(leaf):
            self.stored[level, index] = node

    def node(self, level: int, index: int) -> bytes:
        """Read one node."""
        self.reads += 1
        return self.stored[level, index]
