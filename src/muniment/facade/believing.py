"""Believe: what holds, what is found, and what was ever said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from muniment.facade.terms import Handle, When, arguments
from muniment.operation import Access, operation

if TYPE_CHECKING:
    from muniment.verbs.believing.charts import Chart
    from muniment.verbs.finding.companions import IndexLines, Neighbors, PromptContext, Verification
    from muniment.verbs.finding.hits import Explanation, Hits
    from muniment.verbs.results import Belief, Page, Statement


class Believing(Handle):
    """Believe: what holds, what is found, and what was ever said."""

    @operation(profile="core", access=Access.READS, role="reader", idempotent=True, title="What is believed")
    def believe(self, key: str, *, valid_at: When | None = None, as_of: When | None = None) -> Belief:
        """Return what is believed of a key.

        Args:
            key: ``subject::predicate``.
            valid_at: The instant the answer is about; now if not given, whatever ``as_of`` is.
            as_of: What was known by then; now if not given. Of either, a day, a month or a year means its first instant.

        Returns:
            The answer with status resolved, contested or none, its candidates, and why.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("Berlin", key="ana::city", valid_to="2024-12-31")
            ...     _ = memory.remember("Munich", key="ana::city", valid_from="2025-01-01")
            ...     memory.believe("ana::city", valid_at="2024-06-01").value
            'Berlin'
        """
        from muniment.verbs.believing import believe

        return believe.believe(self._context, key, valid_at, as_of)

    @operation(profile="core", access=Access.READS, role="reader", idempotent=True, title="Find what is believed")
    def recall(
        self,
        query: str,
        *,
        k: int = 6,
        where: Mapping[str, Any] | None = None,
        prefer: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        valid_at: When | None = None,
        as_of: When | None = None,
        trusted_only: bool = False,
        min_relevance: float = 0.0,
        include: Sequence[str] = (),
        diversity: float = 0.0,
        reinforce: bool = False,
        cursor: str | None = None,
    ) -> Hits:
        """Find what is believed about something, best first, with disputes visible.

        Of a question with several parts ("where does Ana live and what is her budget?") the best answer to each is among
        the first ``k``, and ``why["part"]`` of a hit is the number of the part that it serves. Of a time that it names
        ("in May 2023", "last week"), what happened then ranks higher (``why["dated"]``).

        Args:
            query: What to look for, 64 KiB at most. It is data: no text in it is query syntax.
            k: How many hits, at least 1.
            where: A filter: ``{"meta.team": "core", "confidence": {"$gte": 0.5}}``. ``docs/filters.md`` lists the fields
                and operators, as does the error for an unknown one.
            prefer: Soft boosts: filters whose matches rank higher.
            valid_at, as_of: Time travel, as for :meth:`believe`.
            trusted_only: Only what users and tools said, or a person accepted.
            min_relevance: 0 to 1; weaker hits are left out.
            include: Standings to show beside beliefs: superseded, held, ended, echo … or all.
            diversity: 0 to 1: how much being unlike the hits before counts against relevance, among the first 50.
            reinforce: These hits are of use: their age starts anew, and they rank up to a tenth higher, which fades. It
                needs the role writer, is kept beside the log, and touches no claim and no trust.
            cursor: From the result before, for the next hits.

        Returns:
            Hits: a sequence with ``suppressed_retired``, ``truncated``, ``degraded`` and ``cursor``.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("The staging database runs on port 5433")
            ...     memory.recall("staging port")[0].text
            'The staging database runs on port 5433'
        """
        from muniment.verbs.finding import recalling

        return recalling.recall(
            self._context, query, k=k, where=where, prefer=prefer, valid_at=valid_at, as_of=as_of,
            trusted_only=trusted_only, min_relevance=min_relevance, include=include, diversity=diversity,
            reinforce=reinforce, cursor=cursor,
        )  # fmt: skip

    @operation(profile="core", access=Access.READS, role="reader", idempotent=True, title="Beliefs for a prompt")
    def context(
        self,
        query: str,
        *,
        budget_tokens: int = 1000,
        k: int = 20,
        where: Mapping[str, Any] | None = None,
        prefer: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        valid_at: When | None = None,
        as_of: When | None = None,
        trusted_only: bool = False,
        min_relevance: float = 0.0,
        diversity: float = 0.0,
        count_tokens: Callable[[str], int] | None = None,
    ) -> PromptContext:
        """Put the most useful beliefs about something into a text for a prompt, within a budget of tokens.

        Every record is quoted on a line of its own inside a fence that no stored text can close, with its channel,
        source and dates. A disputed key comes with every candidate, marked, or as one line that says it is disputed.

        Args:
            query: What the prompt is about, as for :meth:`recall`.
            budget_tokens: Tokens that the whole text may take, fence included.
            k: Records at most, 1 to 100; each candidate of a dispute is one.
            where, prefer, valid_at, as_of, trusted_only, min_relevance, diversity: As for :meth:`recall`.
            count_tokens: Counts the tokens of a text. If not given they are estimated, rather too high: one for four
                ASCII letters, digits or spaces, and one for each other character.

        Returns:
            The ``text``, empty where nothing fits, with its ``hits``, its ``tokens`` and how many were ``omitted``.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("Deploys happen on Tuesdays", channel="tool", source="wiki://deploys")
            ...     found = memory.context("deploys", budget_tokens=200)
            ...     print(found.text.splitlines()[2][:58])
            - "Deploys happen on Tuesdays" (tool; source "wiki://deplo
        """
        given = arguments(locals(), "query")
        from muniment.verbs.finding import prompting

        return prompting.context(self._context, query, **given)

    @operation(profile="core", access=Access.READS, role="reader", idempotent=True, title="Why a claim is found or not")
    def explain(self, query: str, id: str, *, valid_at: When | None = None, as_of: When | None = None) -> Explanation:
        """Say why a claim is, or is not, found by a query: each factor of its score, or what keeps it out.

        Args:
            query: The query.
            id: The claim.
            valid_at, as_of: As for :meth:`recall`.

        Returns:
            The factors, what each term adds, and the claim's place among the hits, before any reranker, and before the
            best answer to a part of the query was put on the first page.
        """
        from muniment.verbs.finding import recalling

        return recalling.explain(self._context, query, id, valid_at=valid_at, as_of=as_of)

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True, title="Ask, and ask further")
    def recall_iterative(
        self,
        query: str,
        *,
        follow_ups: Sequence[str] = (),
        follow_up: Callable[[str, Hits], Sequence[str]] | None = None,
        rounds: int = 1,
        k: int = 12,
        where: Mapping[str, Any] | None = None,
        valid_at: When | None = None,
        as_of: When | None = None,
        trusted_only: bool = False,
        min_relevance: float = 0.0,
    ) -> Hits:
        """Find something, then what that leaves open, as one answer: what stands first for any query comes first.

        Args:
            query: What to look for, as for :meth:`recall`.
            follow_ups: Further queries, 8 at most.
            follow_up: Called with the query and the hits so far; returns further queries, or none. It is called at
                most ``rounds`` times, and no more once nothing new is found. Where it fails, the hits so far stand.
            rounds: 1 to 5.
            k: Hits of the whole answer, at least 1.
            where, valid_at, as_of, trusted_only, min_relevance: As for :meth:`recall`.

        Returns:
            Hits; ``why["query"]`` of each says which query brought it, 0 for the first one.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("Ana reports to Bea")
            ...     _ = memory.remember("Bea sits in the Porto office")
            ...     found = memory.recall_iterative("Ana", follow_up=lambda query, hits: ["Bea office"])
            ...     [hit.text for hit in found]
            ['Ana reports to Bea', 'Bea sits in the Porto office']
        """
        given = arguments(locals(), "query")
        from muniment.verbs.finding import iterating

        return iterating.recall_iterative(self._context, query, **given)

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True, title="Is it so?")
    def verify_claim(
        self,
        text: str,
        *,
        key: str | None = None,
        value: Any = None,
        valid_at: When | None = None,
        as_of: When | None = None,
        trusted_only: bool = False,
    ) -> Verification:
        """Say whether what is believed supports a statement. It goes by the words, without a model.

        A statement is supported where a belief, or a whole sentence of one, says the same word for word, signs and units
        included, and contradicted where one says the same but for a negation, a figure, or the value of its key. Anything
        else is unknown, and so is a question, which asserts nothing.

        With a key, all that was ever said of it is looked at, and the text is compared with its value as values are:
        ``1,000`` is 1000 and ``500 MB`` is 0.5 GB. Without one, every belief and every retired claim that holds the words
        is, whatever its priority and age; but for the figures, or for up to four words in the place of a value. Of more
        than 500 such claims of a kind those with the fewest words are compared, and ``degraded`` says so.

        Args:
            text: The statement, 64 KiB at most.
            key: The key it is about, if it is about one.
            value: The value it states, if it is not to be taken from the text.
            valid_at, as_of: Time travel, as for :meth:`believe`.
            trusted_only: Only what users and tools said, or a person accepted, counts.

        Returns:
            The verdict (supported, contradicted, contested, retired or unknown) with the claims that it rests on, a dozen
            of each kind at most.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("Ana lives in Porto", key="ana::city", value="Porto")
            ...     memory.verify_claim("Ana lives in Oslo").verdict.value
            'contradicted'
        """
        given = arguments(locals(), "text")
        from muniment.verbs.finding import verifying

        return verifying.verify_claim(self._context, text, **given)

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True, title="What stands near a claim")
    def neighbors(self, id: str, *, k: int = 12, include: Sequence[str] = (), as_of: When | None = None) -> Neighbors:
        """Return what stands near a claim: on its line, what it was derived from and what from it, what was said just
        before and after in its session, and what is about the same subject or people.

        Args:
            id: The claim's id.
            k: How many neighbours, 1 to 100.
            include: Standings to show beside what is believed: superseded, held, ended … or all.
            as_of: As known by then; now if not given.

        Raises:
            NotFoundError: If it does not exist, was erased, or is not visible.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     said = memory.remember("Ana lives in Porto", key="ana::city", value="Porto")
            ...     _ = memory.remember("Ana speaks Portuguese", derived_from=[said.claim_id])
            ...     [(near.relation, near.text) for near in memory.neighbors(said.claim_id)]
            [('child', 'Ana speaks Portuguese')]
        """
        given = arguments(locals(), "id")
        from muniment.verbs.finding import neighbouring

        return neighbouring.neighbors(self._context, id, **given)

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True, title="One line for each belief")
    def index_lines(
        self,
        *,
        budget_tokens: int = 2000,
        limit: int = 200,
        where: Mapping[str, Any] | None = None,
        cursor: str | None = None,
        count_tokens: Callable[[str], int] | None = None,
    ) -> IndexLines:
        """List what is believed in one line for each belief: key and value, or the beginning of a note; for a prompt
        that should know what there is to ask for.

        Args:
            budget_tokens: Tokens that the text may take, fence included.
            limit: Lines of a page, 1 to 1000.
            where: A filter, as for :meth:`recall`. Of a dispute the candidates that fit are told, and how many do not.
            cursor: From the page before.
            count_tokens: As for :meth:`context`.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("Ana lives in Porto", key="ana::city", value="Porto")
            ...     memory.index_lines()[0].line
            '- "ana::city" = "Porto"'
        """
        given = arguments(locals())
        from muniment.verbs.finding import listing

        return listing.index_lines(self._context, **given)

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True, title="One claim")
    def get(self, id: str, *, as_of: When | None = None) -> Statement:
        """Return one claim by id, with its standing.

        Args:
            id: The claim's id.
            as_of: As known by then; now if not given.

        Raises:
            NotFoundError: If it does not exist, was erased, or is not visible.
        """
        from muniment.verbs.believing import reading

        return reading.get(self._context, id, as_of)

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True, title="List claims")
    def list(
        self,
        *,
        where: Mapping[str, Any] | None = None,
        limit: int = 100,
        cursor: str | None = None,
        include: Sequence[str] = (),
    ) -> Page:
        """List claims in the order they were recorded, a page at a time.

        Args:
            where: A filter, as for :meth:`recall`.
            limit: Rows of a page; more than 1000 are given in pages of 1000, and ``truncated`` says so.
            cursor: From the page before.
            include: Standings to list beside what is believed: superseded, held, ended … or all.
        """
        from muniment.verbs.believing import reading

        return reading.list_claims(self._context, where, limit, cursor, include)

    @operation(profile="core", access=Access.READS, role="reader", idempotent=True, title="History of a key")
    def history(self, key: str, *, as_of: When | None = None) -> tuple[Statement, ...]:
        """Return every claim of a key in the order they were recorded, each with its standing.

        Of a claim that was erased, nothing is told but when and by which log entry.

        Args:
            key: ``subject::predicate``.
            as_of: As known by then; now if not given.

        Returns:
            The statements, as a tuple that prints as a table. Of a key under which nothing was ever said it is empty,
            and its ``similar`` are keys that look like that one.
        """
        from muniment.verbs.believing import reading

        return reading.history(self._context, key, as_of)

    @operation(profile="curate", access=Access.READS, role="reader", idempotent=True, title="Draw a key in time")
    def chart(self, key: str, *, as_of: When | None = None) -> Chart:
        """Draw a key in both kinds of time: what was believed, for when, and as known when.

        As text, and as a picture: ``to_svg()``, which JSON has as the member ``svg``. At the command line:
        ``muniment chart KEY --json | jq -r .svg > chart.svg``.

        Args:
            key: ``subject::predicate``.
            as_of: As known by then; now if not given.

        Returns:
            The rectangles, with ``to_text()`` and ``to_svg()``.

        Example:
            >>> with Memory(":memory:") as memory:
            ...     _ = memory.remember("Berlin", key="ana::city", valid_from="2023", valid_to="2023")
            ...     _ = memory.remember("Munich", key="ana::city", valid_from="2024")
            ...     [(one.value, one.since[:4]) for one in memory.chart("ana::city").stretches]
            [('Berlin', '2023'), ('Munich', '2024')]
        """
        from muniment.verbs.believing import charting

        return charting.chart(self._context, key, as_of)
