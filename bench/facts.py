"""What the generated dialogues are about: facts, each with a question, with statements in its words and in others.

``{e}`` is what a fact is about, ``{v}`` its value. Statements in other words share nothing with the question but the
name, as people do not quote the question that somebody will ask of them later.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attribute:
    """One kind of fact.

    Args:
        name: Predicate of its key.
        question: How somebody asks for it.
        same: Statements in the words of the question.
        other: Statements in other words.
        numeric: Whether values are numbers; names if not.
    """

    name: str
    question: str
    same: tuple[str, ...]
    other: tuple[str, ...]
    numeric: bool = True


ATTRIBUTES = (
    Attribute(
        "port", "Which port does {e} listen on?",
        ("{e} listens on port {v}.", "The port that {e} listens on is {v}."),
        ("Clients reach {e} through :{v}.", "Point the connection to {e} at {v}, that is where it answers."),
    ),
    Attribute(
        "owner", "Who is the owner of {e}?",
        ("The owner of {e} is {v}.", "{v} became the owner of {e}."),
        ("{v} is responsible for {e}.", "Whatever is unclear about {e}, {v} has the last word."), False,
    ),
    Attribute(
        "region", "In which region is {e} hosted?",
        ("{e} is hosted in the region {v}.", "The region that hosts {e} is {v}."),
        ("All machines of {e} stand in {v}.", "{e} was brought to the data centre at {v}."), False,
    ),
    Attribute(
        "deadline", "What is the deadline for {e}?",
        ("The deadline for {e} is day {v}.", "{e} has its deadline on day {v}."),
        ("{e} must be finished by day {v}.", "We promised to hand over {e} on day {v}."),
    ),
    Attribute(
        "budget", "How large is the budget of {e}?",
        ("The budget of {e} is {v} euros.", "{e} has a budget of {v}."),
        ("We may spend {v} on {e}.", "{e} must not cost more than {v} euros."),
    ),
    Attribute(
        "retention", "How long are the logs of {e} kept?",
        ("The logs of {e} are kept for {v} days.", "{e} keeps logs {v} days."),
        ("Records from {e} are thrown away after {v} days.", "Nothing from {e} older than {v} days can be looked up."),
    ),
    Attribute(
        "meeting", "On which weekday does the {e} team meet?",
        ("The {e} team meets on weekday {v}.", "The weekday on which the team of {e} meets is {v}."),
        ("Our {e} sync happens every {v}.", "{v} is when everybody behind {e} sits together."), False,
    ),
    Attribute(
        "timeout", "What is the timeout of {e}?",
        ("The timeout of {e} is {v} ms.", "{e} has a timeout of {v} ms."),
        ("{e} gives up after {v} ms.", "Requests to {e} are cut off once {v} ms have passed."),
    ),
    Attribute(
        "language", "In which programming language is {e} written?",
        ("{e} is written in the programming language {v}.", "The programming language of {e} is {v}."),
        ("The code base of {e} is all {v}.", "Whoever joins {e} has to know {v} for its source."), False,
    ),
    Attribute(
        "vendor", "Which vendor supplies {e}?",
        ("The vendor of {e} is {v}.", "{v} is the vendor that supplies {e}."),
        ("We buy {e} from {v}.", "{v} sends us the invoices for {e}."), False,
    ),
    Attribute(
        "people", "How many people work on {e}?",
        ("{v} people work on {e}.", "The people who work on {e} are {v}."),
        ("The crew of {e} counts {v}.", "{e} has a headcount of {v}."),
    ),
    Attribute(
        "rotation", "How often is the password of {e} changed?",
        ("The password of {e} is changed every {v} days.", "We change the password of {e} after {v} days."),
        ("Credentials for {e} expire after {v} days.", "Each {v} days somebody rotates the secrets at {e}."),
    ),
    Attribute(
        "backup", "At what minute does the backup of {e} run?",
        ("The backup of {e} runs at minute {v}.", "At minute {v} the backup of {e} is run."),
        ("{e} gets copied to the vault at {v}.", "A nightly snapshot of {e} is taken at {v}."),
    ),
    Attribute(
        "colour", "What is the brand colour of {e}?",
        ("The brand colour of {e} is {v}.", "{e} has {v} as its brand colour."),
        ("{e} always appears in {v} on posters.", "Paint everything about {e} in {v}."), False,
    ),
    Attribute(
        "licence", "Under which licence is {e} released?",
        ("{e} is released under the licence {v}.", "The licence under which {e} is released is {v}."),
        ("The terms for using {e} are those of {v}.", "Legally, {e} comes with {v}."), False,
    ),
    Attribute(
        "experience", "Have I worked with {e} before?",
        ("I have worked with {e} for {v} months.", "Before this I worked with {e}, for {v} months."),
        ("{e} is entirely new to me since day {v}.", "I never touched {e} until day {v}."),
    ),
    Attribute(
        "version", "Which version of {e} is in production?",
        ("Version {v} of {e} is in production.", "The production version of {e} is {v}."),
        ("We rolled out {e} {v} to the customers.", "Users see {e} {v} since the last release."),
    ),
    Attribute(
        "floor", "On which floor is {e} located?",
        ("{e} is located on floor {v}.", "The floor on which {e} is located is {v}."),
        ("Take the lift to {v} for {e}.", "Everybody from {e} moved to level {v}."),
    ),
)  # fmt: skip

ABOUT = (
    "Talked about {e} with the others, nothing was decided.", "Somebody asked me for news of {e} again.",
    "{e} came up over lunch.", "I put {e} on the list for later.", "There was a long thread about {e} this morning.",
    "Nobody seemed worried about {e}.", "{e} looks fine to me.", "Please remind me of {e} tomorrow.",
    "I read through the notes on {e} once more.", "{v} had an opinion on {e}, as always.", "{e} is going well so far.",
    "We compared {e} with what others do.", "I showed {e} to {v} and got a nod.", "What a day, all of it about {e}.",
    "The slides on {e} are half done.", "{e} again.", "{v} wrote a draft about {e}.", "More on {e} when I know more.",
)  # fmt: skip
"""Messages that name something and say nothing that is asked for."""

BESIDE = (
    "The {a} was discussed again, without a result.", "Somebody should write down the {a} of everything we run.",
    "I would rather talk about the {a} another time.", "{v} keeps asking for the {a}.", "We need a rule for any {a}.",
)  # fmt: skip
"""Messages that name a kind of fact and nothing that it is a fact of."""

PADDING = (
    "It rained the whole morning and I was late.", "{v} brought cake, which was very good.", "I still have to answer {v}.",
    "The coffee machine is broken once more.", "By the way, the train was on time for once.",
    "I spent the rest of the afternoon on mails from {v}.", "We should really tidy up the shared folder.",
    "My notes are a mess, sorry for the length.", "{v} and {w} will join us next week.", "Anyway, that was the morning.",
    "I slept badly and forgot half of what {v} said.", "Let me know what you make of all this.",
    "The window in the small room does not close.", "{w} has moved desks, next to {v} now.", "On we go.",
    "There is a new plant in the corridor, a present from {v}.", "I will be away on the day after tomorrow.",
)  # fmt: skip
"""What makes messages longer."""

LATER = ("It", "That one", "The thing")
"""What stands for a name that the message before gave."""
