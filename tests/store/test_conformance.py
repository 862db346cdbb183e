"""The conformance suite, against the store in RAM and the one in a file."""

from muniment.store.conformance.erasure import TestErasure
from muniment.store.conformance.many import TestMany, TestSettled
from muniment.store.conformance.rows import TestClaims, TestItems, TestLines, TestLog
from muniment.store.conformance.searching import TestSearch
from muniment.store.conformance.stretches import TestGuards, TestStretches, TestSupport
from muniment.store.conformance.transactions import TestNamespaces, TestTransactions
from muniment.store.conformance.uses import TestUses
from muniment.store.conformance.vectors import TestVectors

__all__ = [
    "TestClaims", "TestErasure", "TestGuards", "TestItems", "TestLines", "TestLog", "TestMany", "TestNamespaces",
    "TestSearch", "TestSettled", "TestStretches", "TestSupport", "TestTransactions", "TestUses",
    "TestVectors",
]  # fmt: skip
