// Shows a notification: notify-send on Linux, osascript on macOS, and a web hook such as ntfy.sh if NOTIFY_URL is set.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const MAX_MS = 10_000;
const SCRIPT = ['on run argv', 'display notification (item 1 of argv) with title (item 2 of argv)', 'end run'];

async function main({ message, title, workspacePath }) {
  const heading = title || basename(workspacePath ?? '') || 'jinn';
  const attempts = [await notifyDesktop(message, heading), await notifyByWeb(message, heading)].filter(Boolean);
  const sent = attempts.filter(({ problem }) => problem === undefined).map(({ by }) => by);
  if (sent.length === 0) return { error: attempts.map(({ by, problem }) => `${by}: ${problem}`).join('; ') };
  return { sent, _visualization: { type: 'none', title: heading, message } };
}

/** The texts are arguments of their own, never part of a script or a command line. */
async function notifyDesktop(message, title) {
  const [by, args] =
    process.platform === 'darwin'
      ? ['osascript', [...SCRIPT.flatMap((line) => ['-e', line]), message, title]]
      : ['notify-send', ['--app-name=jinn', '--', title, message]];
  const { error, status, stderr } = spawnSync(by, args, { env: withSessionBus(), timeout: MAX_MS, encoding: 'utf8' });
  if (error?.code === 'ENOENT') return { by, problem: 'it is not installed (apt install libnotify-bin)' };
  if (error || status !== 0) return { by, problem: error?.message ?? (stderr.trim() || `it exited with ${status}`) };
  return { by };
}

/** Tools get few variables. The bus of the desktop session is at a known path. */
function withSessionBus() {
  const bus = `/run/user/${process.getuid?.()}/bus`;
  return existsSync(bus) ? { ...process.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus}` } : process.env;
}

async function notifyByWeb(message, title) {
  const url = process.env.NOTIFY_URL;
  if (!url) return undefined;
  const by = 'NOTIFY_URL';
  try {
    const headers = { title: title.replace(/[^\x20-\x7e]/g, '?') };
    const signal = AbortSignal.timeout(MAX_MS);
    const { ok, status } = await fetch(url, { method: 'POST', body: message, headers, signal, redirect: 'error' });
    return ok ? { by } : { by, problem: `it answered ${status}` };
  } catch (error) {
    return { by, problem: error.cause?.message ?? error.message };
  }
}

let output;
try {
  output = await main(JSON.parse(readFileSync(0, 'utf8')));
} catch (error) {
  output = { error: error.message };
}
process.stdout.write(JSON.stringify(output));
