import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { findPort, findPostgres, makeTempDirectory } from '@jinn/testkit';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../../../../scripts/postgres-cluster.mjs';
import { checkServer } from './explain-fault.ts';
import { openPostgres } from './open-postgres.ts';

const postgres = findPostgres();
const canCertify = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(!postgres || !canCertify)('says what the operator must mend', () => {
  let cluster: Cluster;
  let place = '';
  let port = 0;

  beforeAll(async () => {
    place = fs.realpathSync(fs.mkdtempSync('/tmp/jinn-test-'));
    port = await findPort();
    const [key, certificate] = [`${place}/key.pem`, `${place}/certificate.pem`];
    const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...name, '-keyout', key, '-out', certificate];
    expect(spawnSync('openssl', made).status).toBe(0);
    if (process.getuid?.() === 0) spawnSync('chown', ['postgres', key, certificate]);
    const files = `-c ssl_cert_file=${certificate} -c ssl_key_file=${key}`;
    cluster = startCluster(postgres as string, place, `-c listen_addresses=127.0.0.1 -c port=${port} ${files}`);
    execute('ALTER SYSTEM SET ssl = on');
    execute('SELECT pg_reload_conf()');
    return () => {
      cluster.end();
      fs.rmSync(place, { recursive: true });
    };
  });

  const execute = (text: string) => {
    const { status, stderr } = spawnSync('psql', ['-h', place, '-p', `${port}`, '-U', 'postgres', '-c', text]);
    expect([status, `${stderr}`]).toEqual([0, '']);
  };
  const urlOf = (role: string, name = 'postgres', more = 'sslmode=disable') =>
    `postgres://${role}@127.0.0.1:${port}/${name}?${more}`;
  const failureOf = (url: string) =>
    openPostgres(url)
      .read('SELECT 1')
      .catch((error: { code: string; message: string; suggestion: string }) => error);
  const fault = (message: string) => ({
    code: 'unavailable',
    message: expect.stringContaining(message),
    suggestion: 'tell the operator: it does not help to send it again',
  });

  test('a password that is wrong, or a role that may not enter', async () => {
    execute("CREATE ROLE ann LOGIN PASSWORD 'right'");
    const rules = `${place}/data/pg_hba.conf`;
    fs.writeFileSync(rules, `host all ann 127.0.0.1/32 scram-sha-256\n${fs.readFileSync(rules, 'utf8')}`);
    execute('SELECT pg_reload_conf()');
    await expect.poll(() => failureOf(urlOf('ann:wrong'))).toMatchObject(fault('does not let this server in'));
    expect(await failureOf(urlOf('nobody'))).toMatchObject(fault('does not let this server in'));
  });

  test('a database that is not there', async () => {
    expect(await failureOf(urlOf('postgres', 'nowhere'))).toMatchObject(fault('does not exist'));
  });

  test('a role that may make no tables', async () => {
    execute('CREATE ROLE bob LOGIN');
    expect(await failureOf(urlOf('bob'))).toMatchObject(fault('refuses the role of this server a right'));
  });

  test('an encoding that cannot keep every text', async () => {
    execute("CREATE DATABASE ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'");
    expect(await failureOf(urlOf('postgres', 'ascii'))).toMatchObject(fault('has the encoding SQL_ASCII'));
  });

  test('a certificate that nobody vouches for, or none', async () => {
    const own = encodeURIComponent(`${place}/certificate.pem`);
    const message = 'has no certificate that this server trusts';
    expect(await failureOf(urlOf('postgres', 'postgres', 'sslmode=verify-full'))).toMatchObject(fault(message));
    const forOther = urlOf('postgres', 'postgres', `sslmode=verify-full&sslrootcert=${own}`).replace(
      '127.0.0.1',
      'localhost',
    );
    expect(await failureOf(forOther)).toMatchObject(fault(message));
    expect(await failureOf(urlOf('postgres', 'postgres', `sslmode=verify-full&sslrootcert=${own}`))).toHaveLength(1);
    execute('ALTER SYSTEM SET ssl = off');
    execute('SELECT pg_reload_conf()');
    await expect
      .poll(() => failureOf(urlOf('postgres', 'postgres', `sslmode=verify-full&sslrootcert=${own}`)))
      .toMatchObject(fault(message));
  });

  test('a database that can only be read', async () => {
    execute('CREATE DATABASE standby');
    execute('ALTER DATABASE standby SET default_transaction_read_only = on');
    expect(await failureOf(urlOf('postgres', 'standby'))).toMatchObject(fault('can only be read'));
  });

  test.for([
    ['a file that is missing', 'nowhere.pem'],
    ['a directory', ''],
  ])('a URL that names %s', async ([, name]) => {
    const certificate = encodeURIComponent(`${place}/${name}`);
    const url = urlOf('postgres', 'postgres', `sslmode=verify-full&sslrootcert=${certificate}`);
    expect(await failureOf(url)).toMatchObject(fault('has a URL that names a file which this server cannot read'));
  });

  test('a URL that is none', async () => {
    expect(await failureOf('postgres://jinn@127.0.0.1:port/x')).toMatchObject(fault('has a URL that cannot be read'));
  });

  test('a version that is too old', async () => {
    const client = new pg.Client(urlOf('postgres'));
    await client.connect();
    await checkServer(client);
    await expect(checkServer(client, 99)).rejects.toMatchObject(fault('it must be 99 or newer'));
    await client.end();
  });

  test('what passes by itself is to be sent again', async () => {
    expect(await failureOf(`postgres://postgres@127.0.0.1:1/x`)).toMatchObject({
      message: "the team's database does not answer",
      suggestion: expect.stringContaining('send it again'),
    });
    expect(await failureOf(`postgres://postgres@localhost/x?host=${makeTempDirectory()}`)).toMatchObject({
      message: "the team's database does not answer",
    });
  });
});
