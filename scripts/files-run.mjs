// Counts the files of ours of which a function runs in a request, without those of data, by V8's own coverage of a bundle that keeps its modules.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { rolldown } from 'rolldown';
import { lazySchemas, lightLibraries } from './light-libraries.mjs';
import { plainNodeFs } from './program.mjs';
import { scriptText } from './script-text.mjs';
import { ROOT } from './setup.mjs';

const REQUESTS = {
  read_file: { path: 'a.txt' },
  edit_file: { path: 'a.txt', old_text: 'two', new_text: 'three' },
  run_shell: { command: 'ls' },
  search_files: { pattern: 'one', path: 'a.txt' },
};

/**
 * Returns the files that run, by request: one-shot calls of jinn by the name of the tool, and under `http` a read_file
 * over HTTP of a person with a token, from the start of the server to its end.
 */
export async function findFilesRun() {
  // SQLite is found from here, as from the program.
  const cache = path.join(ROOT, 'apps/jinn/node_modules/.cache');
  fs.mkdirSync(cache, { recursive: true });
  const folder = fs.mkdtempSync(path.join(cache, 'measure-'));
  try {
    const workspace = path.join(folder, 'workspace');
    fs.mkdirSync(workspace);
    fs.writeFileSync(path.join(workspace, 'a.txt'), 'one\ntwo\n');
    const jinn = await bundle('jinn', folder);
    const found = {};
    for (const [tool, args] of Object.entries(REQUESTS)) {
      const options = { cwd: workspace, env: environment(folder, tool), input: JSON.stringify({ tool, args }) };
      const { stdout, stderr } = spawnSync(process.execPath, [jinn.main], { ...options, encoding: 'utf8' });
      if (!stdout.includes('"ok":true')) throw new Error(`${tool} failed: ${stdout}${stderr}`);
      found[tool] = filesIn(path.join(folder, tool), jinn.dir);
    }
    const server = await bundle('mcp-server', folder);
    await readOverHttp(server.main, { cwd: workspace, env: environment(folder, 'http') });
    found.http = filesIn(path.join(folder, 'http'), server.dir);
    return found;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function bundle(app, folder) {
  const plugins = [plainNodeFs(), scriptText(), lightLibraries(), lazySchemas()];
  const input = path.join(ROOT, 'apps', app, 'src/main.ts');
  const output = await rolldown({ input, platform: 'node', plugins, logLevel: 'silent' });
  const dir = path.join(folder, app);
  await output.write({ dir, format: 'cjs', preserveModules: true, preserveModulesRoot: ROOT });
  const main = fs
    .readdirSync(dir, { recursive: true })
    .find((name) => new RegExp(`apps/${app}/src/main.c?js$`).test(name));
  return { dir, main: path.join(dir, main) };
}

function environment(folder, coverage) {
  const own = { JINN_CONFIG_DIR: folder, XDG_CACHE_HOME: folder, NODE_V8_COVERAGE: path.join(folder, coverage) };
  return { ...process.env, ...own };
}

async function readOverHttp(main, options) {
  const token = randomBytes(32).toString('hex');
  const tokens = path.join(options.cwd, '../tokens');
  fs.writeFileSync(tokens, `ann:${token}\n`, { mode: 0o600 });
  const server = spawn(process.execPath, [main, '--http', '127.0.0.1:0', '--token-file', tokens], options);
  try {
    const url = await addressOf(server);
    const client = new Client({ name: 'measure', version: '1' });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    const answer = await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } });
    if (answer.isError) throw new Error(`read_file over HTTP failed: ${JSON.stringify(answer)}`);
    await client.close();
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

async function addressOf(server) {
  let log = '';
  for await (const text of server.stderr) {
    log += text;
    const [, url] = /listens on (http:\S+)\n/.exec(log) ?? [];
    if (url) return new URL(url);
  }
  throw new Error(`the server did not start: ${log}`);
}

function filesIn(coverage, dir) {
  const prefix = pathToFileURL(dir).href;
  const files = fs.readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(fs.readFileSync(path.join(coverage, name), 'utf8'));
    const ours = result.filter(
      ({ url }) => url.startsWith(prefix) && /\/(packages|apps)\/[^/]+\/src\/.*(?<!\.json\.c?js)$/.test(url),
    );
    const ran = ours.filter(({ functions: all }) => all.slice(1).some(({ ranges }) => ranges[0].count > 0));
    return ran.map(({ url }) => url.slice(prefix.length + 1));
  });
  return [...new Set(files)].sort();
}
