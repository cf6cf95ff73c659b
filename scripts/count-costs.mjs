// Counts what six requests cost, in numbers that no other process disturbs.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './setup.mjs';

const JINN = path.join(ROOT, 'apps/jinn/dist/jinn.cjs');
const SERVER = path.join(ROOT, 'apps/mcp-server/dist/jinn-mcp.cjs');
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'costs', version: '1' } },
};
const REQUESTS = {
  read: [JINN, { tool: 'read_file', args: { path: 'a.txt' } }],
  edit: [JINN, { tool: 'edit_file', args: { path: 'a.txt', old_text: 'two', new_text: 'three' } }],
  memory: [JINN, { tool: 'memory', args: { action: 'list' } }],
  shell: [JINN, { tool: 'run_shell', args: { command: 'true' } }],
  search: [JINN, { tool: 'search_files', args: { pattern: 'one' } }],
  initialize: [SERVER, INITIALIZE],
};

/**
 * Returns by request: the kilobytes of our JavaScript that are loaded, the functions in it that run, and beyond a process of
 * Node that does nothing: files opened, fsyncs and programs started. The last three are absent without strace.
 */
function countCosts() {
  const idle = countCalls([process.execPath, '-e', '0'], { cwd: ROOT });
  return Object.fromEntries(
    Object.entries(REQUESTS).map(([name, [program, request]]) => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'jinn-costs-'));
      try {
        return [name, countOf(program, { request, folder, idle })];
      } finally {
        fs.rmSync(folder, { recursive: true, force: true });
      }
    }),
  );
}

function countOf(program, { request, folder, idle }) {
  const workspace = path.join(folder, 'workspace');
  fs.mkdirSync(workspace);
  const { NODE_OPTIONS: _, NODE_EXTRA_CA_CERTS: __, ...variables } = process.env;
  const env = { ...variables, HOME: folder, JINN_CONFIG_DIR: folder, XDG_CACHE_HOME: path.join(folder, 'cache') };
  const command = [process.execPath, program];
  const options = { cwd: workspace, env, input: `${JSON.stringify(request)}\n` };
  const prepare = () => fs.writeFileSync(path.join(workspace, 'a.txt'), 'one\ntwo\n');
  // The first runs keep the compiled code, and make the databases.
  for (let run = 0; run < 3; run += 1) {
    prepare();
    answer(command, options);
  }
  prepare();
  const calls = countCalls(command, options);
  prepare();
  const coverage = path.join(folder, 'coverage');
  answer(command, { ...options, env: { ...env, NODE_V8_COVERAGE: coverage } });
  return { ...readCoverage(coverage), ...(calls && idle && difference(calls, idle)) };
}

function answer([program, ...args], options) {
  const { status, stdout, stderr } = spawnSync(program, args, { ...options, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.at(-1)} failed: ${stdout}${stderr}`);
}

/** Counts system calls by strace; undefined without it. */
function countCalls(command, options) {
  const log = path.join(options.env?.HOME ?? os.tmpdir(), 'strace.log');
  const traced = ['-f', '-qq', '-e', 'trace=openat,fsync,fdatasync,execve', '-o', log, ...command];
  const { error, status } = spawnSync('strace', traced, options);
  if (error || status !== 0) return undefined;
  const lines = fs.readFileSync(log, 'utf8').split('\n');
  fs.rmSync(log);
  const count = (pattern) => lines.filter((line) => pattern.test(line)).length;
  return { opens: count(/ openat\(/), fsyncs: count(/ f(?:data)?sync\(/), programs: count(/ execve\(.* = 0$/) };
}

function difference(calls, idle) {
  return Object.fromEntries(Object.entries(calls).map(([name, count]) => [name, count - idle[name]]));
}

function readCoverage(folder) {
  const scripts = fs
    .readdirSync(folder)
    .flatMap((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')).result);
  const ours = scripts.filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(ROOT));
  const bytes = ours.reduce((sum, { url }) => sum + fs.statSync(fileURLToPath(url)).size, 0);
  const functions = ours.flatMap((script) => script.functions).filter(({ ranges: [range] }) => range.count > 0);
  return { kilobytes: Math.round(bytes / 1000), functions: functions.length };
}

for (const [name, costs] of Object.entries(countCosts())) {
  const shown = Object.entries(costs).map(([what, count]) => `${what} ${String(count).padStart(4)}`);
  console.log(`${name.padEnd(12)} ${shown.join('  ')}`);
}
