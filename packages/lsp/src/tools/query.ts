import { ToolError } from '@jinn/core/errors';
import { findWord, type Place, type TextLines } from '../index.ts';

export interface LspQuery {
  readonly action: Action;
  readonly path?: string | undefined;
  readonly line?: number | undefined;
  readonly character?: number | undefined;
  readonly symbol?: string | undefined;
  readonly new_name?: string | undefined;
  readonly query?: string | undefined;
  readonly apply?: boolean | undefined;
  readonly if_versions?: Readonly<Record<string, string>> | undefined;
  readonly offset?: number | undefined;
}

/** A question that a server answers. */
export interface FileQuery extends LspQuery {
  readonly action: Exclude<Action, 'restart'>;
  readonly path: string;
}

export const ACTIONS = [
  'definition',
  'references',
  'hover',
  'symbols',
  'diagnostics',
  'rename',
  'implementation',
  'type_definition',
  'declaration',
  'callers',
  'callees',
  'workspace_symbols',
  'code_actions',
  'format',
  'restart',
] as const;

export type Action = (typeof ACTIONS)[number];

export type GivenQuery = { readonly [key in keyof LspQuery]?: LspQuery[key] | undefined };

const WITHOUT_PLACE: ReadonlySet<Action> = new Set([
  'symbols',
  'diagnostics',
  'workspace_symbols',
  'format',
  'restart',
]);
const MAX_LINES = 5;
const APPLICABLE: ReadonlySet<Action> = new Set(['rename', 'code_actions', 'format']);

/** Throws `invalid_args` for a missing argument, or one that the action does not use. */
export function checkQuery(args: GivenQuery): LspQuery {
  const { action, path } = args;
  if (action === undefined) throw missing('action', `one of ${ACTIONS.join(', ')}`);
  if (!path && action !== 'workspace_symbols') throw missing('path', 'a file of the project');
  const { symbol } = args;
  const query = { ...args, action, ...(symbol?.includes('/') && { symbol: symbol.split('/').join('.') }) };
  if (args.apply && !APPLICABLE.has(action)) {
    throw invalidQuery(`apply is not for ${action}`, `leave it out, or use ${[...APPLICABLE].join(', ')}`);
  }
  if (args.if_versions && !args.apply)
    throw invalidQuery('if_versions goes with apply', 'pass apply: true, or leave it out');
  return query;
}

/** Throws `invalid_args` for arguments that matter only when the file is known. */
export function checkPlace({ action, line, character, symbol, new_name, query, apply }: FileQuery): void {
  if (action === 'rename' && !new_name) throw missing('new_name', 'the new identifier');
  if (action === 'workspace_symbols' && query === undefined) throw missing('query', 'a name, or part of one');
  if (action === 'code_actions' && apply && !query) throw missing('query', 'the title of the action to apply');
  if (WITHOUT_PLACE.has(action)) return;
  if (line === undefined && symbol === undefined) throw missing('line', 'counted from 1, or symbol');
  if (line === undefined && character !== undefined) throw missing('line', 'counted from 1');
  const isRange = action === 'code_actions';
  if (character === undefined && symbol === undefined && !isRange) {
    throw missing('character or symbol', 'the character counts from 1');
  }
}

/**
 * Finds a place by line and character or symbol, or undefined if only a server can find it. Throws `invalid_args` for a
 * place that is not in the text.
 */
export function findPlace({ action, line, character, symbol, path }: FileQuery, lines: TextLines): Place | undefined {
  if (WITHOUT_PLACE.has(action) || line === undefined) return undefined;
  const text = lines.line(line - 1);
  if (text === undefined)
    throw invalidQuery(`line ${line} is not in ${path}: it has ${lines.count} lines`, 'count from 1');
  if (character !== undefined) {
    const { length } = [...text];
    if (character <= length + 1) return { line, character };
    const fact = `line ${line} of ${path} has ${length} characters`;
    throw invalidQuery(`character ${character} is not in the line: ${fact}`, 'count from 1, or pass symbol instead');
  }
  if (symbol === undefined) return { line, character: 1 };
  const place = findWord(lines, lastName(symbol), line);
  if (place) return place;
  const shown = text.trim().slice(0, 200);
  const [nearest, ...others] = linesNaming(lines, lastName(symbol)).sort(
    (a, b) => Math.abs(a - line) - Math.abs(b - line),
  );
  const also = others.length > 0 ? `; also on ${others.slice(0, MAX_LINES).join(', ')}` : '';
  throw invalidQuery(
    `${JSON.stringify(symbol)} is not on line ${line} of ${path}: ${shown}`,
    nearest === undefined ? 'it is nowhere in the file' : `it is on line ${nearest}: pass line: ${nearest}${also}`,
  );
}

/** Returns the lines, from 1, that hold a name. */
export function linesNaming(lines: TextLines, name: string): number[] {
  return Array.from({ length: lines.count }, (_, i) => i + 1).filter((line) => findWord(lines, name, line));
}

/** Returns the last name of a symbol: `b` of `a.b`. */
export function lastName(symbol: string): string {
  return symbol.split('.').findLast((part) => part !== '') ?? symbol;
}

function missing(name: string, what: string): ToolError {
  return new ToolError('invalid_args', `lsp_query: ${name} is required`, { suggestion: `pass ${name}: ${what}` });
}

/** Makes the refusal of wrong arguments. */
export function invalidQuery(message: string, suggestion: string): ToolError {
  return new ToolError('invalid_args', `lsp_query: ${message}`, { suggestion });
}
