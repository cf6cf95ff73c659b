/** No call may take longer, in milliseconds (of CPU, if other programs are busy too), or more memory, in MB. */
export const MAX_MS = 5_000;
export const MAX_MB = 300;
/** A call that is not answered by then hangs, however busy the machine is: jinn ends each after 120 seconds. */
const WAIT_MS = 130_000;

/**
 * Puts a request to a session, and one after it, and returns what was wrong with it: an array of sentences. `codes` are the
 * refusals that are right; without any, it must succeed. `outcome` says what it took.
 */
export async function tryRequest(session, request, codes = []) {
  const before = session.cpuMs() ?? 0;
  const started = performance.now();
  const answer = await within(WAIT_MS, session.ask(request));
  const ms = Math.round(performance.now() - started);
  const cpuMs = (session.cpuMs() ?? before + ms) - before;
  const peakMb = Math.round(session.peakMb() ?? 0);
  const next = answer && (await within(WAIT_MS, session.ask({ tool: 'list_tools', args: {} })));
  const isRight = answer && (codes.length === 0 ? answer.ok : answer.ok || codes.includes(answer.error_code));
  const faults = [
    !answer && 'no answer',
    answer && !isRight && `${answer.error_code}: ${answer.error?.slice(0, 200)}`,
    Math.min(ms, cpuMs) > MAX_MS && `took ${cpuMs} ms of CPU`,
    peakMb > MAX_MB && `took ${peakMb} MB`,
    answer && !next?.ok && 'the next request was not served',
  ].filter(Boolean);
  return { answer, faults, outcome: `${ms} ms, ${cpuMs} ms of CPU, ${peakMb} MB, ${answer?.error_code ?? 'ok'}` };
}

export function within(ms, promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
