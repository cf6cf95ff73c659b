-- Makes the role with which the servers of one workspace connect: it sees nothing of other workspaces, and only adds to the audit log.
-- Run it as the owner of the tables, which may make roles, once they are made, and again after each update of jinn:
--   psql --set=workspace=shop --set=role=jinn_shop --file=workspace.sql jinn
-- Then give it a password, which psql sends as a hash: psql --command='\password jinn_shop' jinn
-- Where nobody is there to type it, JINN_ROLE_PASSWORD in the environment is its password. That is sent as it is: use it only for a
-- database of your own whose statements are not logged or counted (log_statement, pg_stat_statements).
\set ON_ERROR_STOP on
\getenv password JINN_ROLE_PASSWORD
BEGIN;
SET LOCAL client_min_messages = warning;

SELECT format('CREATE ROLE %I LOGIN', :'role') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role') \gexec
\if :{?password}
ALTER ROLE :"role" PASSWORD :'password';
\endif

GRANT SELECT ON jinn_schema TO :"role";
GRANT SELECT, INSERT, UPDATE, DELETE ON grants, memory, entries, rates, presence TO :"role";
GRANT SELECT, INSERT, DELETE ON tokens, spent TO :"role";
GRANT INSERT ON audit TO :"role";

ALTER TABLE grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory ENABLE ROW LEVEL SECURITY;
ALTER TABLE entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE spent ENABLE ROW LEVEL SECURITY;
ALTER TABLE rates ENABLE ROW LEVEL SECURITY;
ALTER TABLE presence ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit ENABLE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS :"role" ON tokens;
CREATE POLICY :"role" ON tokens TO :"role" USING (workspace = :'workspace');
DROP POLICY IF EXISTS :"role" ON rates;
CREATE POLICY :"role" ON rates TO :"role" USING (workspace = :'workspace');
DROP POLICY IF EXISTS :"role" ON presence;
CREATE POLICY :"role" ON presence TO :"role" USING (workspace = :'workspace');
DROP POLICY IF EXISTS :"role" ON audit;
CREATE POLICY :"role" ON audit FOR INSERT TO :"role" WITH CHECK (workspace = :'workspace');
-- With --set=audit_days=365, it may also see that there are older events, and remove them.
\set old old_events_of_ :role
DROP POLICY IF EXISTS :"old" ON audit;
\if :{?audit_days}
GRANT SELECT (id, workspace, time), DELETE ON audit TO :"role";
CREATE POLICY :"old" ON audit TO :"role"
  USING (workspace = :'workspace' AND time < now() - make_interval(days => :audit_days));
\endif

-- A place is /WORKSPACE/PATH, behind the name of a person and a colon if it belongs to one.
DROP POLICY IF EXISTS :"role" ON entries;
CREATE POLICY :"role" ON entries TO :"role" USING (starts_with(workspace, '/' || :'workspace' || '/'));
DROP POLICY IF EXISTS :"role" ON grants;
CREATE POLICY :"role" ON grants TO :"role"
  USING (starts_with(regexp_replace(workspace, '^[^/:]+:', ''), '/' || :'workspace' || '/'));
DROP POLICY IF EXISTS :"role" ON memory;
CREATE POLICY :"role" ON memory TO :"role"
  USING (
    starts_with(regexp_replace(scope, '^[^/:]+:', ''), '/' || :'workspace' || '/')
    OR regexp_replace(scope, '^[^/:]+:', '') = '/' || :'workspace' || ':global'
  );

-- Answers that were used belong to no workspace: nobody can guess one. What still counts cannot be removed.
DROP POLICY IF EXISTS anybody_reads ON spent;
CREATE POLICY anybody_reads ON spent FOR SELECT USING (true);
DROP POLICY IF EXISTS anybody_adds ON spent;
CREATE POLICY anybody_adds ON spent FOR INSERT WITH CHECK (true);
DROP POLICY IF EXISTS anybody_removes_old ON spent;
CREATE POLICY anybody_removes_old ON spent FOR DELETE USING (until < extract(epoch FROM now()) * 1000);

COMMIT;
