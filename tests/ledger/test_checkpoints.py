"""Checkpoints and their cosignatures."""

from __future__ import annotations

from base64 import b64decode, b64encode
from hashlib import sha256

import pytest

from ledger.vectors import (
    CHECKPOINT,
    LOG_LINE,
    LOG_SEED,
    LOG_VKEY,
    ORIGIN,
    ROOTS,
    WITNESS_LINE,
    WITNESS_SEED,
    WITNESS_TIME,
    WITNESS_VKEY,
)
from muniment.errors import ValidationError
from muniment.ledger.checkpoints import (
    Checkpoint,
    check_origin,
    cosign,
    format_checkpoint,
    parse_checkpoint,
    sign_checkpoint,
    verify_checkpoint,
)
from muniment.ledger.keys import COSIGNATURE, ED25519, VerifyingKey, parse_vkey, signing_key
from muniment.ledger.notes import Note, NoteSignature, cosignature_message, format_note, parse_note
from muniment.ledger.tree_verify import verify_consistency

LOG = signing_key(ORIGIN, LOG_SEED)
WITNESS = signing_key("witness.example/w1", WITNESS_SEED, COSIGNATURE)
ROOT = "XcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+Nw7/RgQyg="
SIGNED = CHECKPOINT + "\n" + LOG_LINE + WITNESS_LINE

# A witness exchange published with the torchwood test suite: old size, proof, size, root, log signature.
TORCHWOOD_ORIGIN = "sigsum.org/v1/tree/4d6d8825a6bb689d459628312889dfbb0bcd41b5211d9e1ce768b0ff0309e562"
TORCHWOOD_KEY = bytes.fromhex("ffdc2d4d98e4124d3feaf788c0c2f9abfd796083d1f0495437f302ec79cf100f")
L0, L1, L2, L4 = (b64encode(bytes([0x2A, index]) + bytes(30)).decode() for index in (0, 1, 2, 4))
ROOT3 = "RcCI1Nk56ZcSmIEfIn0SleqtV7uvrlXNccFx595Iwl0="
TORCHWOOD = [
    (
        0,
        "",
        [],
        1,
        L0,
        "UgIom7fPZTqpxWWhyjWduBvTvGVqsokMbqTArsQilegKoFBJQjUFAmQ0+YeSPM3wfUQMFSzVnnNuWRTYrajXpNUbIQY=",
    ),
    (
        1,
        L0,
        [L1, L2],
        3,
        ROOT3,
        "UgIom2VbtIcdFbwFAy1n7s6IkAxIY6J/GQOTuZF2ORV39d75cbAj2aQYwyJre36kezNobZs4SUUdrcawfAB8WVrx6go=",
    ),
    (
        1,
        L0,
        [L1, "+fUDV+k970B4I3uKrqJM4aP1lloPZP8mvr2Z4wRw2LI=", L4],
        5,
        "QrtXrQZCCvpIgsSmOsah7HdICzMLLyDfxToMql9WTjY=",
        "UgIomw/EOJmWi0i1FQsOj+etB7F8IccFam/jgd6wzRns4QPVmyEZtdvl1U2KEmLOZ/ASRcWJi0tW90dJWAShei7sDww=",
    ),
]


def verified(note: str, *, origin: str = ORIGIN, log: str = LOG_VKEY, witnesses: tuple[str, ...] = ()) -> object:
    keys = [parse_vkey(vkey) for vkey in witnesses]
    return verify_checkpoint(parse_note(note), origin=origin, log_key=parse_vkey(log), witnesses=keys)


def reason(note: str, **options: object) -> object:
    """Why a checkpoint is rejected."""
    with pytest.raises(ValidationError) as caught:
        verified(note, **options)  # type: ignore[arg-type]
    return caught.value.details["reason"]


def test_the_published_checkpoint_is_written_and_read() -> None:
    assert format_checkpoint(Checkpoint(ORIGIN, 8, ROOTS[8])) == CHECKPOINT
    assert parse_checkpoint(CHECKPOINT) == Checkpoint(ORIGIN, 8, ROOTS[8])
    assert sha256(CHECKPOINT.encode()).hexdigest() == "22c1cdcbb0ab218def934759a19a690a118001b0091866adb431acc78f678a54"


def test_log_and_witness_sign_as_published() -> None:
    note = sign_checkpoint(Checkpoint(ORIGIN, 8, ROOTS[8]), LOG)
    assert format_note(note.with_signatures(cosign(note.text, WITNESS, WITNESS_TIME))) == SIGNED
    message = cosignature_message(CHECKPOINT, WITNESS_TIME)
    assert sha256(message).hexdigest() == "1ab47f26a639c697a5b1e345b227b028e78189044b317673ceccfc745cabfcfd"


def test_the_published_checkpoint_verifies() -> None:
    result = verify_checkpoint(parse_note(SIGNED), origin=ORIGIN, log_key=LOG.verifying, witnesses=[WITNESS.verifying])
    assert result.checkpoint.size == 8
    assert [(signed.key, signed.timestamp) for signed in result.cosigners] == [(WITNESS.verifying, WITNESS_TIME)]
    assert verify_checkpoint(parse_note(SIGNED), origin=ORIGIN, log_key=LOG.verifying).cosigners == ()


@pytest.mark.parametrize(("old", "old_root", "proof", "size", "root", "signature"), TORCHWOOD)
def test_a_published_witness_exchange_verifies(
    old: int, old_root: str, proof: list[str], size: int, root: str, signature: str
) -> None:
    key = VerifyingKey(TORCHWOOD_ORIGIN, ED25519, TORCHWOOD_KEY)
    assert key.id.hex() == "5202289b"
    note = parse_note(f"{TORCHWOOD_ORIGIN}\n{size}\n{root}\n\n— {TORCHWOOD_ORIGIN} {signature}\n")
    checkpoint = verify_checkpoint(note, origin=TORCHWOOD_ORIGIN, log_key=key).checkpoint
    path = [b64decode(hash_) for hash_ in proof]
    if old:
        assert verify_consistency(old, size, b64decode(old_root), checkpoint.root, path)
        assert not verify_consistency(old, size, b64decode(old_root), checkpoint.root, path[:-1])
    altered = Note(note.text, (NoteSignature(key.name, key.id, note.signatures[0].payload[:-1] + b"\xff"),))
    with pytest.raises(ValidationError):
        verify_checkpoint(altered, origin=TORCHWOOD_ORIGIN, log_key=key)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("8", "9"),
        ("Xcna", "Ycna"),
        (ORIGIN + "\n8", "memory.example/test-loh\n8"),
        ("yg=\n", "yg=\nextension\n"),
    ],
)
def test_any_change_to_the_text_is_seen_by_log_and_witness(old: str, new: str) -> None:
    altered = CHECKPOINT.replace(old, new, 1)
    assert altered != CHECKPOINT
    origin = altered.split("\n")[0]
    assert reason(altered + "\n" + LOG_LINE + WITNESS_LINE, origin=origin) == "bad_signature"
    resigned = format_note(sign_checkpoint(parse_checkpoint(altered), signing_key(ORIGIN, LOG_SEED)))
    assert reason(resigned + WITNESS_LINE, origin=origin, witnesses=(WITNESS_VKEY,)) == "bad_signature"


def test_an_altered_time_of_a_cosignature_is_seen() -> None:
    cosignature = cosign(CHECKPOINT, WITNESS, WITNESS_TIME)
    later = (WITNESS_TIME + 1).to_bytes(8, "big") + cosignature.payload[8:]
    line = NoteSignature(cosignature.name, cosignature.key_id, later).line
    assert reason(CHECKPOINT + "\n" + LOG_LINE + line, witnesses=(WITNESS_VKEY,)) == "bad_signature"


@pytest.mark.parametrize("payload", [bytes(71), bytes(73), bytes(64), b"\xff" * 8 + bytes(64)])
def test_a_cosignature_of_another_shape_fails(payload: bytes) -> None:
    line = NoteSignature(WITNESS.verifying.name, WITNESS.verifying.id, payload).line
    assert reason(CHECKPOINT + "\n" + LOG_LINE + line, witnesses=(WITNESS_VKEY,)) == "bad_signature"


def test_a_cosignature_with_a_time_beyond_the_limit_fails_even_if_correctly_signed() -> None:
    late = 2**63
    payload = late.to_bytes(8, "big") + WITNESS.sign(cosignature_message(CHECKPOINT, late))
    line = NoteSignature(WITNESS.verifying.name, WITNESS.verifying.id, payload).line
    assert reason(CHECKPOINT + "\n" + LOG_LINE + line, witnesses=(WITNESS_VKEY,)) == "bad_signature"


def test_a_plain_signature_does_not_pass_for_a_cosignature() -> None:
    plain = WITNESS.sign(CHECKPOINT.encode())
    line = NoteSignature(WITNESS.verifying.name, WITNESS.verifying.id, (1).to_bytes(8, "big") + plain).line
    assert reason(CHECKPOINT + "\n" + LOG_LINE + line, witnesses=(WITNESS_VKEY,)) == "bad_signature"


def test_a_checkpoint_of_another_log_is_rejected() -> None:
    assert reason(SIGNED, origin="memory.example/other") == "wrong_origin"


def test_a_witness_does_not_stand_in_for_the_log() -> None:
    only_witness = CHECKPOINT + "\n" + WITNESS_LINE
    assert reason(only_witness, witnesses=(WITNESS_VKEY,)) == "no_known_signature"


def test_keys_of_the_wrong_kind_are_refused() -> None:
    assert reason(SIGNED, log=WITNESS_VKEY) == "key_type"
    assert reason(SIGNED, witnesses=(LOG_VKEY,)) == "key_type"
    with pytest.raises(ValidationError):
        cosign(CHECKPOINT, LOG, WITNESS_TIME)
    with pytest.raises(ValidationError):
        sign_checkpoint(Checkpoint(ORIGIN, 8, ROOTS[8]), WITNESS)


@pytest.mark.parametrize("timestamp", [0, -1, 2**63])
def test_a_cosignature_needs_a_time_within_range(timestamp: int) -> None:
    with pytest.raises(ValidationError):
        cosign(CHECKPOINT, WITNESS, timestamp)


def test_only_a_checkpoint_is_cosigned() -> None:
    with pytest.raises(ValidationError):
        cosign("any text\n", WITNESS, WITNESS_TIME)


def test_extension_lines_are_kept_and_signed() -> None:
    checkpoint = Checkpoint(ORIGIN, 8, ROOTS[8], ("one", "two words"))
    note = sign_checkpoint(checkpoint, LOG)
    assert parse_checkpoint(note.text) == checkpoint
    cosigned = note.with_signatures(cosign(note.text, WITNESS, 1))
    stripped = Note(CHECKPOINT, cosigned.signatures)
    with pytest.raises(ValidationError):
        verify_checkpoint(stripped, origin=ORIGIN, log_key=LOG.verifying)


@pytest.mark.parametrize(
    "text",
    [
        "",
        CHECKPOINT[:-1],
        CHECKPOINT + "\n",
        "\n" + CHECKPOINT,
        f"{ORIGIN}\n8\n",
        f"\n8\n{ROOT}\n",
        f"{ORIGIN}\n\n{ROOT}\n",
        f"{ORIGIN}\n08\n{ROOT}\n",
        f"{ORIGIN}\n+8\n{ROOT}\n",
        f"{ORIGIN}\n-8\n{ROOT}\n",
        f"{ORIGIN}\n 8\n{ROOT}\n",
        f"{ORIGIN}\n8_0\n{ROOT}\n",
        f"{ORIGIN}\n٨\n{ROOT}\n",
        f"{ORIGIN}\n8.0\n{ROOT}\n",
        f"{ORIGIN}\n{2**63}\n{ROOT}\n",
        f"{ORIGIN}\n8\n{ROOT[:-1]}\n",
        f"{ORIGIN}\n8\n{ROOT[:-2]}h=\n",
        f"{ORIGIN}\n8\n{ROOT} \n",
        f"{ORIGIN}\n8\nAAAA\n",
        f"{ORIGIN}\r\n8\r\n{ROOT}\r\n",
        f"{ORIGIN}\n8\n{ROOT}\n\nextension\n",
    ],
)
def test_a_malformed_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        parse_checkpoint(text)


def test_the_largest_size_is_read() -> None:
    assert parse_checkpoint(f"{ORIGIN}\n{2**63 - 1}\n{ROOT}\n").size == 2**63 - 1


@pytest.mark.parametrize(
    "checkpoint",
    [
        Checkpoint(ORIGIN, -1, bytes(32)),
        Checkpoint(ORIGIN, 2**63, bytes(32)),
        Checkpoint(ORIGIN, 1, bytes(31)),
        Checkpoint(ORIGIN, 0, bytes(32)),
        Checkpoint("", 1, bytes(32)),
        Checkpoint("a b", 1, bytes(32)),
        Checkpoint(ORIGIN, 1, bytes(32), ("",)),
        Checkpoint(ORIGIN, 1, bytes(32), ("a\nb",)),
    ],
)
def test_a_malformed_checkpoint_is_not_written(checkpoint: Checkpoint) -> None:
    with pytest.raises(ValidationError):
        format_checkpoint(checkpoint)


def test_an_empty_log_has_the_empty_root() -> None:
    assert sign_checkpoint(Checkpoint(ORIGIN, 0, ROOTS[0]), LOG)
    text = f"{ORIGIN}\n0\n{ROOT}\n"
    assert reason(text + "\n" + LOG_LINE) == "empty_root"


@pytest.mark.parametrize("origin", ["", "a b", "a+b", "https://a", "ä", "a\n", "a" * 256])
def test_an_origin_is_a_name_without_scheme_spaces_or_plus(origin: str) -> None:
    with pytest.raises(ValidationError):
        check_origin(origin)
