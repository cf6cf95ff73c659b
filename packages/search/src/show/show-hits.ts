import type { ShownFile, ShownHit } from './read-shown.ts';

export interface FoundFile extends ShownFile {
  readonly path: string;
}

/** A match in `format: "json"`. */
interface JsonMatch {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly context_before?: readonly string[];
  readonly context_after?: readonly string[];
  /** The name path of the symbol around it. */
  readonly symbol?: string;
}

/** Returns one object for each match. */
export function toJson(files: readonly FoundFile[]): JsonMatch[] {
  return files.flatMap(({ path, hits }) =>
    hits.map((hit) => ({
      file: path,
      line: hit.line,
      column: hit.column,
      text: hit.lines.join('\n'),
      ...(hit.before.length > 0 && { context_before: hit.before }),
      ...(hit.after.length > 0 && { context_after: hit.after }),
      ...(hit.symbol !== undefined && { symbol: hit.symbol }),
    })),
  );
}

/**
 * Formats as grep does: `path:line:text`, a dash instead of each colon in context, and `--` between lines that do not
 * touch.
 */
export function toText(files: readonly FoundFile[], context: number): string {
  const groups = files.flatMap(({ path, hits }) => groupsOf(hits, oneLine(path)));
  return joinGroups(groups, context);
}

/**
 * Formats each path once on a line of its own, above its lines, with an empty line around them. A file with one shown
 * line takes one: `path:line:text`.
 */
export function toGrouped(files: readonly FoundFile[], context: number): string {
  let text = '';
  let wasLine = true;
  for (const { path, hits } of files) {
    if (hits.length === 0) continue;
    const groups = groupsOf(hits, '');
    const isLine = groups.flat().length === 1;
    if (text !== '') text += isLine && wasLine ? '\n' : '\n\n';
    text += `${oneLine(path)}${isLine ? ':' : '\n'}${joinGroups(groups, context)}`;
    wasLine = isLine;
  }
  return text;
}

function joinGroups(groups: readonly (readonly string[])[], context: number): string {
  return groups.map((lines) => lines.join('\n')).join(context > 0 ? '\n--\n' : '\n');
}

/** Returns the lines to show, in groups of lines that touch each other. */
function groupsOf(hits: readonly ShownHit[], path: string): string[][] {
  const [match, context] = path === '' ? ['', ''] : [`${path}:`, `${path}-`];
  const groups: string[][] = [];
  let last = Number.NaN;
  const add = (line: number, text: string) => {
    if (line === last + 1) groups.at(-1)?.push(text);
    else groups.push([text]);
    last = line;
  };
  for (const { line, lines, lastLine, before, after, symbol } of hits) {
    for (const [i, text] of before.entries()) {
      const number = line - before.length + i;
      add(number, `${context}${number}-${text}`);
    }
    const around = symbol === undefined ? '' : `  [in ${oneLine(symbol)}]`;
    for (const [i, text] of lines.entries()) add(line + i, `${match}${line + i}:${text}${i === 0 ? around : ''}`);
    for (const [i, text] of after.entries()) {
      const number = lastLine + 1 + i;
      add(number, `${context}${number}-${text}`);
    }
  }
  return groups;
}

/** Formats files with the number of their matches. */
export function toFilenames(counts: Iterable<readonly [path: string, count: number]>): string {
  return Array.from(counts, ([path, count]) => `${oneLine(path)}: ${count}`).join('\n');
}

/** Formats a path on one line, whatever characters it contains. */
export function oneLine(path: string): string {
  return path.replace(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1));
}
