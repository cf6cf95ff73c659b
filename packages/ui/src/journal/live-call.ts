import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { JobPrompt, Outcome } from '@jinn/core';
import { redactMembers } from '@jinn/workspace/secrets/content';
import { type InputState, type LiveMessage, RECORD_VERSION, readMessage } from './journal-record.ts';

const LOOK_MS = 2_000;
/** How often the output is looked at, and how much of its end is shown. */
const READ_MS = 200;
const MAX_LINES = 20;
const MAX_LINE = 500;

export interface RunningCall {
  readonly id: string;
  /** Returns the end of what the call has written. */
  readonly read: () => string;
  /** Returns the input of a job, if it takes any. */
  readonly prompt: () => JobPrompt | undefined;
  /** Is called if the user stops it at the page. */
  readonly stop: () => void;
}

/** Shows a call that runs at the page. */
export function showRunning(path: string, { id, read, prompt, stop }: RunningCall) {
  let onStop = stop;
  let shown = '';
  let shownInput: InputState | undefined;
  const socket = connect(path);
  const send = (message: LiveMessage) => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
  };
  const showOutput = () => {
    const text = read();
    // A page that is slow gets the newer lines later, instead of all.
    const input = inputOf(prompt());
    if ((text === shown && input === shownInput) || socket.writableLength > 0) return;
    shown = text;
    shownInput = input;
    // Security: all of the end is redacted before it is cut, since a part of a private key would not be recognized.
    const lines = redactMembers(text.trimEnd().split('\n')) as string[];
    send({ k: 'lines', lines: lines.slice(-MAX_LINES).map((line) => line.slice(0, MAX_LINE)), input });
  };
  const timer = setInterval(showOutput, READ_MS).unref();
  // Without a page, calls continue. A job keeps no process alive.
  socket.on('error', () => socket.destroy()).unref();
  socket.on('close', () => clearInterval(timer));
  createInterface({ input: socket }).on('line', (line) => {
    const { k, text } = Object(readMessage(line));
    if (k === 'stop') onStop();
    // Security: only the job gets the text. It is neither in a call nor in a record.
    if (k === 'input' && typeof text === 'string') prompt()?.answer(text);
  });
  send({ v: RECORD_VERSION, k: 'running', id });
  const look = async (job: string, callTool: (args: object) => Promise<Outcome>) => {
    const outcome = await callTool({ action: 'list' });
    const jobs: readonly Record<string, string>[] = (outcome.ok && Object(outcome.meta).jobs) || [];
    const { state = '', command = '' } = jobs.find((each) => each['job'] === job) ?? {};
    if (state.startsWith('running')) send({ k: 'job', text: `${job}: ${state}`, pid: process.pid, command });
    else socket.destroy();
  };
  return {
    close: () => socket.destroy(),
    /** Continues with the job that the call has started. */
    followJob: (job: string, callTool: (args: object) => Promise<Outcome>) => {
      onStop = () => void callTool({ job, action: 'kill' }).then(() => look(job, callTool));
      const looking = setInterval(look, LOOK_MS, job, callTool).unref();
      socket.on('close', () => clearInterval(looking));
      void look(job, callTool);
    },
  };
}

function inputOf(prompt: JobPrompt | undefined): InputState | undefined {
  if (!prompt) return undefined;
  return prompt.isHidden() ? 'hidden' : 'shown';
}
