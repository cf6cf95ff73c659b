import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ROOT } from '../../scripts/setup.mjs';
import { scratch } from '../measure.mjs';
import { repomix } from '../repomix.mjs';
import { readText } from './chosen.mjs';

const FILE = /^={16}\nFile: (?<name>.+)\n={16}\n(?<content>[\s\S]*?)(?=\n\n={16}\n)/gm;
const { encode, decode } = createRequire(path.join(ROOT, 'apps/mcp-server/package.json'))(
  'gpt-tokenizer/encoding/o200k_base',
);
const documents = new Map();

/**
 * Counts how many of these files stand in the first tokens of what repomix writes, since it has no budget: whole in its
 * usual document, and shown in that or in the one with `--compress`.
 */
export function packedOf(cwd, budget, files) {
  const usual = filesIn(documentOf(cwd, []), budget);
  const compressed = filesIn(documentOf(cwd, ['--compress']), budget);
  const isWhole = (file) => usual.get(file)?.trim() === readText(path.join(cwd, file)).trim();
  return {
    shown: files.filter((file) => usual.has(file) || compressed.has(file)).length,
    whole: files.filter(isWhole).length,
  };
}

function documentOf(cwd, flags) {
  const key = [cwd, ...flags].join(' ');
  const known = documents.get(key);
  if (known !== undefined) return known;
  const output = path.join(scratch('packed'), 'output.txt');
  const { command, args } = repomix(cwd, output, flags);
  const { status, stderr } = spawnSync(command, args, { cwd });
  if (status !== 0) throw new Error(`repomix of ${cwd}: ${stderr}`);
  const tokens = encode(fs.readFileSync(output, 'utf8'), { disallowedSpecial: new Set() });
  documents.set(key, tokens);
  return tokens;
}

function filesIn(tokens, budget) {
  const text = decode(tokens.slice(0, budget));
  return new Map([...text.matchAll(FILE)].map(({ groups }) => [groups.name, groups.content]));
}
