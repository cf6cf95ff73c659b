import { CHANGES, countCalls, findLeft, findTorn, hasStrace, inCopy, prepare, readAll } from './changes.mjs';
import { callOnce, createRandom, startSession } from './jinn-process.mjs';

const KINDS = [
  { flags: [], label: '' },
  { flags: ['--no-history'], label: ' without history' },
];

export const suite = {
  name: 'kill',
  title: 'SIGKILL at random instants, and at each system call that changes a file',
  async *run(options) {
    for (const { flags, label } of KINDS) {
      for (const change of CHANGES.filter((each) => isTried(each, flags, options))) {
        const prepared = { ...(await prepare(options.jinn, change, flags)), label: `${change.name}${label}` };
        const run = { ...options, prepared };
        yield await killAtRandom(run);
        yield await killAtCalls(run);
      }
    }
  },
};

/** Without history there is nothing to undo; a short run tries the change that makes most calls. */
function isTried({ undone, moves }, flags, { quick }) {
  return (!undone || flags.length === 0) && (!quick || moves);
}

/** Kills a session while it makes the change; the answer to a request before it says that it runs. */
async function killAtRandom({ prepared, jinn, quick, seed, count = quick ? 6 : 1_000 }) {
  const row = newRow(`${prepared.label}, at random instants`);
  const random = createRandom(seed);
  const changes = KINDS.flatMap(({ flags }) => CHANGES.filter((each) => isTried(each, flags, { quick })));
  for (let i = 0; i < Math.ceil(count / changes.length); i++) {
    const delay = random() * 60;
    await check({ row, jinn, prepared, when: `after ${delay.toFixed(1)} ms` }, async (place) => {
      const session = startSession(jinn, place);
      await session.ask({ tool: 'list_dir', args: {} });
      void session.ask(prepared.request);
      await new Promise((resolve) => setTimeout(resolve, delay));
      session.kill();
      await session.close();
    });
  }
  return row;
}

async function killAtCalls({ prepared, jinn, quick }) {
  const row = newRow(`${prepared.label}, at system calls`);
  if (!hasStrace) return { ...row, notes: ['not tried: strace cannot be used here'] };
  for (const [call, times] of await countCalls(jinn, prepared)) {
    if (quick && !/^(link|linkat|unlink|unlinkat)$/.test(call)) continue;
    for (let when = 1; when <= times; when++) {
      const inject = `inject=${call}:signal=SIGKILL:when=${when}`;
      const before = ['strace', '-o', '/dev/null', '-e', `trace=${call}`, '-e', inject];
      await check({ row, jinn, prepared, when: `at ${call} ${when}` }, async (place) => {
        callOnce(jinn, prepared.request, { ...place, before });
      });
    }
  }
  return row;
}

function newRow(what) {
  return { what, tried: 0, held: 0, failed: 0, notes: [] };
}

async function check({ row, jinn, prepared, when }, attempt) {
  const faults = await inCopy(prepared, async (place) => {
    await attempt(place);
    return [...findTorn(prepared, readAll(place.cwd, prepared)), ...(await findLeft(jinn, prepared, place))];
  });
  row.tried++;
  row[faults.length === 0 ? 'held' : 'failed']++;
  for (const fault of faults) row.notes.push(`${when}: ${fault}`);
}
