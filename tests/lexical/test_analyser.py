"""The analyser: what is written in any script is found, whole and in part."""

from __future__ import annotations

import threading
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.lexical.analyser import (
    _REMEMBERED,
    PART_WEIGHT,
    _old,
    _young,
    analyse,
    analyse_query,
    fingerprint,
    forget_words,
)
from muniment.lexical.segments import split
from muniment.lexical.stopwords import is_stop_word


def finds(claim: str, query: str) -> bool:
    """Say whether each stretch of the query stands in the claim: by its own term, or else by all of its parts."""
    held = set(analyse(claim))
    stretches = [analyse_query(stretch) for stretch in query.split()]
    wholes = [{term.text for term in stretch if term.weight == 1.0} for stretch in stretches]
    parts = [{term.text for term in stretch if term.weight < 1.0} for stretch in stretches]
    return all((whole and whole <= held) or (part and part <= held) for whole, part in zip(wholes, parts, strict=True))


FOUND = [
    # claim, queries that find it
    ("用户服务器部署在腾讯云国内节点", ["腾讯云", "腾讯", "云", "服务器", "用户服务器部署在腾讯云国内节点"]),
    ("東京タワーの高さは333メートルです", ["東京", "東京タワー", "タワー", "333", "高", "ﾀﾜｰ"]),
    ("서버는 서울에서 운영됩니다", ["서울", "서울에서", "서버", "운영"]),
    ("Новые серверы стоят в Москве, ёлка украшена", ["сервер", "сервера", "СЕРВЕРЫ", "Москва", "елка", "ёлки"]),
    ("الخادم الجديد في مدينة القاهرة وكتاب المستخدم", ["خادم", "الخادم", "القاهرة", "مستخدم", "للمستخدم"]),
    ("كَتَبَ المُدِيرُ تقريرًا", ["كتب", "المدير"]),
    ("השרת נמצא בחיפה ליד הבית", ["שרת", "השרת", "חיפה", "בחיפה", "בית"]),
    ("שָׁלוֹם לכולם", ["שלום"]),
    ("ฉันอยู่ที่กรุงเทพมหานคร", ["กรุงเทพ", "กรุงเทพมหานคร", "ฉัน"]),
    ("ຂ້ອຍຢູ່ວຽງຈັນ", ["ວຽງຈັນ"]),
    ("ខ្ញុំរស់នៅភ្នំពេញ", ["ភ្នំពេញ"]),
    ("ကျွန်တော် ရန်ကုန်မှာ နေတယ်", ["ရန်ကုန်"]),
    ("लड़कियों का सर्वर दिल्ली में है", ["लड़की", "सर्वर", "दिल्ली"]),
    ("வீடுகள் சென்னையில் உள்ளன", ["வீடு", "வீடுகள்"]),
    ("Ο διακομιστής βρίσκεται στην Αθήνα, σπίτια", ["διακομιστης", "ΑΘΗΝΑ", "Αθηνα", "σπίτι"]),
    ("Սերվերները Երևանում են", ["սերվերները"]),
    ("Zoë's café in Łódź, Ærøskøbing and the Straße", ["zoe", "cafe", "Café", "lodz", "aeroskobing", "strasse"]),
    ("İstanbul ve Iğdır", ["istanbul", "igdir"]),
    ("Việt Nam: Hà Nội", ["viet nam", "ha noi", "Hà"]),
    ("running databases were generously organised", ["run", "database", "organise"]),
    ("The host db-3.internal is down", ["db-3.internal", "db-3", "db", "3", "internal", "DB-3.INTERNAL"]),
    ("Claim POL-358 was paid", ["POL-358", "pol", "358", "pol-358"]),
    ("Upgraded to v2 and then to v3.1.4", ["v2", "2", "v3.1.4", "V2"]),
    ("call parse_http_header() first", ["parse_http_header", "header", "http parse"]),
    ("the getUserName2 and HTTPServer classes", ["getUserName2", "getusername2", "user", "name", "http", "server"]),
    ("a camelCaseNameWithManyWords", ["camelCaseNameWithManyWords", "words", "camel case name"]),
    ("written in C++, C# and .NET, not C", ["C++", "c#", ".NET", "NET", "C"]),
    ("due on 2026-05-08 at 10:30", ["2026-05-08", "2026", "05", "10:30"]),
    ("write to ann.lee@mail.example.org", ["ann.lee@mail.example.org", "ann", "mail.example.org", "example.org lee"]),
    ("see https://docs.example.org/v2/api", ["docs.example.org", "api", "example"]),
    ("the UK office, room 7, 5 people, TV", ["UK", "uk", "7", "5", "tv"]),
    ("she said don't, O'Brien’s dog, l'homme", ["don't", "dont", "O'Brien", "Brien", "obrien", "homme"]),
    ("it costs $1,234.50 in the U.S.", ["1234.50", "1,234.50", "1234", "US", "U.S."]),
    ("tickets ٤٢ and ४३ and ４４", ["42", "43", "44"]),
    ("party 🍕 tonight 👩‍💻", ["🍕", "👩‍💻"]),
    ("ｆｕｌｌｗｉｄｔｈ ﬁne Ⅷ", ["fullwidth", "fine", "viii"]),
    ("URLs and APIs of iPhones", ["url", "URL", "API", "iphone"]),
    ("iPhone15を買った。3月15日", ["iPhone15", "iphone", "15", "買", "3"]),
    ("user::home_city", ["user", "city", "user::home_city", "home_city"]),
    ("trailing #launch and @ann", ["#launch", "launch", "ann"]),
    ("zero\u200bwidth and so\u00adft", ["zerowidth", "soft"]),
]


@pytest.mark.parametrize(("claim", "query"), [(claim, query) for claim, queries in FOUND for query in queries])
def test_what_is_written_is_found_whole_and_in_part(claim: str, query: str) -> None:
    assert finds(claim, query)


@pytest.mark.parametrize(
    ("claim", "query"),
    [
        ("用户服务器部署在腾讯云", "阿里"),
        ("用户服务器部署在腾讯云", "云腾"),  # both characters, but not as this word
        ("서버는 서울에서", "부산"),
        ("новый сервер", "старый"),
        ("version v2", "v3"),
        ("POL-358", "POL-359"),
        ("กรุงเทพมหานคร", "เชียงใหม่"),
        ("cafeteria", "cafe"),
    ],
)
def test_what_is_not_written_is_not_found(claim: str, query: str) -> None:
    assert not finds(claim, query)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("C++ C# .NET", "c++ c c# c .net net"),
        ("ann.lee@mail.example.org", "ann.lee@mail.example.org ann.lee ann lee mail.example.org mail exampl org"),
        ("user::home_city", "user::home_city user home_city home citi"),
        ("getUserName2", "getusername2 getusernam get user name 2"),
        ("Alice's iPhones", "alic iphon phone"),
        ("wait...what (yes/no)", "wait what yes/no yes no"),
        ("腾讯云v2", "腾 腾讯 讯 讯云 云 v2 2"),
    ],
)
def test_an_identifier_is_kept_whole_then_cut_at_its_joints_then_in_pieces(text: str, terms: str) -> None:
    assert analyse(text) == terms.split()


@pytest.mark.parametrize("text", ["", " ", "...", "—", "(){}[]", "\x00\x01", "\ud800", "\u200b", "'\"", "*"])
def test_text_without_words_has_no_terms(text: str) -> None:
    assert analyse(text) == []
    assert analyse_query(text) == []


def is_clean(term: str) -> bool:
    bad = any(c.isspace() or unicodedata.category(c) in ("Cc", "Cs", "Cf") for c in term)
    return bool(term) and not bad and len(term) <= 64


@settings(max_examples=400)
@given(st.text(alphabet=st.characters(), max_size=60))
def test_terms_are_safe_to_store_between_spaces(text: str) -> None:
    terms = analyse(text)
    assert all(map(is_clean, terms))
    assert " ".join(terms).split() == terms
    " ".join(terms).encode("utf-8")


@settings(max_examples=200)
@given(st.text(max_size=60))
def test_a_text_finds_itself_however_it_is_composed_or_cased(text: str) -> None:
    terms = set(analyse(text))
    for other in (unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)):
        assert set(analyse(other)) == terms
    assert {term.text for term in analyse_query(text)} <= terms


@settings(max_examples=100)
@given(st.lists(st.sampled_from(["Müller", "db-3", "腾讯云", "C++", "don't", "v2", "กรุงเทพ"]), max_size=8))
def test_a_stretch_means_the_same_beside_any_neighbour(chunks: list[str]) -> None:
    assert analyse(" ".join(chunks)) == [term for chunk in chunks for term in analyse(chunk)]


def test_stop_words_are_marked_in_queries_and_kept_in_the_index() -> None:
    assert [(t.text, t.stop) for t in analyse_query("Who is the author?")] == [
        ("who", True), ("is", True), ("the", True), ("author", False),
    ]  # fmt: skip
    assert analyse("who is the author") == ["who", "is", "the", "author"]


@pytest.mark.parametrize("word", ["recently", "Lately,", "currently?"])
def test_how_new_an_answer_would_be_is_not_looked_for_and_a_statement_may_hinge_on_it(word: str) -> None:
    assert [term.stop for term in analyse_query(f"otters seen {word}")] == [False, False, True]
    assert not is_stop_word(word.strip(",?"))


def test_a_name_in_capitals_is_no_stop_word_unless_everything_is_in_capitals() -> None:
    assert not analyse_query("offices in the US")[-1].stop
    assert analyse_query("OFFICES LIKE US")[-1].stop
    assert not analyse_query("is john doe here")[2].stop  # 'does' is a stop word and has the same stem


@pytest.mark.parametrize("word", ["don’t", "“the”", "what's", "(who)", "The,"])
def test_a_stop_word_is_one_in_any_punctuation(word: str) -> None:
    assert analyse_query(f"{word} otter")[0].stop


def test_pieces_of_an_identifier_weigh_less_than_the_identifier() -> None:
    weights = {term.text: term.weight for term in analyse_query("POL-358 report")}
    assert weights == {"pol-358": 1.0, "pol": PART_WEIGHT, "358": PART_WEIGHT, "report": 1.0}


def test_a_query_of_two_characters_means_the_pair() -> None:
    assert [term.text for term in analyse_query("腾讯")] == ["腾讯"]
    assert [term.text for term in analyse_query("腾")] == ["腾"]


def test_places_in_a_query_are_places_in_the_claim() -> None:
    text = "the db-3.internal host 腾讯云 runs"
    terms = analyse(text)
    assert all(terms[term.position] == term.text for term in analyse_query(text))


def test_a_term_repeated_in_a_query_is_given_once() -> None:
    assert [term.text for term in analyse_query("new york New York")] == ["new", "york"]


def test_long_keys_and_hashes_stay_short_and_are_found() -> None:
    key = "a1B2" * 50
    assert finds(f"key {key} stored", key)
    assert finds("commit 9f8e7d6c5b4a", "9f8e7d6c5b4a")
    assert "9" not in analyse("commit 9f8e7d6c5b4a")  # nobody asks for a hash by its digits
    assert max(map(len, analyse("x" * 5_000))) <= 64


@pytest.mark.timeout(120)
@pytest.mark.parametrize("pattern", ["a1B", "a-", "'", "a'", "a.", "a::", "_", "+", "腾", "กี้", "ÀÉ", "1,000,"])
def test_hostile_text_of_half_a_megabyte_takes_linear_time(pattern: str) -> None:
    analyse(pattern * (500_000 // len(pattern)))


def test_the_memo_stays_bounded_and_can_be_emptied() -> None:
    for i in range(3 * _REMEMBERED):
        analyse(f"word{i}x")
    assert len(_young) <= _REMEMBERED
    assert len(_old) <= _REMEMBERED
    analyse("secretname")
    assert "secretname" in _young
    forget_words()
    assert not _young
    assert not _old


def test_the_memo_gives_what_splitting_anew_gives() -> None:
    text = "The café's server db-3 runs C++ in Łódź"
    first = analyse(text)
    assert analyse(text) == first
    forget_words()
    assert analyse(text) == first


@pytest.mark.parametrize("number", ["0", "42", "007", "9" * 64, "1" * 70, "٤٢", "²"])
def test_a_number_has_the_terms_that_splitting_gives_and_is_not_remembered(number: str) -> None:
    forget_words()
    assert analyse(number) == split(number).terms
    assert not number.isascii() or number not in _young


def test_threads_analyse_alike() -> None:
    text = "running серверы الكتاب generously διακομιστής databases " * 20
    expected = analyse(text)
    results: list[bool] = []

    def work() -> None:
        for _ in range(30):
            forget_words()
            results.append(analyse(text) == expected)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 120


def test_the_fingerprint_names_what_the_analyser_does(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint()
    assert fingerprint() == before
    monkeypatch.setattr("muniment.lexical.segments.stem", lambda word: word)
    assert fingerprint() != before
