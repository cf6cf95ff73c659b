// Writes what describes the project to others: the manifests of its packages, of its plugins and of the registry of MCP servers,
// and where its pages and forms name its address. The address stands in package.json alone, a version in the package of a program.
import fs from 'node:fs';
import path from 'node:path';
import { isPublished, NAMES } from './names.mjs';
import { ROOT } from './setup.mjs';

const GRAMMARS = 'packages/grammars';
const SERVER = 'apps/mcp-server';
const PLUGIN = 'packaging/claude-code';
const PYTHON = 'clients/python/METADATA';
const MIGRATE = 'deploy/kubernetes/migrate/kustomization.yaml';
const WORKSPACE = 'deploy/kubernetes/workspace/kustomization.yaml';
const CHART = 'deploy/helm/Chart.yaml';
const REPORTS = /(<!-- reports:begin -->\n)[\s\S]*(<!-- reports:end -->)/;
/** How a host starts the server that is on its PATH. */
const ON_PATH = { mcpServers: { jinn: { command: 'jinn-mcp', args: [] } } };
/** What the registry and hosts show of the server: at most 100 characters. */
const SHORT = 'Reads, searches, edits and checks files of a project, and runs commands in a sandbox if one works.';

/** Returns the text of every file that names the project's address or version. */
export function renderManifests() {
  const files = new Map(
    Object.keys(NAMES).map((folder) => [`${folder}/package.json`, toJson(describePackage(folder))]),
  );
  const { author, version, license } = readJson(`${SERVER}/package.json`);
  const { url } = readAddress();
  const plugin = { name: 'jinn', version, description: SHORT, author: { name: author }, homepage: url, license };
  return files
    .set('.claude-plugin/marketplace.json', toJson(describeMarketplace(author)))
    .set(`${PLUGIN}/.claude-plugin/plugin.json`, toJson({ ...plugin, repository: url }))
    .set(`${PLUGIN}/.mcp.json`, toJson(ON_PATH))
    .set('gemini-extension.json', toJson({ name: 'jinn', version, description: SHORT, ...ON_PATH }))
    .set('.github/ISSUE_TEMPLATE/config.yml', renderIssueConfig(url))
    .set(
      'SECURITY.md',
      read('SECURITY.md').replace(REPORTS, (_, begin, end) => `${begin}${renderReports()}${end}`),
    )
    .set(MIGRATE, withTag(MIGRATE, version))
    .set(WORKSPACE, withTag(WORKSPACE, version))
    .set(CHART, read(CHART).replace(/ersion: [\d.]+$/gm, `ersion: ${version}`))
    .set(PYTHON, read(PYTHON).replace(/^Version: .*$/m, `Version: ${version}`));
}

function withTag(file, version) {
  return read(file).replace(/newTag: .*/, `newTag: ${version}`);
}

/** Describes the server as a bundle, for hosts that install `.mcpb` files. */
export function describeBundle() {
  const { author, version, license, keywords, engines } = readJson(`${SERVER}/package.json`);
  const { url, issues } = readAddress();
  return {
    manifest_version: '0.3',
    name: 'jinn-mcp',
    display_name: 'jinn',
    version,
    description: SHORT,
    author: { name: author },
    repository: { type: 'git', url },
    homepage: url,
    support: issues,
    server: {
      type: 'node',
      entry_point: 'dist/jinn-mcp.cjs',
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/dist/jinn-mcp.cjs`, '--root', `\${user_config.root}`],
        env: {},
      },
    },
    // They are those of the toolsets that the server is asked for.
    tools_generated: true,
    keywords,
    license,
    compatibility: { platforms: ['darwin', 'linux'], runtimes: { node: engines.node } },
    user_config: {
      root: {
        type: 'directory',
        title: 'Project',
        description: 'The directory that the tools may use; they never leave it.',
        required: true,
      },
    },
  };
}

/** Describes the server for the registry of MCP servers: the bundle of a release, and the package on npm once it may be published. */
export function describeServer({ sha256 }) {
  const { name, mcpName, version, private: unpublished } = readJson(`${SERVER}/package.json`);
  const { url, host } = readAddress();
  const transport = { type: 'stdio' };
  const bundle = {
    registryType: 'mcpb',
    identifier: `${url}/releases/download/${name}@${version}/${bundleName()}`,
    version,
    fileSha256: sha256,
    transport,
  };
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'jinn',
    description: SHORT,
    version,
    websiteUrl: url,
    repository: { url, source: host === 'github.com' ? 'github' : 'git', subfolder: SERVER },
    packages: [bundle, ...(unpublished ? [] : [{ registryType: 'npm', identifier: name, version, transport }])],
  };
}

/** Returns the file name of the bundle. */
export function bundleName() {
  return `jinn-mcp-${readJson(`${SERVER}/package.json`).version}.mcpb`;
}

/** Returns the manifest of a package, with the project's address in it. */
function describePackage(folder) {
  const {
    name,
    version,
    private: unpublished,
    type,
    sideEffects,
    description,
    ...rest
  } = readJson(`${folder}/package.json`);
  const { url, issues, namespace } = readAddress();
  const { author, license } = readJson('package.json');
  const project = {
    keywords: rest.keywords,
    homepage: `${url}#readme`,
    bugs: { url: issues },
    repository: { type: 'git', url: `git+${url}.git`, directory: folder },
    license,
    author,
    ...(folder === SERVER && { mcpName: `${namespace}/${path.posix.basename(name)}` }),
    publishConfig: { access: 'public', provenance: true },
  };
  const shared = folder !== GRAMMARS && isPublished(GRAMMARS) && { [NAMES[GRAMMARS]]: 'workspace:*' };
  if (shared) project.dependencies = { ...rest.dependencies, ...shared };
  const others = Object.entries(rest).filter(([key]) => !Object.hasOwn(project, key));
  return {
    name,
    version,
    private: unpublished,
    type,
    sideEffects,
    description,
    ...project,
    ...Object.fromEntries(others),
  };
}

function describeMarketplace(author) {
  return {
    name: 'jinn',
    owner: { name: author },
    metadata: { description: 'The tools that a coding agent works with' },
    plugins: [{ name: 'jinn', source: `./${PLUGIN}`, description: SHORT, category: 'development' }],
  };
}

function renderIssueConfig(url) {
  return [
    '# generated by `npm run generate`',
    'blank_issues_enabled: false',
    'contact_links:',
    '  - name: A fault that endangers its users',
    `    url: ${url}/security/advisories/new`,
    '    about: Report it in private. SECURITY.md says what counts, and what happens then.',
    '',
  ].join('\n');
}

function renderReports() {
  const { url, email } = readAddress();
  return [
    `Report it in private: as a [security advisory](${url}/security/advisories/new) of the repository, or by mail to`,
    `[${email}](mailto:${email}).\n`,
  ].join('\n');
}

/** Returns the address of the repository, and what follows from it. */
function readAddress() {
  const { repository, bugs } = readJson('package.json');
  const { host, pathname } = new URL(repository);
  const owner = pathname.split('/')[1];
  const namespace = host === 'github.com' ? `io.github.${owner}` : host.split('.').reverse().join('.');
  return { url: repository, issues: `${repository}/issues`, email: bugs.email, host, namespace };
}

function toJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function readJson(file) {
  return JSON.parse(read(file));
}

function read(file) {
  return fs.readFileSync(path.join(ROOT, file), 'utf8');
}
