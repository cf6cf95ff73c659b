// Counts what six requests cost, in numbers that no other process disturbs. With --check, it fails if one costs more than is recorded.
// What the sandbox of a command opens and starts depends on the machine, and is not recorded.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './setup.mjs';

/** The counts at the last look, with Node 20. A request that needs more, or less, gets a new number here, and a reason in the commit. */
const RECORDED = {
  read: { bytes: 120_900, functions: 315, opens: 3, fsyncs: 0, programs: 0 },
  edit: { bytes: 230_900, functions: 597, opens: 21, fsyncs: 4, programs: 0 },
  memory: { bytes: 185_800, functions: 305, opens: 18, fsyncs: 0, programs: 0 },
  shell: { bytes: 572_000, functions: 876, fsyncs: 0 },
  search: { bytes: 225_100, functions: 645, opens: 40, fsyncs: 0, programs: 1 },
  initialize: { bytes: 933_200, functions: 826, opens: 33, fsyncs: 0, programs: 0 },
};
const NODE_MAJOR = 20;
/** A count may be off by this share, or by one. */
const TOLERANCE = 0.02;

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
 * Returns by request: the bytes of our JavaScript that are loaded, the functions in it that run, and beyond a process of
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
  // What Node reads of the machine itself differs from run to run.
  return {
    opens: count(/ openat\((?!.*"\/(?:proc|sys|dev)\/)/),
    fsyncs: count(/ f(?:data)?sync\(/),
    programs: count(/ execve\(.* = 0$/),
  };
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
  return { bytes, functions: functions.length };
}

function faultsIn(name, costs) {
  return Object.entries(RECORDED[name]).flatMap(([what, recorded]) => {
    const count = costs[what];
    if (count === undefined || Math.abs(count - recorded) <= Math.max(1, recorded * TOLERANCE)) return [];
    return [`${name}: ${what} ${count}; recorded are ${recorded}`];
  });
}

const counted = Object.entries(countCosts());
for (const [name, costs] of counted) {
  const shown = Object.entries(costs).map(([what, count]) => `${what} ${String(count).padStart(7)}`);
  console.log(`${name.padEnd(12)} ${shown.join('  ')}`);
}
if (counted.some(([, { opens }]) => opens === undefined)) {
  console.log('strace is not there, so files opened, fsyncs and programs are not counted');
}
const isRecorded = process.versions.node.startsWith(`${NODE_MAJOR}.`);
if (!isRecorded) console.log(`the numbers of Node ${NODE_MAJOR} are recorded, and this is ${process.version}`);
if (process.argv.includes('--check') && isRecorded) {
  const faults = counted.flatMap(([name, costs]) => faultsIn(name, costs));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
