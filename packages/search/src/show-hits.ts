import type { ShownFile, ShownHit } from './read-shown.ts';

export interface FoundFile extends ShownFile {
  readonly path: string;
}

/** A match as `format: "json"` gives it (design section 5). */
interface JsonMatch {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly context_before?: readonly string[];
  readonly context_after?: readonly string[];
}

/** One object a match. A line of context is given once: after a match if it can be, else before the next. */
export function toJson(files: readonly FoundFile[]): JsonMatch[] {
  return files.flatMap(({ path, hits }) =>
    hits.map((hit, i) => {
      const before = hits[i - 1];
      const after = hits[i + 1];
      const givenTo = before ? lastLineOf(before) + before.after.length : 0;
      const contextBefore = hit.before.slice(Math.max(0, givenTo - (hit.line - hit.before.length) + 1));
      const contextAfter = after ? hit.after.slice(0, Math.max(0, after.line - lastLineOf(hit) - 1)) : hit.after;
      return {
        file: path,
        line: hit.line,
        column: hit.column,
        text: hit.lines.join('\n'),
        ...(contextBefore.length > 0 && { context_before: contextBefore }),
        ...(contextAfter.length > 0 && { context_after: contextAfter }),
      };
    }),
  );
}

/** As grep prints it: `path:line:text`, context with dashes, `--` between what does not touch. */
export function toText(files: readonly FoundFile[], context: number): string {
  const groups = files.flatMap((file) => groupsOf(file));
  return groups.map((lines) => lines.join('\n')).join(context > 0 ? '\n--\n' : '\n');
}

/** The lines of a file that touch each other, each once. */
function groupsOf({ path, hits }: FoundFile): string[][] {
  const shown = oneLine(path);
  const lines = new Map<number, string>();
  for (const hit of hits) {
    for (const [i, text] of hit.before.entries()) {
      const line = hit.line - hit.before.length + i;
      if (!lines.has(line)) lines.set(line, `${shown}-${line}-${text}`);
    }
    for (const [i, text] of hit.lines.entries()) lines.set(hit.line + i, `${shown}:${hit.line + i}:${text}`);
    for (const [i, text] of hit.after.entries()) {
      const line = lastLineOf(hit) + 1 + i;
      if (!lines.has(line)) lines.set(line, `${shown}-${line}-${text}`);
    }
  }
  const groups: string[][] = [];
  let last = Number.NaN;
  for (const [line, text] of [...lines].sort(([a], [b]) => a - b)) {
    if (line === last + 1) groups.at(-1)?.push(text);
    else groups.push([text]);
    last = line;
  }
  return groups;
}

/** Files with the number of their matches. */
export function toFilenames(counts: Iterable<readonly [path: string, count: number]>): string {
  return Array.from(counts, ([path, count]) => `${oneLine(path)}: ${count} ${count === 1 ? 'match' : 'matches'}`).join(
    '\n',
  );
}

function lastLineOf({ line, lines }: ShownHit): number {
  return line + lines.length - 1;
}

/** A path on one line, whatever it holds. */
export function oneLine(path: string): string {
  return path.replace(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1));
}
