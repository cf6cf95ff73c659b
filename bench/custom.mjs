import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { median, medians, oneShot, openSession, scratch } from './measure.mjs';

const ROUNDS = 61;
const TOOLS = 200;
const SCRIPT = 'input=$(cat)\necho \'{"ok":true}\'\n';
/** A definition that changed just now is read again. */
const SETTLING_MS = 200;

/** Measures custom tools: a call beside its script, and what 200 of them cost. */
export const custom = [
  {
    what: 'a custom tool of bash in a session',
    peer: '`bash script`',
    target: { extraMs: 6 },
    async run() {
      const [state, cwd] = [writeTools('one', 1), scratch('custom')];
      const session = openSession(cwd, { state });
      const script = path.join(state, 'jinn/tools/tool-0/script.sh');
      const [ours, theirs] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        ours.push(await timeOf(() => ask(session, { tool: 'tool-0', args: { text: 'a' } })));
        theirs.push(await timeOf(() => spawnSync('bash', [script], { input: '{"text":"a"}' })));
      }
      session.close();
      return { ours: median(ours), theirs: median(theirs) };
    },
  },
  {
    what: `the first list in a process with ${TOOLS} custom tools`,
    peer: 'the same without one',
    target: { extraMs: 60 },
    async run() {
      const [many, none] = [writeTools('many', TOOLS), writeTools('none', 0)];
      const [ours, theirs] = [[], []];
      for (let round = 0; round < 15; round++) {
        ours.push(await firstList(many));
        theirs.push(await firstList(none));
      }
      return { ours: median(ours), theirs: median(theirs) };
    },
  },
  {
    what: `a list when nothing changed, with ${TOOLS} custom tools`,
    peer: 'the same without one',
    target: { extraMs: 3 },
    async run() {
      const [many, none] = [await listing(writeTools('many', TOOLS)), await listing(writeTools('none', 0))];
      const [ours, theirs] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        ours.push(await many.time());
        theirs.push(await none.time());
      }
      many.close();
      none.close();
      return { ours: median(ours), theirs: median(theirs) };
    },
  },
  {
    what: `one-shot \`read_file\` with ${TOOLS} custom tools`,
    peer: 'the same without one',
    target: { ratio: 1.05 },
    run() {
      const cwd = scratch('custom');
      fs.writeFileSync(path.join(cwd, 'a.txt'), 'one\n');
      const request = oneShot({ tool: 'read_file', args: { path: 'a.txt' } }, cwd);
      const inPlace = (state) => ({ ...request, env: { JINN_CONFIG_DIR: state } });
      const [ours, theirs] = medians([inPlace(writeTools('many', TOOLS)), inPlace(writeTools('none', 0))], 61);
      return { ours, theirs };
    },
  },
];

/** Writes tools into a configuration directory of their own. Returns the directory above it. */
function writeTools(name, count) {
  const state = scratch(`custom-${name}`);
  for (let i = 0; i < count; i++) {
    const folder = path.join(state, 'jinn/tools', `tool-${i}`);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'tool.md'), definitionOf(`tool-${i}`));
    fs.writeFileSync(path.join(folder, 'script.sh'), SCRIPT);
  }
  return state;
}

function definitionOf(name) {
  return `---
name: ${name}
script: script.sh
runtime: bash
timeout: 10000
inputSchema:
  type: object
  properties:
    text:
      type: string
      description: "The text that it is about"
  required:
    - text
outputSchema:
  type: object
  properties:
    ok:
      type: boolean
---

Does what ${name} does.
`;
}

async function firstList(state) {
  const session = openSession(scratch('custom'), { state });
  await ask(session, { tool: 'list_dir', args: {} });
  const ms = await timeOf(() => ask(session, { tool: 'list_tools', args: {} }));
  session.close();
  return ms;
}

async function listing(state) {
  await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
  const session = openSession(scratch('custom'), { state });
  const time = () => timeOf(() => ask(session, { tool: 'list_tools', args: {} }));
  await time();
  return { time, close: session.close };
}

async function ask(session, request) {
  session.send(request);
  const answer = await session.receive();
  if (!answer.startsWith('{"ok":true')) throw new Error(answer);
}

async function timeOf(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
