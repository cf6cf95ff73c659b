import path from 'node:path';
import { ToolError } from '@jinn/core/errors';
import type { Server } from '../servers/server-table.ts';

/** What a server needs and the sandbox hides. */
export interface HiddenReason {
  readonly fact: string;
  readonly cure: string;
}

export interface HiddenSearch {
  find(path: string): { readonly place: string; readonly cure: string | undefined } | undefined;
  programs(name: string): readonly string[];
}

const MAX_LINES = 200;
const MAX_TRIED = 50;
const MISSES =
  /not found|no such file|cannot find|can't (?:find|open)|cannot open|ENOENT|MODULE_NOT_FOUND|does not exist/i;

const PATH = /\/[^\s'"‘’`,;()<>]+?(?=[:.]?(?:[\s'"‘’`,;()<>]|$))/g;
/** A program that was not found on PATH, in messages of shells, env and Go. */
const PROGRAM = /["'‘`]?([\w.+-]{1,100})["'’`]?: (?:executable file |command )?(?:not found|no such file)/gi;
const MAX_MESSAGE = 500;

export class ServerDied extends ToolError {
  readonly hidden: HiddenReason | undefined;

  constructor(message: string, hidden?: HiddenReason) {
    const suggestion = hidden?.cure ?? 'see whether the server works outside of jinn, or choose another';
    super('lsp_error', message, { suggestion });
    this.hidden = hidden;
  }
}

/** An empty answer of a server that has not loaded the project means nothing. */
export function tooEarly(limitMs: number, doing: string): ToolError {
  const seconds = Math.round(limitMs / 100) / 10;
  return new ToolError('timeout', `timed out after ${seconds}s: the project is not loaded yet (${doing})`, {
    suggestion: 'ask again in a session, where the server continues to load. An empty answer now would mean nothing',
  });
}

/** An answer of a server that is not a result. */
export class AnsweredError extends ToolError {}

/** Makes the error of a server that could not load the project, in its own words, with what helps. */
export function notLoaded(
  { id, cure }: Pick<Server, 'id' | 'cure'>,
  failure: string,
  { root, hidden }: { root: string; hidden: HiddenReason | undefined },
): ToolError {
  const suggestion = hidden?.cure ?? cure ?? 'see whether the project is whole';
  const why = [plainMessage(failure, root), hidden?.fact].filter(Boolean).join('; ');
  return new ToolError('lsp_error', `${id} could not load the workspace: ${why}`, { suggestion });
}

/** Makes an error from an answer that is not a result, without paths of the machine. */
export function fromServer(error: unknown, root: string): ToolError {
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const text = plainMessage(String(message ?? error), root);
  return new AnsweredError('lsp_error', `lsp error ${typeof code === 'number' ? code : 'unknown'}: ${text}`);
}

/** Makes a line without paths of the machine and control characters. */
export function plainMessage(text: string, root: string): string {
  const line = text
    .slice(0, 4 * MAX_MESSAGE)
    .replaceAll(`file://${root}/`, '')
    .replaceAll(`${root}/`, '')
    .replaceAll(root, '.')
    // Only the name is left of any other absolute path.
    .replace(/(?:file:\/\/)?(?<![\w.:/-])\/(?:[^\s/'"`:,;()<>]+\/)+([^\s/'"`:,;()<>]+)/g, '$1')
    .replace(/\s+/g, ' ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it goes into a line of an answer.
    .replace(/[\0-\x1f\x7f]/g, '')
    .trim();
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE)}…` : line;
}

/** Explains an end by a known reason, or else by the last line that says something. */
export function explainEnd(stderr: string, root: string): string {
  const known = KNOWN_ENDS.find(({ pattern }) => pattern.test(stderr));
  if (known) return known.meaning;
  const lines = stderr.split('\n').map((line) => line.trim());
  const telling = lines.filter((line) => /\w/.test(line) && !/^(at |\d+:|Node\.js v|\^)/.test(line));
  const error = telling.findLast((line) => /error|fatal|panic|cannot|not found/i.test(line));
  const last = error ?? telling.at(-1);
  return last === undefined ? '' : plainMessage(last, path.resolve(root));
}

const KNOWN_ENDS = [
  {
    pattern: /Unknown binary '|is not installed for the toolchain|is unavailable for/,
    meaning: 'the program on PATH is a stub for a component of rustup that is not installed',
  },
  { pattern: /Multiple editing sessions/, meaning: 'another session of it has this workspace open' },
  {
    pattern: /Could not find a valid TypeScript installation/,
    meaning: 'it needs TypeScript 5 next to it, and found none',
  },
  { pattern: /Cannot find module|ERR_MODULE_NOT_FOUND/, meaning: 'a module of it cannot be found' },
] as const;

/** Finds a missing file, of those that a server names and its own, that the sandbox hides from it. */
export function explainHidden(
  said: string,
  ownFiles: readonly string[],
  { find, programs }: HiddenSearch,
): HiddenReason | undefined {
  const lines = said.split('\n').slice(-MAX_LINES);
  const missed = lines.filter((line) => line.length < 2_000 && MISSES.test(line)).join('\n');
  const names = [...missed.matchAll(PROGRAM)].map(([, name = '']) => name);
  const paths = [...missed.matchAll(PATH)].map(([path]) => path);
  const tried = [...ownFiles, ...names.flatMap(programs), ...paths].slice(0, MAX_TRIED);
  for (const path of tried) {
    const hidden = find(path);
    if (!hidden) continue;
    const { place, cure } = hidden;
    const fact = `the sandbox hides ${place}, where ${path.split('/').at(-1)} is`;
    return { fact, cure: cure ?? `install it elsewhere: no setting shows ${place} in the sandbox` };
  }
  return undefined;
}
