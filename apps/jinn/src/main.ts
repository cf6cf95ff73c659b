#!/usr/bin/env node
import fs from 'node:fs';
import {
  createLocks,
  createRegistry,
  createSession,
  createSpill,
  type Envelope,
  findDirectories,
  type History,
  type Host,
  openWorkspace,
  ToolError,
  toFailure,
} from '@jinn/core';
import { jinnToolset } from '@jinn/toolsets';
import { createJsonValues, type Incoming } from './json-values.ts';
import { toRequest } from './request.ts';
import { parseFlags, USAGE } from './usage.ts';

const VERSION = '0.1.0';

/** Answers each JSON value on standard input with one line, in order; exits 0 when every answer was ok. */
async function main(): Promise<number> {
  const invocation = parseFlags(process.argv.slice(2), VERSION);
  if (!invocation.serve) {
    fs.writeSync(invocation.status === 0 ? 1 : 2, invocation.text);
    return invocation.status;
  }
  if (isTerminal(0)) {
    fs.writeSync(1, USAGE);
    return 0;
  }
  const home = process.env['HOME'] || homeOfUser();
  const { state, cache } = findDirectories(process.env, home);
  const root = process.cwd();
  const registry = createRegistry({
    toolsets: [jinnToolset],
    version: VERSION,
    policy: () => undefined,
    onInternalError: (error) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
  });
  const workspace = openWorkspace({ root, home, closed: [state, cache].filter((path) => path !== undefined) });
  const host: Host = {
    workspace,
    session: createSession(),
    spill: createSpill(cache),
    locks: createLocks(state && `${state}/locks`),
    openHistory: invocation.history ? historyOpener(state, workspace.root) : async () => undefined,
  };
  let allOk = true;
  const answer = (envelope: Envelope) => {
    allOk &&= envelope.ok;
    writeAll(`${JSON.stringify(envelope)}\n`);
  };
  const values = createJsonValues();
  const buffer = Buffer.allocUnsafe(65_536);
  for (let ended = false; !ended; ) {
    const count = fs.readSync(0, buffer);
    ended = count === 0;
    if (ended) values.end();
    else values.push(buffer.subarray(0, count));
    for (let value = values.next(); value; value = values.next()) answer(await respond(value));
  }
  if (values.empty)
    answer(toFailure(new ToolError('invalid_request', 'no input: pipe a JSON request to stdin (try jinn --help)')));
  return allOk ? 0 : 1;

  async function respond(incoming: Incoming): Promise<Envelope> {
    try {
      if (!incoming.ok) throw new ToolError('invalid_request', incoming.message);
      return await registry.call(toRequest(incoming.value), host);
    } catch (error) {
      return toFailure(error);
    }
  }
}

/** Opens the history once, and only when a tool needs it: SQLite takes a third of a cold start. */
function historyOpener(state: string | undefined, root: string): () => Promise<History> {
  let opened: History | undefined;
  return async () => {
    opened ??= (await import('@jinn/store')).openHistory(state, root);
    return opened;
  };
}

/** For a service that runs without HOME. */
function homeOfUser(): string | undefined {
  try {
    return process.getBuiltinModule('node:os').homedir();
  } catch {
    return undefined;
  }
}

/** Loads node:tty only for a character device, which a pipe or a file never is. */
function isTerminal(fd: number): boolean {
  return fs.fstatSync(fd).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(fd);
}

function writeAll(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(1, bytes, at);
}

main().then(
  // At once: everything is written, and a database that is left open needs no clean-up (its log is read next time),
  // while closing it would sync twice more.
  (code) => process.exit(code),
  () => process.exit(1),
);
