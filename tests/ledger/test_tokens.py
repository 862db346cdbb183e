"""Reviewer tokens: their form, and the vector that docs/reviewer-tokens.md gives."""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from dataclasses import replace
from pathlib import Path

import pytest

from muniment.errors import ValidationError
from muniment.ledger.keys import parse_private_key, parse_vkey, signing_key
from muniment.ledger.tokens import PREFIX, Statement, key_name, read_token, sign_token

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reviewer-tokens.md"
KEY = signing_key("reviewer.example/ana", bytes(range(32)))
SAID = Statement(
    "default", "0199c0de-0000-7000-8000-000000000001", "0199c0de-0000-7000-8000-000000000002", "accept",
    1_800_000_000_000_000, key_name(KEY.verifying),
)  # fmt: skip


def vector() -> dict[str, str]:
    """The table of the page."""
    return dict(re.findall(r"^\| ([a-z ]+) \| `([^`]+)` \|$", PAGE.read_text().partition("## Test vector")[2], re.M))


def test_the_vector_of_the_page_is_what_the_code_writes() -> None:
    page = vector()
    assert page["seed"] == bytes(range(32)).hex()
    assert (page["private key"], page["public key"]) == (KEY.private_text, KEY.verifying.vkey)
    assert page["token"] == sign_token(SAID, KEY)
    assert parse_private_key(page["private key"]) == KEY
    said, signed, signature = read_token(page["token"])
    assert (said, signed) == (SAID, PREFIX + page["payload"].encode())
    assert parse_vkey(page["public key"]).verifies(signed, signature)
    assert not parse_vkey(page["public key"]).verifies(signed[len(PREFIX) :], signature), "the prefix is signed too"


def test_a_token_names_the_key_that_signs_it() -> None:
    with pytest.raises(ValidationError):
        sign_token(replace(SAID, key="reviewer.example/bob+00000000"), KEY)


def coded(text: bytes) -> str:
    return urlsafe_b64encode(text).rstrip(b"=").decode()


GOOD = sign_token(SAID, KEY)
FORM, PAYLOAD, SIGNATURE = GOOD.split(".")
JSON = read_token(GOOD)[1][len(PREFIX) :]


@pytest.mark.parametrize(
    "token",
    [
        "", "mrt1", "mrt1..", f"mrt2.{PAYLOAD}.{SIGNATURE}", f"{FORM}.{PAYLOAD}", f"{GOOD}.{SIGNATURE}", f"{GOOD}=",
        f"{FORM}.{PAYLOAD}.{SIGNATURE[:-2]}", f"{FORM}.{PAYLOAD[:-1]}.{SIGNATURE}", f" {GOOD}", f"{FORM}.!.{SIGNATURE}",
        f"{FORM}.{coded(JSON.replace(b',', b', ', 1))}.{SIGNATURE}", f"{FORM}.{coded(b'[]')}.{SIGNATURE}",
        f"{FORM}.{coded(JSON.replace(b'1800000000000000', b'1.8e15'))}.{SIGNATURE}",
        f"{FORM}.{coded(JSON.replace(b'1800000000000000', b'true'))}.{SIGNATURE}",
        f"{FORM}.{coded(JSON.replace(b'accept', b'accept' + bytes([34, 44, 34, 97, 34, 58, 34])))}.{SIGNATURE}",
        f"{FORM}.{coded(JSON[:-1] + b',%s:1}' % b'%sz%s')}.{SIGNATURE}", "x" * 5000,
    ],
)  # fmt: skip
def test_what_is_not_exactly_a_token_is_none(token: str) -> None:
    with pytest.raises(ValidationError):
        read_token(token)
