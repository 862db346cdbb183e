"""Keys, signed notes and cosignatures: published vectors, and what must be refused."""

from __future__ import annotations

import pytest

from ledger.vectors import (
    CHECKPOINT,
    GO_LINE,
    GO_PRIVATE,
    GO_TEXT,
    GO_VKEY,
    LOG_LINE,
    LOG_SEED,
    LOG_VKEY,
    ORIGIN,
    WITNESS_LINE,
    WITNESS_SEED,
    WITNESS_TIME,
    WITNESS_VKEY,
)
from muniment.errors import ValidationError
from muniment.ledger.keys import (
    COSIGNATURE,
    ED25519,
    SigningKey,
    VerifyingKey,
    decode_base64,
    encode_base64,
    parse_private_key,
    parse_vkey,
    signing_key,
)
from muniment.ledger.notes import (
    MAX_SIGNATURES,
    Note,
    NoteSignature,
    format_note,
    parse_note,
    parse_signature_line,
    sign_text,
    verify_note,
)

FOO_VKEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
FOO_NOTE = (
    "This is an example message.\n\n"
    "— example.com/foo "
    "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
GO_NOTE = GO_TEXT + "\n" + GO_LINE


def key(number: int, kind: int = ED25519, name: str = "example.org/k") -> SigningKey:
    return signing_key(f"{name}{number}", bytes([number]) * 32, kind)


def reason(note: str, *vkeys: str) -> object:
    """Why a note is rejected."""
    with pytest.raises(ValidationError) as caught:
        verify_note(parse_note(note), [parse_vkey(vkey) for vkey in vkeys])
    return caught.value.details["reason"]


@pytest.mark.parametrize(
    "vkey",
    [
        FOO_VKEY,
        GO_VKEY,
        LOG_VKEY,
        WITNESS_VKEY,
        "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2",
    ],
)
def test_a_published_key_is_read_and_written_unchanged(vkey: str) -> None:
    assert parse_vkey(vkey).vkey == vkey


@pytest.mark.parametrize(("note", "vkey"), [(FOO_NOTE, FOO_VKEY), (GO_NOTE, GO_VKEY)])
def test_a_published_note_verifies_and_is_written_unchanged(note: str, vkey: str) -> None:
    parsed = parse_note(note.encode())
    assert [signed.key.vkey for signed in verify_note(parsed, [parse_vkey(vkey)])] == [vkey]
    assert format_note(parsed) == note


def test_signing_gives_the_published_signature() -> None:
    signer = parse_private_key(GO_PRIVATE)
    assert signer.verifying.vkey == GO_VKEY
    assert (signer.private_text, signer.name) == (GO_PRIVATE, "PeterNeumann")
    assert sign_text(GO_TEXT, signer).line == GO_LINE
    log = signing_key(ORIGIN, LOG_SEED)
    assert log.verifying.vkey == LOG_VKEY
    assert sign_text(CHECKPOINT, log).line == LOG_LINE


def test_a_cosignature_carries_its_time() -> None:
    note = parse_note(CHECKPOINT + "\n" + LOG_LINE + WITNESS_LINE)
    log, witness = verify_note(note, [parse_vkey(WITNESS_VKEY), parse_vkey(LOG_VKEY)])
    assert (log.key.vkey, log.timestamp) == (LOG_VKEY, None)
    assert (witness.key.vkey, witness.timestamp) == (WITNESS_VKEY, WITNESS_TIME)


def test_the_text_may_hold_empty_lines() -> None:
    signer = key(1)
    text = "one\n\n\nthree\n\n"
    note = parse_note(format_note(Note(text, (sign_text(text, signer),))))
    assert note.text == text
    assert verify_note(note, [signer.verifying])


@pytest.mark.parametrize("at", range(0, len(GO_TEXT) - 1, 7))
def test_any_altered_byte_of_the_text_is_seen(at: int) -> None:
    altered = GO_TEXT[:at] + ("x" if GO_TEXT[at] != "x" else "y") + GO_TEXT[at + 1 :]
    assert reason(altered + "\n" + GO_LINE, GO_VKEY) == "bad_signature"


def test_a_signature_by_an_unknown_key_is_ignored() -> None:
    stranger = sign_text(GO_TEXT, key(1)).line
    note = parse_note(GO_TEXT + "\n" + stranger + GO_LINE)
    assert len(verify_note(note, [parse_vkey(GO_VKEY)])) == 1
    same_name_other_id = "— PeterNeumann " + encode_base64(b"\0\0\0\0" + bytes(64)) + "\n"
    same_id_other_name = GO_LINE.replace("PeterNeumann", "Somebody")
    note = parse_note(GO_TEXT + "\n" + same_name_other_id + same_id_other_name + GO_LINE)
    assert len(verify_note(note, [parse_vkey(GO_VKEY)])) == 1


def test_a_key_is_known_by_name_and_id_together() -> None:
    assert reason(GO_TEXT + "\n" + GO_LINE.replace("PeterNeumann", "Somebody"), GO_VKEY) == "no_known_signature"


def test_a_note_without_a_known_signature_is_rejected() -> None:
    assert reason(GO_NOTE, FOO_VKEY) == "no_known_signature"
    assert reason(GO_NOTE) == "no_known_signature"


def test_a_known_key_that_fails_condemns_the_note_even_beside_a_good_signature() -> None:
    good, bad = key(1), key(2)
    forged = NoteSignature(bad.verifying.name, bad.verifying.id, bytes(64))
    note = Note("text\n", (sign_text("text\n", good), forged))
    assert verify_note(note, [good.verifying])
    with pytest.raises(ValidationError) as caught:
        verify_note(note, [good.verifying, bad.verifying])
    assert caught.value.details["reason"] == "bad_signature"


@pytest.mark.parametrize("size", [1, 63, 65, 72])
def test_a_signature_of_another_length_fails(size: int) -> None:
    signer = key(1)
    payload = (sign_text("text\n", signer).payload + bytes(64))[:size]
    with pytest.raises(ValidationError):
        verify_note(
            Note("text\n", (NoteSignature("example.org/k1", signer.verifying.id, payload),)),
            [signer.verifying],
        )


def test_several_lines_by_one_key_count_once() -> None:
    signer = key(1)
    line = sign_text("text\n", signer)
    assert len(verify_note(Note("text\n", (line, line, line)), [signer.verifying])) == 1
    forged = NoteSignature(line.name, line.key_id, bytes(64))
    for pair in ((line, forged), (forged, line)):
        with pytest.raises(ValidationError):
            verify_note(Note("text\n", pair), [signer.verifying])


def test_sixteen_signatures_and_more_are_read() -> None:
    signers = [key(number) for number in range(1, 21)]
    text = format_note(Note("text\n", tuple(sign_text("text\n", signer) for signer in signers)))
    verified = verify_note(parse_note(text), [signer.verifying for signer in signers])
    assert [signed.key for signed in verified] == [signer.verifying for signer in signers]


def test_too_many_signatures_are_refused() -> None:
    line = sign_text("text\n", key(1)).line
    assert parse_note("text\n\n" + line * MAX_SIGNATURES)
    with pytest.raises(ValidationError):
        parse_note("text\n\n" + line * (MAX_SIGNATURES + 1))


@pytest.mark.parametrize(
    "note",
    [
        "",
        "\n",
        "text",
        "text\n",
        "text\n\n",
        "text\n" + GO_LINE,
        GO_NOTE[:-1],
        GO_NOTE + "\n",
        GO_NOTE + "— \n",
        GO_NOTE + "- PeterNeumann AAAAAAAA\n",
        GO_NOTE + "— PeterNeumann\n",
        GO_NOTE + "— Peter Neumann AAAAAAAA\n",
        GO_NOTE + "— Peter\u00a0Neumann AAAAAAAA\n",
        GO_NOTE + "— Peter+Neumann AAAAAAAA\n",
        GO_NOTE + "—  AAAAAAAA\n",
        GO_NOTE + "— name AAAAAA==\n",
        GO_NOTE + "— name AAAAAAB=\n",
        GO_NOTE + "— name AAAAAAA\n",
        GO_NOTE + "— name AAAA AAA=\n",
        GO_NOTE + "— name AAAAAA-_\n",
        GO_NOTE + "— name AAAAAAA=A\n",
        GO_NOTE + "—\tname AAAAAAAA\n",
        "te\rxt\n\n" + GO_LINE,
        "te\0xt\n\n" + GO_LINE,
        "te\txt\n\n" + GO_LINE,
        "te\ud800xt\n\n" + GO_LINE,
        "x" * 1_000_001 + "\n\n" + GO_LINE,
    ],
)
def test_a_malformed_note_is_refused(note: str) -> None:
    with pytest.raises(ValidationError):
        parse_note(note)


def test_a_note_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(ValidationError):
        parse_note(b"te\xffxt\n\n" + GO_LINE.encode())


@pytest.mark.parametrize("note", [Note("no newline", ()), Note("text\n", ()), Note("a\tb\n", ())])
def test_a_malformed_note_is_not_written(note: Note) -> None:
    with pytest.raises(ValidationError):
        format_note(note)


@pytest.mark.parametrize(
    "vkey",
    [
        "",
        "PeterNeumann",
        GO_VKEY.replace("c74f20a3", "c74f20a4"),
        GO_VKEY.replace("c74f20a3", "C74F20A3"),
        GO_VKEY.replace("PeterNeumann", "PeterNeuman"),
        GO_VKEY.replace("PeterNeumann", ""),
        GO_VKEY.replace("PeterNeumann", "Peter Neumann"),
        GO_VKEY[:-1],
        GO_VKEY + "\n",
        GO_VKEY + "=",
        "PeterNeumann+c74f20a3+" + encode_base64(b"\x06" + bytes(1312)),
        "PeterNeumann+c74f20a3+" + encode_base64(b"\x02" + bytes(32)),
        "PeterNeumann+c74f20a3+",
        GO_PRIVATE,
    ],
)
def test_a_malformed_or_foreign_key_is_refused(vkey: str) -> None:
    with pytest.raises(ValidationError):
        parse_vkey(vkey)


@pytest.mark.parametrize(
    "text", ["", GO_VKEY, GO_PRIVATE[:-4], GO_PRIVATE.replace("c74f20a3", "c74f20a4"), GO_PRIVATE + "\n"]
)
def test_a_malformed_private_key_is_refused_without_being_shown(text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        parse_private_key(text)
    assert "AYEKFALVFG" not in str(caught.value)


def test_a_signing_key_does_not_show_its_seed() -> None:
    signer = parse_private_key(GO_PRIVATE)
    assert str(signer.seed) not in repr(signer)
    assert signer.seed.hex() not in repr(signer)


@pytest.mark.parametrize(
    ("name", "public"),
    [("a b", bytes(32)), ("", bytes(32)), ("a+b", bytes(32)), ("a\u2003b", bytes(32)), ("a", bytes(31))],
)
def test_a_key_with_an_impossible_name_or_length_is_refused(name: str, public: bytes) -> None:
    with pytest.raises(ValidationError):
        VerifyingKey(name, ED25519, public)


def test_the_kind_of_a_key_is_part_of_its_identity() -> None:
    note, cosigner = key(1), key(1, COSIGNATURE)
    assert note.verifying.public == cosigner.verifying.public
    assert note.verifying.id != cosigner.verifying.id
    with pytest.raises(ValidationError):
        sign_text("text\n", cosigner)


def test_two_keys_with_one_name_and_id_are_ambiguous() -> None:
    # Ids have 32 bits, so two keys can collide; here the collision is staged.
    class Twin(VerifyingKey):
        id = key(1).verifying.id  # type: ignore[assignment]

    twin = Twin("example.org/k1", ED25519, bytes(32))
    with pytest.raises(ValidationError) as caught:
        verify_note(Note("text\n", (sign_text("text\n", key(1)),)), [key(1).verifying, twin])
    assert caught.value.details["reason"] == "ambiguous_keys"


def test_the_same_key_given_twice_is_one_key() -> None:
    assert len(verify_note(parse_note(GO_NOTE), [parse_vkey(GO_VKEY), parse_vkey(GO_VKEY)])) == 1


@pytest.mark.parametrize("text", ["AA==", "AAA=", "AAAA", ""])
def test_canonical_base64_is_read(text: str) -> None:
    assert encode_base64(decode_base64(text)) == text


@pytest.mark.parametrize(
    "text", ["A", "AA", "AAA", "AB==", "AAB=", "AA==\n", " AAAA", "A-A_", "AA==AAAA", "=AAA", "ÄAAA"]
)
def test_other_base64_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        decode_base64(text)


def test_a_signature_line_needs_its_newline() -> None:
    assert parse_signature_line(GO_LINE).line == GO_LINE
    with pytest.raises(ValidationError):
        parse_signature_line(GO_LINE[:-1])


def test_the_witness_key_is_the_published_one() -> None:
    assert signing_key("witness.example/w1", WITNESS_SEED, COSIGNATURE).verifying.vkey == WITNESS_VKEY
