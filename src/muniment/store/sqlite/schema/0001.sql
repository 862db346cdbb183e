-- Schema 1. The rules it keeps:
--   * Nothing erasable is ever a key of a B-tree: text lies in rowid tables without an index on it, and what has to
--     be looked up by content is a 16-byte hash keyed by the namespace's pepper. (A page split leaves the bytes of
--     moved keys in the gap of the old page, where secure_delete does not reach.)
--   * Ids of entries, claims, lines and items are (namespace << 40) | n, so one integer says whose a row is and every
--     namespace is one range of the table. A claim has the id of the entry that records it.
--   * UUIDs are 16-byte BLOBs; the unbounded past and future are the extremes of a 64-bit integer; vstart and vend
--     bound valid time, half-open.
--   * Unique within a namespace, not across them: a copy of a namespace may lie beside the original.
-- What may be erased, what is derived and what is structure is declared, column by column, in muniment.store.erasable.

CREATE TABLE namespaces(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  pepper BLOB NOT NULL,
  size INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  frontier BLOB NOT NULL,
  policy_version INTEGER NOT NULL,
  claims INTEGER NOT NULL,
  notes INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  items INTEGER NOT NULL,
  open_items INTEGER NOT NULL,
  erased INTEGER NOT NULL,
  indexed INTEGER NOT NULL,
  alias BLOB,
  used INTEGER NOT NULL
) STRICT;

-- A scope is a partition of the search index. documents, terms, removals: its claims in the index, the terms in all of
-- them, and how often one was removed. Its number is never another's: searches keep what they read of it by that.
CREATE TABLE scopes(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  ns INTEGER NOT NULL,
  mac BLOB NOT NULL,
  text TEXT,
  documents INTEGER NOT NULL DEFAULT 0,
  terms INTEGER NOT NULL DEFAULT 0,
  removals INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX scopes_mac ON scopes(ns, mac);

-- repeated: 1 if some value of the line was ever held by two claims; 1 may stand for 0, never the other way round.
-- cardinalities: what it was before the writers of the line changed it: "until:one,until:many"; NULL for nearly all.
CREATE TABLE lines(
  id INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL,
  uuid BLOB NOT NULL,
  mac BLOB NOT NULL,
  look BLOB,
  scope INTEGER NOT NULL,
  note INTEGER NOT NULL,
  subject TEXT,
  predicate TEXT,
  display TEXT,
  label TEXT,
  cardinality TEXT,
  settled INTEGER NOT NULL DEFAULT 0,
  ever_vouched INTEGER NOT NULL DEFAULT 0,
  critical INTEGER NOT NULL DEFAULT 0,
  version BLOB,
  values_n INTEGER NOT NULL DEFAULT 0,
  repeated INTEGER NOT NULL DEFAULT 0,
  longest_known INTEGER NOT NULL DEFAULT 0,
  longest_valid INTEGER NOT NULL DEFAULT 0,
  erased_at INTEGER,
  cardinalities TEXT
) STRICT;
CREATE UNIQUE INDEX lines_mac ON lines(ns, mac);
CREATE INDEX lines_look ON lines(ns, look) WHERE look IS NOT NULL;
CREATE INDEX lines_scope ON lines(scope) WHERE label IS NOT NULL;

-- nodes: the hashes of the inner nodes of the Merkle tree that the entry completes, level 1 first. Node (l, i) is
-- completed by entry ((i + 1) << l) - 1; level 0 is not stored, it is the hash of the leaf.
-- leaf: see leafpack.py. NULL stands for the usual value: type 'claim', disposition 'superseded_prior', step_until the
-- unbounded future.
CREATE TABLE entries(
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL,
  type TEXT,
  line INTEGER,
  at INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  disposition TEXT,
  leaf BLOB NOT NULL,
  step_until INTEGER,
  undoes BLOB,
  decision INTEGER NOT NULL,
  nodes BLOB
) STRICT;
CREATE UNIQUE INDEX entries_uuid ON entries(uuid, id >> 40);
CREATE INDEX entries_decision ON entries(line) WHERE decision = 1;

-- NULL stands for the usual value where there is one, because most claims have it and a NULL takes no space:
--   vstart: recorded_at · vend, expires_at: the unbounded future · start_until: vstart + 1 · end_from: vend ·
--   confidence, valid_confidence: 1000000 · effective: channel · beside_until: the unbounded past ·
--   start_granularity, end_granularity: 'instant' · kind: 'semantic' · criticality: 'medium' · standing: 'on'
-- A session that is a UUID is stored as its 16 bytes.
-- ranks: how the rank changed by being accepted, and by that being taken back: "time:rank,time:rank"; NULL for most.
-- earlier: how the claim stood marked (beside_until to ended_at) before a decision took a mark away or put another in its
-- place: "until:marks,until:marks", see store/earlier.py; NULL for nearly all.
CREATE TABLE claims(
  id INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL,
  line INTEGER NOT NULL,
  value BLOB NOT NULL,
  rank INTEGER NOT NULL,
  source BLOB NOT NULL,
  recorded_at INTEGER NOT NULL,
  vstart INTEGER,
  vend INTEGER,
  explicit_start INTEGER NOT NULL,
  explicit_end INTEGER NOT NULL,
  start_until INTEGER,
  end_from INTEGER,
  expires_at INTEGER,
  confidence INTEGER,
  trusted_start INTEGER NOT NULL,
  lookalike BLOB NOT NULL,
  support BLOB,
  channel TEXT NOT NULL,
  effective TEXT,
  kind TEXT,
  criticality TEXT,
  standing TEXT,
  beside_until INTEGER,
  withdrawn TEXT,
  withdrawn_at INTEGER,
  ended_from INTEGER,
  ended_at INTEGER,
  start_granularity TEXT,
  end_granularity TEXT,
  timing_uncertain INTEGER NOT NULL,
  valid_confidence INTEGER,
  priority INTEGER NOT NULL,
  text_is_value INTEGER NOT NULL,
  salt BLOB NOT NULL,
  text TEXT NOT NULL,
  value_text TEXT NOT NULL,
  author TEXT NOT NULL,
  session ANY NOT NULL,
  source_text TEXT,
  about TEXT,
  tags TEXT,
  meta TEXT,
  reason TEXT,
  parents BLOB,
  depth INTEGER NOT NULL,
  exception_to BLOB,
  amended INTEGER NOT NULL,
  writer BLOB,
  gained INTEGER,
  ranks TEXT,
  earlier TEXT
) STRICT;
CREATE INDEX claims_value ON claims(line, value, gained);
CREATE INDEX claims_beside ON claims(line, value, source) WHERE beside_until > 0;
CREATE INDEX claims_waiting ON claims(line, beside_until, rank, recorded_at, vstart, vend, expires_at)
  WHERE beside_until > 0 AND standing <> 'echo';
CREATE INDEX claims_echo ON claims(line, rank, coalesce(support, source), recorded_at, beside_until, expires_at)
  WHERE beside_until > 0 AND standing = 'echo';
CREATE INDEX claims_earlier ON claims(line) WHERE earlier IS NOT NULL;
CREATE INDEX claims_look ON claims(lookalike) WHERE beside_until > 0;
CREATE INDEX claims_urgent ON claims(priority) WHERE priority > 5;
CREATE INDEX claims_burst ON claims(writer, lookalike, recorded_at) WHERE writer IS NOT NULL;

CREATE TABLE links(
  parent INTEGER NOT NULL,
  child INTEGER NOT NULL,
  PRIMARY KEY(parent, child)
) STRICT, WITHOUT ROWID;

-- What each entry did to the claims of a line: the truth, opened against the leaf. n is the place in the leaf's list.
-- cause: NULL for the usual one, 'said' of a gain and 'supersede' of a loss.
CREATE TABLE effects(
  line INTEGER NOT NULL,
  entry INTEGER NOT NULL,
  n INTEGER NOT NULL,
  claim INTEGER NOT NULL,
  gain INTEGER NOT NULL,
  vstart INTEGER NOT NULL,
  vend INTEGER NOT NULL,
  cause TEXT,
  possible INTEGER NOT NULL,
  PRIMARY KEY(line, entry, n)
) STRICT, WITHOUT ROWID;

-- Lines that an entry touched besides its own.
CREATE TABLE spread(
  entry INTEGER NOT NULL,
  line INTEGER NOT NULL,
  PRIMARY KEY(entry, line)
) STRICT, WITHOUT ROWID;

-- The sum of the effects, as rectangles: claim held [vstart, vend) as known during [tx_from, tx_to). What stands has
-- tx_to = 9223372036854775807. lines.longest_known and lines.longest_valid bound how long any stretch of the line that
-- was closed was known, and how long any that stands and has an end is: a search need look no further from an instant.
CREATE TABLE stretches(
  line INTEGER NOT NULL,
  tx_to INTEGER NOT NULL,
  vend INTEGER NOT NULL,
  vstart INTEGER NOT NULL,
  claim INTEGER NOT NULL,
  tx_from INTEGER NOT NULL,
  possible INTEGER NOT NULL,
  PRIMARY KEY(line, tx_to, vend, vstart, claim)
) STRICT, WITHOUT ROWID;
CREATE INDEX stretches_open ON stretches(line, claim) WHERE tx_to = 9223372036854775807;

CREATE TABLE guards(
  line INTEGER NOT NULL,
  value BLOB NOT NULL,
  vstart INTEGER NOT NULL,
  entry INTEGER NOT NULL,
  cause TEXT NOT NULL,
  vend INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  taker_start INTEGER NOT NULL,
  source BLOB NOT NULL,
  PRIMARY KEY(line, value, vend, vstart, entry, cause)
) STRICT, WITHOUT ROWID;

CREATE TABLE supporters(
  claim INTEGER NOT NULL,
  identity BLOB NOT NULL,
  first_at INTEGER NOT NULL,
  PRIMARY KEY(claim, identity)
) STRICT, WITHOUT ROWID;

CREATE TABLE confirmations(
  claim INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY(claim, at)
) STRICT, WITHOUT ROWID;

-- ticket, leased_until: of a request to adjudicators that somebody works on; nobody else is given it until then.
-- shut: when it was closed before it was opened again: "from:to,from:to"; NULL for nearly all.
CREATE TABLE items(
  id INTEGER PRIMARY KEY,
  ns INTEGER NOT NULL,
  uuid BLOB NOT NULL,
  line INTEGER NOT NULL,
  kind TEXT NOT NULL,
  value BLOB NOT NULL,
  lookalike BLOB NOT NULL,
  claim BLOB NOT NULL,
  author BLOB NOT NULL,
  opened_at INTEGER NOT NULL,
  count INTEGER NOT NULL,
  closed_at INTEGER,
  closed_by TEXT,
  closed_as TEXT,
  ticket TEXT,
  leased_until INTEGER,
  shut TEXT
) STRICT;
CREATE UNIQUE INDEX items_uuid ON items(uuid, ns);
CREATE INDEX items_line ON items(line, closed_at);
CREATE INDEX items_open ON items(ns, author) WHERE closed_at IS NULL;
CREATE INDEX items_look ON items(lookalike) WHERE closed_at IS NULL;

CREATE TABLE policies(
  entry INTEGER PRIMARY KEY,
  pattern TEXT NOT NULL,
  body TEXT NOT NULL,
  at INTEGER NOT NULL,
  reason TEXT,
  salt BLOB NOT NULL
) STRICT;

-- Free texts of decisions, committed to in their entries.
CREATE TABLE reasons(
  entry INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  salt BLOB NOT NULL
) STRICT;

CREATE TABLE requests(
  id INTEGER PRIMARY KEY,
  mac BLOB NOT NULL,
  request BLOB NOT NULL,
  outcome TEXT NOT NULL,
  line INTEGER
) STRICT;
CREATE UNIQUE INDEX requests_mac ON requests(mac, id >> 40);
CREATE INDEX requests_line ON requests(line) WHERE line IS NOT NULL;

CREATE TABLE amendments(
  entry INTEGER PRIMARY KEY,
  claim INTEGER NOT NULL,
  at INTEGER NOT NULL,
  text TEXT,
  meta TEXT,
  reason TEXT,
  salt BLOB NOT NULL
) STRICT;
CREATE INDEX amendments_claim ON amendments(claim);

CREATE TABLE erased(
  entry INTEGER PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT;

-- Analysed terms of each claim (key, text and tags, one line each), exactly as they are indexed.
CREATE TABLE lexical(
  id INTEGER PRIMARY KEY,
  part INTEGER NOT NULL,
  terms TEXT NOT NULL
) STRICT;

-- What claims mean: an int8 vector each, with its scale (see vectors.py). Derived from what was said, and as personal.
-- part: of scopes; seq: in which order they came; generation: of the space they lie in.
CREATE TABLE vectors(
  id INTEGER PRIMARY KEY,
  part INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  scale REAL NOT NULL,
  vector BLOB NOT NULL
) STRICT;
CREATE INDEX vectors_part ON vectors(part, seq);

-- Claims that have none although they were gone through: tried = 0 if a model has still to be asked.
CREATE TABLE vector_gaps(
  id INTEGER PRIMARY KEY,
  tried INTEGER NOT NULL
) STRICT;

-- Per namespace: the model, what it makes of a fixed text, up to where the log was gone through, the number of the last
-- vector, how many there are, and how many went.
CREATE TABLE vector_spaces(
  ns INTEGER PRIMARY KEY,
  generation INTEGER NOT NULL,
  model TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  probe BLOB NOT NULL,
  upto INTEGER NOT NULL,
  last INTEGER NOT NULL,
  held INTEGER NOT NULL,
  removals INTEGER NOT NULL
) STRICT;

-- Which claims were of use to whoever asked: what that was worth at the last time (millionths), and when it was. Beside
-- the log, and gone with the claim; namespaces.used counts them.
CREATE TABLE uses(
  id INTEGER PRIMARY KEY,
  strength INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE VIRTUAL TABLE lexical_fts USING fts5(
  terms, content='lexical_view', content_rowid='id', detail=none, columnsize=0,
  tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~''""'"
);
INSERT INTO lexical_fts(lexical_fts, rank) VALUES('secure-delete', 1);

-- What the index was told of each row, so that FTS5's own 'rebuild' and 'integrity-check' see exactly that.
CREATE VIEW lexical_view AS SELECT id, trim(
  CASE WHEN key = '' THEN '' ELSE replace(' ' || key, ' ', ' ' || part || '=') END ||
  CASE WHEN key = '' THEN '' ELSE replace(' ' || key, ' ', ' ' || part || ':') END ||
  CASE WHEN rest = '' THEN '' ELSE replace(' ' || rest, ' ', ' ' || part || ':') END) AS terms
FROM (SELECT l.id, l.part, substr(l.terms, 1, instr(l.terms, char(10)) - 1) AS key,
             trim(replace(substr(l.terms, instr(l.terms, char(10)) + 1), char(10), ' ')) AS rest
      FROM lexical l JOIN namespaces n ON n.id = l.id >> 40 WHERE l.id & 1099511627775 < n.indexed);
