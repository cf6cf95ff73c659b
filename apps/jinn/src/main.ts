#!/usr/bin/env node
import fs from 'node:fs';
import {
  createRegistry,
  createSession,
  createSpill,
  type Envelope,
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
  const home = process.env['HOME'];
  const cache = process.env['XDG_CACHE_HOME'] || (home && `${home}/.cache`);
  const registry = createRegistry({
    toolsets: [jinnToolset],
    version: VERSION,
    policy: () => undefined,
    onInternalError: (error) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
  });
  const host = {
    workspace: openWorkspace({ root: process.cwd(), home }),
    session: createSession(),
    spill: createSpill(cache && `${cache}/jinn`),
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

/** Loads node:tty only for a character device, which a pipe or a file never is. */
function isTerminal(fd: number): boolean {
  return fs.fstatSync(fd).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(fd);
}

function writeAll(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(1, bytes, at);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  () => {
    process.exitCode = 1;
  },
);
