CREATE TABLE memory (
  id INTEGER PRIMARY KEY,
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  updated TEXT NOT NULL,
  expires INTEGER,
  pinned INTEGER NOT NULL DEFAULT 0,
  UNIQUE (scope, key)
) STRICT;
CREATE INDEX memory_by_expires ON memory (expires) WHERE expires IS NOT NULL;

CREATE VIRTUAL TABLE memory_words USING fts5(
  key, value, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER memory_inserted AFTER INSERT ON memory BEGIN
  INSERT INTO memory_words (rowid, key, value) VALUES (new.id, new.key, new.value);
END;
CREATE TRIGGER memory_deleted AFTER DELETE ON memory BEGIN
  DELETE FROM memory_words WHERE rowid = old.id;
END;
CREATE TRIGGER memory_updated AFTER UPDATE OF key, value ON memory BEGIN
  DELETE FROM memory_words WHERE rowid = old.id;
  INSERT INTO memory_words (rowid, key, value) VALUES (new.id, new.key, new.value);
END;

CREATE TABLE imports (sha256 TEXT PRIMARY KEY, imported TEXT NOT NULL) STRICT;
