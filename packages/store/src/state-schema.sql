CREATE TABLE entries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  operation_id TEXT NOT NULL,
  workspace TEXT NOT NULL,
  person TEXT NOT NULL,
  state TEXT NOT NULL,
  tool TEXT NOT NULL,
  path TEXT NOT NULL,
  created INTEGER NOT NULL,
  before_version TEXT,
  after_version TEXT,
  mode INTEGER,
  size INTEGER,
  stored INTEGER NOT NULL,
  operation_size INTEGER,
  new_directories INTEGER NOT NULL,
  checksum TEXT NOT NULL,
  content BLOB
) STRICT;
CREATE INDEX entries_by_workspace ON entries (workspace, state, person, seq, stored);

CREATE TABLE grants (
  workspace TEXT NOT NULL,
  tool TEXT NOT NULL,
  type TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  created INTEGER NOT NULL,
  checksum TEXT NOT NULL,
  PRIMARY KEY (workspace, tool, type, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE spent (
  answer TEXT PRIMARY KEY,
  until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
