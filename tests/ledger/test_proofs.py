"""Proof files."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace

import pytest

from ledger.vectors import (
    CHECKPOINT,
    HASH,
    LEAVES,
    LOG_LINE,
    LOG_SEED,
    LOG_VKEY,
    ORIGIN,
    ROOTS,
    WITNESS_LINE,
    WITNESS_SEED,
    WITNESS_VKEY,
    named,
)
from muniment.errors import ValidationError
from muniment.ledger.checkpoints import Checkpoint, VerifiedCheckpoint, cosign, sign_checkpoint
from muniment.ledger.keys import COSIGNATURE, VerifyingKey, parse_vkey, signing_key
from muniment.ledger.notes import parse_note
from muniment.ledger.proofs import TlogProof, format_proof, parse_proof, verify_proof
from muniment.ledger.tree import leaf_hash

NOTE = CHECKPOINT + "\n" + LOG_LINE + WITNESS_LINE
PATH = "".join(b64encode(hash_).decode() + "\n" for hash_ in named("DEF"))
FILE = f"c2sp.org/tlog-proof@v1\nindex 5\n{PATH}\n{NOTE}"
LEAF = leaf_hash(LEAVES[5])


def verify(proof: TlogProof, leaf: bytes = LEAF, **options: object) -> VerifiedCheckpoint:
    keys: list[VerifyingKey] = options.pop("witnesses", [parse_vkey(WITNESS_VKEY)])  # type: ignore[assignment]
    return verify_proof(proof, leaf, origin=ORIGIN, log_key=parse_vkey(LOG_VKEY), witnesses=keys, **options)  # type: ignore[arg-type]


def reason(proof: TlogProof, leaf: bytes = LEAF, **options: object) -> object:
    """Why a proof is rejected."""
    with pytest.raises(ValidationError) as caught:
        verify(proof, leaf, **options)
    return caught.value.details["reason"]


def test_the_published_proof_is_written_read_and_verified() -> None:
    proof = TlogProof(5, tuple(named("DEF")), parse_note(NOTE))
    assert format_proof(proof) == FILE
    assert parse_proof(FILE.encode()) == proof
    result = verify(proof, threshold=1)
    assert result.checkpoint.size == 8
    assert len(result.cosigners) == 1


def test_extra_bytes_are_carried_and_vouched_for_by_nobody() -> None:
    proof = replace(parse_proof(FILE), extra=b"anything")
    assert parse_proof(format_proof(proof)) == proof
    assert verify(proof)


def test_a_log_of_one_entry_has_an_empty_path() -> None:
    log = signing_key(ORIGIN, LOG_SEED)
    proof = TlogProof(0, (), sign_checkpoint(Checkpoint(ORIGIN, 1, ROOTS[1]), log))
    again = parse_proof(format_proof(proof))
    assert again == proof
    assert verify(again, leaf_hash(LEAVES[0]))


@pytest.mark.parametrize("path", ["", "DE", "EDF", "DEFA", "DEA"])
def test_an_altered_path_is_rejected(path: str) -> None:
    assert reason(replace(parse_proof(FILE), path=tuple(named(path)))) == "not_included"


def test_another_entry_or_another_index_is_rejected() -> None:
    proof = parse_proof(FILE)
    assert reason(proof, leaf_hash(LEAVES[4])) == "not_included"
    assert reason(replace(proof, index=4)) == "not_included"
    assert reason(replace(proof, index=8)) == "not_included"
    assert reason(proof, HASH["A"]) == "not_included"


def test_a_checkpoint_that_is_not_signed_proves_nothing() -> None:
    forged = FILE.replace("\n8\n", "\n7\n")
    assert reason(parse_proof(forged)) == "bad_signature"


def test_too_few_witnesses_are_rejected() -> None:
    proof = parse_proof(FILE)
    assert reason(proof, threshold=2) == "quorum"
    assert reason(proof, witnesses=[], threshold=1) == "quorum"
    assert verify(proof, witnesses=[], threshold=0)


def test_two_names_for_one_witness_key_count_once() -> None:
    alias = signing_key("witness.example/alias", WITNESS_SEED, COSIGNATURE)
    other = signing_key("witness.example/w2", bytes(32), COSIGNATURE)
    proof = parse_proof(FILE)
    witnesses = [parse_vkey(WITNESS_VKEY), alias.verifying, other.verifying]
    twice = replace(proof, note=proof.note.with_signatures(cosign(CHECKPOINT, alias, 1700000000)))
    assert reason(twice, witnesses=witnesses, threshold=2) == "quorum"
    both = replace(twice, note=twice.note.with_signatures(cosign(CHECKPOINT, other, 1700000000)))
    assert verify(both, witnesses=witnesses, threshold=2)


@pytest.mark.parametrize(
    "file",
    [
        "",
        FILE.replace("@v1", "@v2"),
        FILE.replace("index 5\n", ""),
        FILE.replace("index 5", "index 05"),
        FILE.replace("index 5", "index -5"),
        FILE.replace("index 5", "index 5 "),
        FILE.replace("index 5", "Index 5"),
        FILE.replace("index 5", f"index {2**63}"),
        FILE.replace("index 5\n", "index 5\nindex 5\n"),
        FILE.replace("index 5\n", "index 5\nAAAA\n"),
        FILE.replace("index 5\n", "index 5\nextra AAAA\n"),
        FILE.replace("index 5\n", "extra AB==\nindex 5\n"),
        FILE.replace("index 5\n", "extra AAAA\nextra AAAA\nindex 5\n"),
        FILE.replace("index 5\n", "index 5\n" + PATH * 21),
        FILE.replace("\n\n", "\n", 1),
        FILE.replace("\n", "\r\n"),
        FILE[:-1],
        " " + FILE,
        "c2sp.org/tlog-proof@v1\n\n" + NOTE,
        "x" * 2_000_001,
    ],
)
def test_a_malformed_proof_file_is_refused(file: str) -> None:
    with pytest.raises(ValidationError):
        parse_proof(file)


def test_a_proof_file_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(ValidationError):
        parse_proof(b"\xff" + FILE.encode())
