import { spawnSync } from 'node:child_process';
import util from 'node:util';
import { installCommand } from './names.mjs';
import { buildSqlite, COLOURS, installAndBuild, ROOT, stop } from './setup.mjs';

const JINN = 'apps/jinn/dist/jinn.cjs';
const SHOWN_LINES = 12;

/** What a newcomer may want to do, and how. */
const NEXT = [
  ['See all tools', pasteable({ tool: 'list_tools' })],
  ['Use it in an MCP host', `${installCommand('apps/mcp-server')} && jinn-mcp install claude-code`],
  ['Put a project into a chat', 'node apps/jinni/dist/jinni.cjs --max-tokens 30000 packages/search'],
  ['Build an agent on it', 'docs/protocol.md and docs/integrations'],
];
const WIDEST = Math.max(...NEXT.map(([what]) => what.length));

/** The requests, and a text that each right answer contains. */
const REQUESTS = [
  {
    title: 'List a directory',
    request: { tool: 'list_dir', args: { depth: 1 } },
    expect: (answer) => answer.ok && JSON.parse(answer.result).entries.includes('README.md'),
  },
  {
    title: 'Read the first lines of a file',
    request: { tool: 'read_file', args: { path: 'README.md', start_line: 1, end_line: 8 } },
    expect: (answer) => answer.ok && answer.result.includes('# '),
  },
  {
    title: 'Ask what a file is, without its content',
    request: { tool: 'stat_file', args: { path: 'package.json' } },
    expect: (answer) => answer.ok && JSON.parse(answer.result).type === 'file',
  },
  {
    title: 'Reach for a secret outside the workspace, and be refused',
    request: { tool: 'read_file', args: { path: '../.ssh/id_rsa' } },
    expect: (answer) => answer.ok === false && answer.error_code === 'path_outside_sandbox',
  },
];

function main() {
  installAndBuild();
  console.log('\njinn answers JSON requests on standard input, confined to the directory it is started in.');
  const fastest = Math.min(...REQUESTS.map(show));
  const bare = Math.min(...REQUESTS.map(() => runNode(['-e', '0'], '').ms));
  console.log(`The fastest of these took ${fastest} ms; node -e 0, which does nothing, takes ${bare} ms here.`);
  console.log('');
  buildSqlite();
  console.log(`\n${style('bold', 'What to do next')}`);
  for (const [what, command] of NEXT) console.log(`  ${what.padEnd(WIDEST)}  ${command}`);
}

/** Sends one request and prints it with its answer. Returns the time that it took, in milliseconds. */
function show({ title, request, expect }) {
  console.log(`\n${style('dim', title)}\n${style('bold', `$ ${pasteable(request)}`)}`);
  const child = runNode([JINN], JSON.stringify(request));
  const answer = parse(child);
  console.log(indent(linesOf(answer)));
  if (!expect(answer)) stop('\njinn gave another answer than it should', child.stdout);
  return child.ms;
}

function runNode(args, input) {
  const started = process.hrtime.bigint();
  const child = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', input });
  return { ...child, ms: Math.round(Number(process.hrtime.bigint() - started) / 1e6) };
}

function pasteable(request) {
  return `echo '${JSON.stringify(request)}' | node ${JINN}`;
}

function parse({ stdout, stderr, error }) {
  try {
    return JSON.parse(stdout);
  } catch {
    return stop('  jinn gave no answer', `${stdout || ''}${stderr || ''}${error ? error.message : ''}`);
  }
}

/** Formats the members of an answer, one a line, and its result as plain text. */
function linesOf({ ok, result, ...rest }) {
  const status = style(ok ? 'green' : 'red', `ok: ${ok}`);
  if (!ok) return [status].concat(Object.keys(rest).map((key) => `${key}: ${rest[key]}`));
  const lines = readable(result).trimEnd().split('\n');
  const more = lines.length - SHOWN_LINES;
  const note = more > 0 ? [style('dim', `… ${more} more ${more === 1 ? 'line' : 'lines'}`)] : [];
  return [status].concat(lines.slice(0, SHOWN_LINES), note);
}

function readable(result) {
  try {
    return JSON.stringify(JSON.parse(result), null, 2);
  } catch {
    return result;
  }
}

function indent(lines) {
  return lines.map((line) => `  ${line}`).join('\n');
}

function style(format, text) {
  return COLOURS ? util.styleText(format, text) : text;
}

main();
