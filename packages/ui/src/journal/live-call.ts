import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { Outcome } from '@jinn/core';
import { redactMembers } from '@jinn/workspace/secrets/content';
import { type LiveMessage, RECORD_VERSION, readMessage } from './journal-record.ts';

const LOOK_MS = 2_000;

/** Shows a call that runs at the page. `stop` is called if the user stops it there. */
export function showRunning(path: string, id: string, stop: () => void) {
  let onStop = stop;
  const socket = connect(path);
  const send = (message: LiveMessage) => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(redactMembers(message))}\n`);
  };
  // Without a page, calls continue. A job keeps no process alive.
  socket.on('error', () => socket.destroy()).unref();
  createInterface({ input: socket }).on('line', (line) => Object(readMessage(line)).k === 'stop' && onStop());
  send({ v: RECORD_VERSION, k: 'running', id });
  const look = async (job: string, callTool: (args: object) => Promise<Outcome>) => {
    const outcome = await callTool({ action: 'list' });
    const jobs: readonly Record<string, string>[] = (outcome.ok && Object(outcome.meta).jobs) || [];
    const { state = '', command = '' } = jobs.find((each) => each['job'] === job) ?? {};
    if (state.startsWith('running')) send({ k: 'job', text: `${job}: ${state}`, pid: process.pid, command });
    else socket.destroy();
  };
  return {
    report: (text: string) => send({ k: 'line', text }),
    close: () => socket.destroy(),
    /** Goes on with the job that the call has started. */
    followJob: (job: string, callTool: (args: object) => Promise<Outcome>) => {
      onStop = () => void callTool({ job, action: 'kill' }).then(() => look(job, callTool));
      const timer = setInterval(look, LOOK_MS, job, callTool).unref();
      socket.on('close', () => clearInterval(timer));
      void look(job, callTool);
    },
  };
}
