import { CHANGES, countCalls, findTorn, hasStrace, inCopy, prepare, readAll, wantedOf } from './changes.mjs';
import { callOnce } from './jinn-process.mjs';

const ERRORS = ['ENOSPC', 'EIO'];

export const suite = {
  name: 'faults',
  title: 'errors of the system, injected call by call',
  async run({ jinn, quick }) {
    const rows = [];
    for (const flags of quick ? [['--no-history']] : [[], ['--no-history']]) {
      for (const change of CHANGES.filter(({ undone }) => !undone || flags.length === 0)) {
        const prepared = await prepare(jinn, change, flags);
        for (const error of quick ? ['EIO'] : ERRORS) rows.push(await inject(prepared, error, { jinn, quick }));
      }
    }
    return { rows };
  },
};

async function inject(prepared, error, { jinn, quick }) {
  const label = prepared.flags.length > 0 ? ' without history' : '';
  const row = { what: `${error} in ${prepared.name}${label}`, tried: 0, held: 0, failed: 0, notes: [] };
  if (!hasStrace) return { ...row, notes: ['not tried: strace cannot be used here'] };
  for (const [call, times] of await countCalls(jinn, prepared)) {
    // What is written to standard output goes through the same call.
    if (call === 'write' || (quick && !/link|rename|mkdir/.test(call))) continue;
    for (let when = 1; when <= times; when++) {
      const before = [
        'strace',
        '-o',
        '/dev/null',
        '-e',
        `trace=${call}`,
        '-e',
        `inject=${call}:error=${error}:when=${when}`,
      ];
      const faults = await inCopy(prepared, (place) => {
        const { answer } = callOnce(jinn, prepared.request, { ...place, before });
        return findLies(prepared, answer, readAll(place.cwd, prepared));
      });
      row.tried++;
      row[faults.length === 0 ? 'held' : 'failed']++;
      for (const fault of faults) row.notes.push(`${call} ${when}: ${fault}`);
    }
  }
  return row;
}

/** What the answer says must be what the files are. */
function findLies(prepared, answer, now) {
  if (!answer) return ['no answer', ...findTorn(prepared, now)];
  const names = Object.keys(prepared.before);
  const changed = names.filter((name) => now[name] !== prepared.before[name]);
  const missing = names.filter((name) => now[name] !== wantedOf(prepared, name));
  const faults = findTorn(prepared, now);
  if (answer.ok && missing.length > 0) faults.push(`ok, but not changed: ${missing.join(', ')}`);
  if (answer.ok) return faults;
  if (answer.error_code === 'internal') faults.push(`internal: ${answer.error}`);
  const admits = /could not be rolled back|did not confirm/.test(answer.error);
  if (changed.length > 0 && !admits) faults.push(`"${answer.error}", but changed: ${changed.join(', ')}`);
  return faults;
}
