import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { dumper } from '../measure.mjs';

const FILE = /^(?<around>`{3,})path=(?<name>\S.*)\n(?<content>[\s\S]*?)\n\k<around>$/gm;
const OUTLINE_OF_REST = /\n\[the first \d+ of \d+ bytes, outline of the rest:\]\n/;

/** Runs jinni with a budget. Returns the document. */
export function documentOf(cwd, budget, flags = []) {
  const { command, args } = dumper(cwd, '--max-tokens', String(budget), '--ignore-config', ...flags);
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Counts how many of these files a document has whole, and how many whole or at least as an outline. */
export function countChosen(text, cwd, files) {
  const found = new Map([...text.matchAll(FILE)].map(({ groups }) => [groups.name, groups.content]));
  const counts = { shown: 0, whole: 0 };
  for (const file of files) {
    const content = found.get(file);
    if (content === undefined) continue;
    const isWhole = content.trimEnd() === readText(path.join(cwd, file)).trimEnd();
    if (isWhole) counts.whole++;
    if (isWhole || content.startsWith('[outline: ') || OUTLINE_OF_REST.test(content)) counts.shown++;
  }
  return counts;
}

export function readText(file) {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}
