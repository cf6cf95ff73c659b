import fs from 'node:fs';
import { Script } from 'node:vm';
import { BEGIN } from '@jinn/core';
import { KeptCode } from './kept-code.ts';

// Starts a program: runs its chunks with the code that V8 made of them in an earlier run (docs/architecture.md, "Speed").

declare const BUILD: string;

const CHUNKS = `${import.meta.dirname}/chunks`;
/** The code is kept early, since a session may end without notice, and V8 drops code that has not run for a while. */
const KEEP_AFTER_MS = 2_000;

/** Code is written again after later runs, since each compiles the functions that it calls. */
const MAX_WRITES = 3;

// V8 rejects code that it made under other flags. The tag depends on them, and takes time to load.
const hasFlags = process.execArgv.length > 0 || process.env['NODE_OPTIONS'];
const flags = hasFlags ? `-${process.getBuiltinModule('node:v8').cachedDataVersionTag()}` : '';
const kept = new KeptCode(`${BUILD}-${process.version}-${process.arch}${flags}`);
const loaded = new Map<string, { exports: object }>();
const unkept = new Map<string, { script: Script; writes: number }>();
let hasBegun = false;

function load(name: string): object {
  const known = loaded.get(name);
  if (known) return known.exports;
  const filename = `${CHUNKS}/${name}`;
  const { code: cachedData, writes = 0 } = kept.read(name) ?? {};
  const script = new Script(fs.readFileSync(filename, 'utf8'), { filename, ...(cachedData && { cachedData }) });
  if (script.cachedDataRejected) keepLater(name, script, 1);
  else if (writes < MAX_WRITES) keepLater(name, script, writes + 1);
  const module = { exports: {} };
  loaded.set(name, module);
  script.runInThisContext()(module.exports, requireFrom, module, filename, CHUNKS);
  return module.exports;
}

function requireFrom(id: string): unknown {
  return id.startsWith('./') ? load(id.slice(2)) : require(id);
}

function keepLater(name: string, script: Script, writes: number): void {
  unkept.set(name, { script, writes });
  if (hasBegun && unkept.size === 1) setTimeout(keep, KEEP_AFTER_MS).unref();
}

/** Keeps the code that is not kept yet. The code of a function is there once the function has run. */
function keep(): void {
  if (unkept.size > 0) kept.write(unkept);
  unkept.clear();
}

// A run that only prints or installs something shows little of a program.
process.once(BEGIN, () => {
  hasBegun = true;
  if (unkept.size > 0) setTimeout(keep, KEEP_AFTER_MS).unref();
  process.once('exit', (status) => status === 0 && keep());
});
load('main.cjs');
