import { ToolError } from '@jinn/core/errors';
import type { Section } from './section.ts';

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const MAX_LISTED = 20;

interface Heading {
  readonly level: number;
  readonly title: string;
  /** From 1. */
  readonly line: number;
}

/** Finds a section by its heading: exactly, else without regard to case, else by a part. Throws `not_found`. */
export function findHeading(lines: readonly string[], wanted: string, path: string): Section {
  const headings = headingsOf(lines);
  const title = wanted.replace(/^#+\s*/, '').trim();
  const folded = title.toLowerCase();
  const found =
    headings.findIndex((heading) => heading.title === title) + 1 ||
    headings.findIndex((heading) => heading.title.toLowerCase() === folded) + 1 ||
    headings.findIndex((heading) => heading.title.toLowerCase().includes(folded)) + 1;
  const heading = title === '' ? undefined : headings[found - 1];
  if (!heading) throw noHeading(headings, wanted, path);
  const next = headings.slice(found).find(({ level }) => level <= heading.level);
  return { start: heading.line, end: next ? next.line - 1 : lastLine(lines) };
}

function headingsOf(lines: readonly string[]): Heading[] {
  const headings: Heading[] = [];
  let fence: string | undefined;
  for (const [index, line] of lines.entries()) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      continue;
    }
    fence = mark;
    const [, hashes, title] = HEADING.exec(line.trimEnd()) ?? [];
    if (hashes === undefined || title === undefined) continue;
    headings.push({ level: hashes.length, title: withoutHashes(title), line: index + 1 });
  }
  return headings;
}

function withoutHashes(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') end--;
  return end === title.length || title[end - 1] === ' ' ? title.slice(0, end).trim() : title.trim();
}

function lastLine(lines: readonly string[]): number {
  return lines.at(-1) === '' ? lines.length - 1 : lines.length;
}

function noHeading(headings: readonly Heading[], wanted: string, path: string): ToolError {
  const titles = headings.slice(0, MAX_LISTED).map(({ title }) => JSON.stringify(title.slice(0, 80)));
  return new ToolError('not_found', `${path} has no heading ${JSON.stringify(wanted.slice(0, 100))}`, {
    suggestion: titles.length === 0 ? 'it has no headings; read its lines' : `its headings: ${titles.join(', ')}`,
  });
}
