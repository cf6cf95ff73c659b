import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { attemptCustomTools } from './custom-attempts.mjs';
import { callOnce, createRandom, makeDirectory, startSession } from './jinn-process.mjs';

const CALLS = 200;
const QUICK_CALLS = 10;
/** By then a supervisor has ended what a killed jinn had started. */
const ENDING_MS = 4_000;
const LATEST_KILL_MS = 150;
const HELD = { allowed: false, requiresApproval: true, permissionType: 'write', message: 'Run?' };

export const suite = {
  name: 'custom',
  title: 'custom tools: SIGKILL at random instants, and attempts to run what the person has not approved',
  async *run(options) {
    yield await killCalls(options);
    yield await killApprovals(options);
    yield* attemptCustomTools(options);
  },
};

/** Kills jinn while a tool runs that leaves processes in sessions of their own. */
async function killCalls({ jinn, quick, seed, count = quick ? QUICK_CALLS : CALLS }) {
  const row = newRow('no process is left of a tool whose jinn was killed');
  const random = createRandom(seed);
  const seconds = 40_000 + Math.floor(random() * 10_000);
  for (let i = 0; i < count; i++) {
    const mark = `${seconds}.${i + 1}`;
    const script = `trap '' TERM HUP INT; setsid sleep ${mark} & (sleep ${mark}; touch late) & sleep ${mark}`;
    const place = makePlace({ script });
    const session = startSession(jinn, place);
    await session.ask({ tool: 'list_dir', args: {} });
    void session.ask({ tool: 'tool', args: {} });
    const delay = random() * LATEST_KILL_MS;
    await sleep(delay);
    session.kill();
    await session.close();
    const left = await waitForEnd(mark);
    note(row, left === '', `after ${delay.toFixed(1)} ms: left ${left}`);
  }
  return row;
}

/** Kills jinn around the answer "always": the grant must be whole or absent, and the next process must work. */
async function killApprovals({ jinn, quick, seed, count = quick ? QUICK_CALLS : CALLS }) {
  const row = newRow('a grant is whole or absent after a kill');
  const random = createRandom(seed + 1);
  const place = { ...makePlace({ script: 'echo "{}"', asks: true }), flags: ['--approvals=stdio'] };
  for (let i = 0; i < count; i++) {
    const key = `key-${i}`;
    const session = startSession(jinn, place);
    const question = await session.ask({ tool: 'tool', args: { key } });
    void session.ask({ approval: question?.approval?.id, answer: 'always' });
    const delay = random() * 40;
    await sleep(delay);
    session.kill();
    await session.close();
    const { answer } = callOnce(jinn, { tool: 'tool', args: { key } }, { ...place, flags: [] });
    const isWhole = answer?.ok === true || answer?.error_code === 'approval_required';
    note(
      row,
      isWhole && isIntact(jinn, place),
      `after ${delay.toFixed(1)} ms: ${JSON.stringify(answer)?.slice(0, 200)}`,
    );
  }
  return row;
}

/** Lists the grants in a new process: each must have all of its members. */
function isIntact(jinn, { cwd, home }) {
  const env = { ...process.env, HOME: home, JINN_CONFIG_DIR: `${home}/config`, XDG_CACHE_HOME: `${home}/cache` };
  const printed = execFileSync(process.execPath, [jinn, 'tools', 'grants', '--json'], { cwd, env, encoding: 'utf8' });
  const members = ['tool', 'type', 'key', 'fingerprint', 'created'];
  return JSON.parse(printed).every((grant) => members.every((member) => typeof grant[member] === 'string'));
}

function makePlace({ script, asks = false }) {
  const [home, cwd] = [makeDirectory(), makeDirectory()];
  const folder = `${home}/config/jinn/tools/tool`;
  fs.mkdirSync(folder, { recursive: true });
  const definition = {
    name: 'tool',
    script: 'script.sh',
    runtime: 'bash',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object' },
    ...(asks && { hasSecurityCheck: true, securityScript: 'check.sh' }),
  };
  fs.writeFileSync(`${folder}/tool.json`, JSON.stringify(definition));
  fs.writeFileSync(`${folder}/script.sh`, script);
  const verdict = JSON.stringify({ ...HELD, permissionKey: 'KEY' });
  const check = `input=$(cat); key=\${input#*'"key":"'}; verdict='${verdict}'; echo "\${verdict/KEY/\${key%%'"'*}}"\n`;
  if (asks) fs.writeFileSync(`${folder}/check.sh`, check);
  return { home, cwd };
}

/** Returns the processes with this mark that do not end; an empty text if all do. */
async function waitForEnd(mark) {
  let left = '';
  for (let waited = 0; waited <= ENDING_MS; waited += 50) {
    left = processesWith(mark);
    if (left === '') return left;
    await sleep(50);
  }
  return left;
}

function processesWith(mark) {
  try {
    return execFileSync('pgrep', ['-f', '-a', `sleep ${mark}`], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function newRow(what) {
  return { what, tried: 0, held: 0, failed: 0, notes: [] };
}

function note(row, holds, fault) {
  row.tried++;
  row[holds ? 'held' : 'failed']++;
  if (!holds) row.notes.push(fault);
}
