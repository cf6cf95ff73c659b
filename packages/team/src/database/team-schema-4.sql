-- A test holds that tables that SQLite has too have the same columns there. Texts are sorted by their bytes, as there.
-- The text whose words are indexed: without accents, and with a blank for each mark at which SQLite's index ends a word.
CREATE TABLE grants (
  workspace TEXT COLLATE "C" NOT NULL,
  tool TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT COLLATE "C" NOT NULL,
  created BIGINT NOT NULL,
  checksum TEXT NOT NULL,
  PRIMARY KEY (workspace, tool, type, key)
);
CREATE TABLE spent (
  answer TEXT COLLATE "C" PRIMARY KEY,
  until BIGINT NOT NULL
);

CREATE TEXT SEARCH DICTIONARY jinn_stems (TEMPLATE = snowball, LANGUAGE = english);
CREATE TEXT SEARCH CONFIGURATION jinn_words (PARSER = "default");
ALTER TEXT SEARCH CONFIGURATION jinn_words ADD MAPPING FOR
  asciiword, word, numword, hword, hword_part, hword_numpart, hword_asciipart, asciihword, numhword,
  int, uint, float, sfloat, version, email, host, url, url_path, file WITH jinn_stems;
CREATE TABLE memory (
  scope TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  value TEXT NOT NULL,
  updated TEXT COLLATE "C" NOT NULL,
  expires BIGINT,
  pinned INTEGER NOT NULL,
  words TSVECTOR NOT NULL GENERATED ALWAYS AS (
    setweight(to_tsvector('jinn_words', regexp_replace(regexp_replace(normalize(key, NFD), '[\u0300-\u036f]', '', 'g'), '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+', ' ', 'g')), 'A') ||
    setweight(to_tsvector('jinn_words', regexp_replace(regexp_replace(normalize(value, NFD), '[\u0300-\u036f]', '', 'g'), '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+', ' ', 'g')), 'B')
  ) STORED,
  PRIMARY KEY (scope, key)
);
CREATE INDEX memory_by_expires ON memory (expires) WHERE expires IS NOT NULL;

CREATE TABLE entries (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  operation_id TEXT COLLATE "C" NOT NULL,
  workspace TEXT COLLATE "C" NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  tool TEXT COLLATE "C" NOT NULL,
  path TEXT COLLATE "C" NOT NULL,
  created BIGINT NOT NULL,
  before_version TEXT COLLATE "C",
  after_version TEXT COLLATE "C",
  mode INTEGER,
  size BIGINT,
  stored BIGINT NOT NULL,
  operation_size INTEGER,
  new_directories INTEGER NOT NULL,
  checksum TEXT NOT NULL
);
CREATE INDEX entries_by_workspace ON entries (workspace, state, person, seq);

CREATE TABLE tokens (
  workspace TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  scopes TEXT NOT NULL,
  expires BIGINT,
  created BIGINT NOT NULL,
  PRIMARY KEY (workspace, hash)
);

CREATE TABLE audit (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace TEXT COLLATE "C" NOT NULL,
  time TIMESTAMPTZ NOT NULL,
  event TEXT COLLATE "C" NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  facts JSON NOT NULL,
  row_id TEXT COLLATE "C" UNIQUE
);
CREATE INDEX audit_by_time ON audit (workspace, time);
