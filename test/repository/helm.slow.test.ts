import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { installHosts } from '../../apps/mcp-server/src/fixture/real-hosts.ts';
import { parseOptions } from '../../apps/mcp-server/src/options.ts';
import { parseTeamSettings } from '../../packages/team/src/people/team-settings.ts';
import { makeTempDirectory } from '../../packages/testkit/src/index.ts';
import { checkManifest } from './check-manifest.ts';

const CHART = path.join(import.meta.dirname, '../../deploy/helm');
const DATABASE = 'postgres://jinn_shop@postgres.databases.svc.cluster.local/jinn?sslmode=verify-full';
const PROXY = { addresses: ['10.0.0.0/8'], header: 'X-Auth-Request-User' };
/** Two servers with everything that the chart can do. */
const LARGE = {
  settings: { proxy: PROXY, database: { url: DATABASE, workspace: 'shop', audit: true } },
  allowHosts: ['shop.tools.example.org'],
  secret: 'shop',
  sandbox: 'require',
  runtimeClassName: 'gvisor',
  replicas: 2,
  workspace: { accessModes: ['ReadWriteMany'], storageClassName: 'shared' },
  state: { storageClassName: 'fast' },
  migrate: { secret: 'owner', url: DATABASE.replace('jinn_shop', 'jinn') },
  podMonitor: { enabled: true, labels: { release: 'prometheus' }, tokenSecret: { name: 'metrics' } },
};
const findOrSkip = installHosts(['helm']);

/** Unpacks Helm, and returns what runs it. */
async function openHelm(context: TestContext) {
  const archive = await findOrSkip('helm', context);
  const program = path.join(path.dirname(archive), 'helm/helm');
  if (!fs.existsSync(program)) {
    const unpacked = spawnSync('python3', ['-m', 'zipfile', '-e', archive, path.dirname(archive)]);
    if (unpacked.status !== 0) return context.skip('python3 unpacks it');
    fs.chmodSync(program, 0o755);
  }
  const run = (values: object, ...args: string[]) => {
    const file = `${makeTempDirectory()}/values.yaml`;
    fs.writeFileSync(file, stringify(values));
    return spawnSync(program, [...args, CHART, '--values', file], { encoding: 'utf8', cwd: path.dirname(file) });
  };
  return {
    run,
    render: (values: object) => {
      const { status, stdout, stderr } = run(values, 'template', 'shop', '--namespace', 'team');
      expect([status, stderr]).toEqual([0, '']);
      return parseAllDocuments(stdout).flatMap((document) => document.toJS() ?? []);
    },
  };
}

const kindsOf = (resources: { kind: string }[]) => resources.map(({ kind }) => kind).toSorted();
const find = (resources: { kind: string; metadata: { name: string } }[], kind: string, name = 'shop') =>
  resources.find((resource) => resource.kind === kind && resource.metadata.name === name) as never as ReturnType<
    typeof JSON.parse
  >;

test('the chart has what a server needs, as Kubernetes takes it', async (context) => {
  const { run, render } = await openHelm(context);
  for (const values of [{ settings: { proxy: PROXY } }, LARGE]) {
    expect(run(values, 'lint', '--strict').stdout).toContain('0 chart(s) failed');
    for (const resource of render(values)) checkManifest(resource);
  }
  const small = render({ settings: { proxy: PROXY } });
  expect(kindsOf(small)).toEqual(['ConfigMap', 'PersistentVolumeClaim', 'Service', 'StatefulSet']);
  const more = ['ConfigMap', 'Job', 'PodMonitor', 'PrometheusRule'];
  expect(kindsOf(render(LARGE))).toEqual([...kindsOf(small), ...more].toSorted());
  const own = render({ ...LARGE, workspace: { existingClaim: 'files' } });
  expect(kindsOf(own)).not.toContain('PersistentVolumeClaim');
  const broken = find(small, 'StatefulSet');
  broken.spec.template.spec.containers[0].imagePolicy = 'Always';
  expect(() => checkManifest(broken)).toThrow();
});

test('the server takes the arguments and the settings of the chart', async (context) => {
  const { render } = await openHelm(context);
  const all = render(LARGE);
  const { spec } = find(all, 'StatefulSet');
  const pod = spec.template.spec;
  const [container] = pod.containers;
  expect(parseOptions(container.args, '1')).toMatchObject({
    do: 'serve',
    options: { allowHost: ['shop', '.team.svc.cluster.local', 'shop.tools.example.org'], sandbox: 'require' },
  });
  expect(parseTeamSettings(find(all, 'ConfigMap').data['team.json'])).toMatchObject({
    database: { workspace: 'shop' },
    limits: { sessions: 16 },
  });
  expect([spec.replicas, pod.runtimeClassName]).toEqual([2, 'gvisor']);
  const [migrate] = find(all, 'Job', 'shop-migrate').spec.template.spec.containers;
  expect(parseOptions(migrate.args, '1')).toEqual({ do: 'migrate', team: '/etc/jinn/team.json' });
  const owner = parseTeamSettings(find(all, 'ConfigMap', 'shop-migrate').data['team.json']);
  expect(new URL(owner.database?.url ?? '').username).toBe('jinn');
  expect(migrate.image).toBe(container.image);
});

test('labels, ports and claims of the chart belong together', async (context) => {
  const { render } = await openHelm(context);
  const all = render(LARGE);
  const { spec } = find(all, 'StatefulSet');
  const [container] = spec.template.spec.containers;
  const { labels } = spec.template.metadata;
  const service = find(all, 'Service').spec;
  expect([service.selector, spec.selector.matchLabels]).toEqual([labels, labels]);
  const { selector, podMetricsEndpoints } = find(all, 'PodMonitor').spec;
  expect(selector.matchLabels).toEqual(labels);
  const ports = [service.ports[0].targetPort, podMetricsEndpoints[0].port, container.readinessProbe.httpGet.port];
  expect(new Set(ports)).toEqual(new Set([container.ports[0].name]));
  expect(container.args[1]).toBe(`0.0.0.0:${container.ports[0].containerPort}`);
  const volumes = [...spec.template.spec.volumes, ...spec.volumeClaimTemplates.map(({ metadata }: never) => metadata)];
  const mounted = container.volumeMounts.map(({ name }: { name: string }) => name);
  expect(volumes.map(({ name }) => name).toSorted()).toEqual(mounted.toSorted());
  const claim = find(all, 'PersistentVolumeClaim', 'shop-workspace');
  expect(spec.template.spec.volumes[0].persistentVolumeClaim.claimName).toBe(claim.metadata.name);
  expect(claim.metadata.annotations['helm.sh/resource-policy']).toBe('keep');
  // The pods of a Job must not get requests.
  expect(find(all, 'Job', 'shop-migrate').spec.template.metadata.labels['app.kubernetes.io/name']).not.toBe(
    labels['app.kubernetes.io/name'],
  );
});

test.for([
  [{}, 'nobody could sign in'],
  [{ ...LARGE, settings: { proxy: PROXY } }, 'several servers share a database'],
  [{ ...LARGE, secret: '' }, 'several servers share an approval key'],
  [{ ...LARGE, migrate: { secret: 'owner' } }, 'migrate.url'],
  [{ ...LARGE, podMonitor: { enabled: true } }, 'podMonitor.tokenSecret.name'],
] as const)('the chart says what is wrong in %#', async ([values, message], context) => {
  const { run } = await openHelm(context);
  const { status, stderr } = run(values, 'template', 'shop');
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
});

test('the chart has the version of the program', () => {
  const chart = fs.readFileSync(path.join(CHART, 'Chart.yaml'), 'utf8');
  const { version } = JSON.parse(fs.readFileSync(path.join(CHART, '../../apps/mcp-server/package.json'), 'utf8'));
  expect(chart).toContain(`\nversion: ${version}\nappVersion: ${version}\n`);
});
