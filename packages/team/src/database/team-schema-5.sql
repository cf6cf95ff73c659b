CREATE TABLE rates (
  workspace TEXT COLLATE "C" NOT NULL,
  owner TEXT COLLATE "C" NOT NULL,
  calls DOUBLE PRECISION NOT NULL,
  output DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (workspace, owner)
);

CREATE TABLE presence (
  workspace TEXT COLLATE "C" NOT NULL,
  server TEXT COLLATE "C" NOT NULL,
  owner TEXT COLLATE "C" NOT NULL,
  commands INTEGER NOT NULL,
  jobs INTEGER NOT NULL,
  sessions INTEGER NOT NULL,
  seen TIMESTAMPTZ NOT NULL,
  PRIMARY KEY (workspace, server, owner)
);
