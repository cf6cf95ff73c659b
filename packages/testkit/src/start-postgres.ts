import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, onTestFinished } from 'vitest';
import { type Cluster, startCluster } from '../../../scripts/postgres-cluster.mjs';
import { makeTempDirectory } from './temp-directory.ts';

export { findPostgres } from '../../../scripts/postgres-cluster.mjs';

/** Settings that ignore power losses, which these tests are not about. */
const FAST = '-c fsync=off';

/** Starts a server of PostgreSQL for this test alone, on a Unix socket. */
export function startPostgres(bin: string) {
  const cluster = startCluster(bin, makeTempDirectory(), FAST);
  onTestFinished(cluster.end);
  /** Returns the rows of a query. */
  const query = (text: string): readonly Record<string, unknown>[] =>
    JSON.parse(cluster.execute(`SELECT coalesce(json_agg(found), '[]') FROM (${text}) AS found`));
  return { ...cluster, query };
}

/** Starts a server for all tests of a `describe`. Returns what makes a database of its own for each, and returns the URL. */
export function sharePostgres(bin: string | undefined): () => string {
  let cluster: Cluster | undefined;
  let count = 0;
  beforeAll(() => {
    const place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'jinn-test-')));
    cluster = startCluster(bin as string, place, FAST);
    return () => {
      cluster?.end();
      fs.rmSync(place, { recursive: true, force: true });
    };
  });
  return () => {
    const name = `test${++count}`;
    cluster?.execute(`CREATE DATABASE ${name}`);
    return cluster?.urlOf(name) as string;
  };
}
