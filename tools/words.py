"""What each word of the answers means: one line each, for the reference. A test fails for a word without one."""

from __future__ import annotations

from typing import Final

DISPOSITIONS: Final = {
    "accepted": "Stored; nothing held stood against it.",
    "succession": "Stored; it meets or follows what held before.",
    "backfilled": "Stored, for a time before a later claim.",
    "superseded_prior": "Stored; it took over from what was held for that time.",
    "reinforced": "The same was held already; this is one more word for it.",
    "inferred": "Stored, as a guess of a model: beside the answer, or the answer with a marker.",
    "contested": "Stored; neither it nor the other value may replace the other, so the line is contested.",
    "queued": "Contested, and waiting for an adjudicator; reads as contested.",
    "reentry": "This memory's own words coming back: logged, no claim.",
    "held": "Kept behind the boundary, not believed, until a person looks at it.",
    "low_confidence": "Kept, not believed: its confidence is below 0.2.",
    "pending_review": "Kept, not believed: a policy or the rank of the speaker wants a person first.",
    "echo": "A corrected or ended value said again from below: counted, not believed.",
    "quarantined": "Kept, not believed: one of a burst of look-alike notes.",
    "ended": "What held, holds until the date given and no longer.",
    "invalidated": "What was held was never so: retracted, or corrected with `correct=True`.",
    "reinstated": "What a revert, an end or a release took was given back.",
    "reverted": "The latest step of the line was undone.",
    "released": "The claim was let go; nothing was said of its truth.",
    "resolved": "A verdict closed the review item.",
    "amended": "The wording or the meta of a claim was changed, not its value.",
    "erased": "Claims were erased.",
    "policy_set": "A policy was laid down.",
    "unchanged": "Nothing was left to do; nothing was logged.",
    "dormant": "Kept unjudged, as material.",
    "observed": "Evidence for a value was noted; nothing was written on the line.",
    "key_added": "The key of a reviewer is trusted from now on.",
    "key_revoked": "The key of a reviewer is trusted no more.",
}

STATUSES: Final = {
    "resolved": "One value answers (on a line of many: a set of them).",
    "contested": "Several values answer, and none may replace another. The value is None; the candidates are listed.",
    "none": "There is no answer; the reason says why.",
}

REASONS: Final = {
    "never_said": "Nothing was said of the key, ever or by the instant asked for; then `first_said` is when it was since.",
    "not_yet": "What was said holds from later on: from `holds_from`.",
    "ended": "What held has ended.",
    "retracted": "What was held was never so.",
    "released": "What was held was let go.",
    "reverted": "What was held was undone.",
    "held": "All there is, is held behind the boundary.",
    "pending": "All there is, waits for a person.",
    "expired": "What was held has expired.",
    "erased": "What was held was erased.",
}

CURRENCIES: Final = {
    "fresh": "Somebody vouched for it lately.",
    "aging": "For 3, 30 or 365 days (episodic, semantic, procedural) nobody has vouched for it.",
    "decayed": "For 7, 90 or 1,095 days nobody has vouched for it.",
}

MARKERS: Final = {
    "inferred": "A model's guess answers, since nobody vouched for another value.",
    "unvouched": "A document answers, since nobody vouched for another value.",
    "possible": "The instant lies in a granule that two periods share, or the dates are unsure.",
    "timing_uncertain": "An end in the past was given and no start.",
    "under_review": "Something speaks against it that a person should look at.",
    "parent_withdrawn": "What it was derived from was withdrawn.",
    "queued": "An adjudicator was asked.",
    "restated_retired": "A note restates a value that its line has retired.",
}

STANDINGS: Final = {
    "current": "It is the answer, or part of it.",
    "contested": "It is one of several answers.",
    "unvouched": "It stands beside the answer, since nobody vouched for it.",
    "superseded": "Another value took over.",
    "invalidated": "A correction said that it was never so.",
    "ended": "Its time is over.",
    "retracted": "It was said to have never been so.",
    "released": "It was let go.",
    "reverted": "It was undone.",
    "rejected": "A verdict said no.",
    "expired": "It was kept until a date, which has passed.",
    "upcoming": "It holds from later on.",
    "held": "It waits behind the boundary.",
    "quarantined": "It waits: one of a burst.",
    "pending_review": "It waits for a person.",
    "low_confidence": "It waits: its confidence was below 0.2.",
    "inferred": "It stands beside the answer as a guess.",
    "echo": "It repeats what was corrected.",
    "exception": "It stands beside the answer as an exception to it.",
    "parent_withdrawn": "What it was derived from was withdrawn.",
    "all": "Stands for every standing, in `include=`.",
}

ITEMS: Final = {
    "contested": "Two values, and neither may replace the other.",
    "held": "A document or what derives from one, against or beside what is vouched for.",
    "echo": "A corrected value that keeps coming back.",
    "pending_review": "Said by somebody whose rank, or the policy, wants a person first.",
    "low_confidence": "Said with a confidence below 0.2.",
    "quarantined": "Notes that came in a burst.",
    "queued": "Contested, and an adjudicator was asked.",
    "under_review": "A settled value that independent evidence speaks against.",
    "proposal": "What a claim should say, now that what it was derived from has changed (`rederive`).",
}

CHANNELS: Final = {
    "user": "A person, first-hand.",
    "tool": "A system of record, or a tool's result.",
    "agent": "The agent itself: its own decision or experience.",
    "model": "Inferred or extracted by a model.",
    "document": "Read in content that nobody vouched for.",
    "recall": "This memory's own output, coming back.",
}

ROLES: Final = {
    "reader": "Ask and list.",
    "writer": "Say and correct.",
    "reviewer": "Give verdicts on review items.",
    "eraser": "Forget.",
    "auditor": "Verify, and see who may do what.",
    "admin": "Everything, across scopes.",
}

VERDICTS: Final = {
    "accept": "The newcomer takes its overlap, and ranks as whoever accepted it.",
    "keep": "What was held stays; the newcomer's value loses the overlap, and is guarded there.",
    "reject": "The newcomer's value loses everything, and is guarded.",
    "restore": "A guarded value gets its stretch back.",
    "both": "Both are so, each for its own period or scope.",
    "moot": "It does not matter any more.",
    "unknown": "Nobody can tell; a contest stays one.",
}
