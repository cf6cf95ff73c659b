import fs from 'node:fs';
import path from 'node:path';
import { tryRequest } from './bounds.mjs';
import { createRandom, makeDirectory, startSession } from './jinn-process.mjs';

const MB = 1024 * 1024;

const patch = (lines) => ({
  tool: 'apply_patch',
  args: { patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') },
});
const update = (lines) => patch(['*** Update File: f', ...lines]);
const edit = (old_text, new_text, args = {}) => ({
  tool: 'edit_file',
  args: { path: 'f', old_text, new_text, ...args },
});
const edits = (count, toEdit) => ({
  tool: 'multi_edit',
  args: { edits: Array.from({ length: count }, (_, i) => ({ path: 'f', ...toEdit(i) })) },
});
const replace = (pattern, replacement, args = {}) => ({
  tool: 'search_replace',
  args: { pattern, replacement, files: 'f', ...args },
});
const search = (pattern, args = {}) => ({ tool: 'search_files', args: { pattern, ...args } });
const hashes = (count) => Array.from({ length: count }, (_, i) => [`k${i}`, 'ab'.repeat(32)]);
const diff = (args = {}) => ({ tool: 'diff_files', args: { path_a: 'f', path_b: 'g', ...args } });
const numbered = (count, text = 'line') => Array.from({ length: count }, (_, i) => `${text} ${i}\n`).join('');

/** Each makes the files of a workspace and the request. `codes` are the refusals that are right; without any, it must succeed. */
const CASES = [
  {
    what: 'search_replace of 30 million characters in 375,000 lines',
    make: () => ({ files: { f: `${'0'.repeat(80)}\n`.repeat(375_000) }, request: replace('0', '1') }),
    codes: ['timeout'],
  },
  {
    what: 'search_replace of every character in a line of 49 MB',
    make: () => ({ files: { f: 'a'.repeat(49 * MB) }, request: replace('a', 'b') }),
    codes: ['timeout'],
  },
  {
    what: 'search_replace of one word in a line of 49 MB',
    make: () => ({ files: { f: `${'a '.repeat(24 * MB)}end` }, request: replace('end', 'END') }),
  },
  {
    what: 'search_replace that multiplies a line of 49 MB',
    make: () => ({ files: { f: 'a'.repeat(49 * MB) }, request: replace('(.)', '$1'.repeat(1_000)) }),
    codes: ['file_too_large', 'timeout'],
  },
  {
    what: 'search_replace at 20 million line starts',
    make: () => ({ files: { f: '\n'.repeat(20_000_000) }, request: replace('^', 'x') }),
    codes: ['timeout'],
  },
  {
    what: 'search_replace of bytes that are not UTF-8',
    make: () => ({ files: { f: Buffer.alloc(16 * MB, 0xff) }, request: replace('x', 'y') }),
  },
  {
    what: 'search_replace of each second of 16 million bytes that are not UTF-8',
    make: () => ({ files: { f: Buffer.from('x\xff'.repeat(8 * MB), 'latin1') }, request: replace('x', 'y') }),
    codes: ['timeout'],
  },
  {
    what: 'search_replace with a pattern that backtracks',
    quick: true,
    make: () => ({ files: { f: `${'a'.repeat(50)}!` }, request: replace('(a+)+$', 'b') }),
    codes: ['timeout'],
  },
  {
    what: 'search_replace in a million named files',
    quick: true,
    make: () => ({ files: { f: 'a' }, request: replace('a', 'b', { files: new Array(1_000_000).fill('f') }) }),
    codes: ['invalid_request'],
  },
  {
    what: 'apply_patch of 100,000 hunks',
    make: () => ({
      files: { f: numbered(300_000) },
      request: update(Array.from({ length: 100_000 }, (_, i) => ['@@', `-line ${3 * i}`, `+LINE ${3 * i}`]).flat()),
    }),
  },
  {
    what: 'apply_patch of 8,000 hunks',
    quick: true,
    make: () => ({
      files: { f: numbered(24_000) },
      request: update(Array.from({ length: 8_000 }, (_, i) => ['@@', `-line ${3 * i}`, `+LINE ${3 * i}`]).flat()),
    }),
  },
  {
    what: 'apply_patch of 50,000 context lines in 300,000 equal ones',
    make: () => ({
      files: { f: 'a\n'.repeat(300_000) },
      request: update(['@@', ...new Array(50_000).fill(' a'), '+b']),
    }),
    codes: ['patch_conflict'],
  },
  {
    what: 'apply_patch of 50,000 context lines that nearly fit in 300,000 equal ones',
    make: () => ({
      files: { f: 'a\n'.repeat(300_000) },
      request: update(['@@', ...new Array(50_000).fill(' a'), '-b', '+c']),
    }),
    codes: ['patch_conflict'],
  },
  {
    what: 'apply_patch with 1,000 anchors',
    quick: true,
    make: () => ({
      files: { f: 'a\n'.repeat(300_000) },
      request: update([...new Array(1_000).fill('@@ a'), '-a', '+b']),
    }),
    codes: ['patch_invalid'],
  },
  {
    what: 'apply_patch of 2,000 hunks with 50 anchors each, in equal lines',
    make: () => ({
      files: { f: `${'a\n'.repeat(200_000)}${numbered(2_000)}` },
      request: update(
        Array.from({ length: 2_000 }, (_, i) => [...new Array(50).fill('@@ a'), `-line ${i}`, '+b']).flat(),
      ),
    }),
    codes: ['patch_conflict', 'resource_limit'],
  },
  {
    what: 'apply_patch of 15,000 hunks in lines of two kinds',
    make: ({ random }) => {
      const lines = Array.from({ length: 300_000 }, () => (random() < 0.5 ? 'a' : 'b'));
      const hunks = Array.from({ length: 15_000 }, (_, i) => [
        '@@',
        ...lines.slice(20 * i, 20 * i + 20).map((line) => ` ${line}`),
        '+c',
      ]);
      return { files: { f: `${lines.join('\n')}\n` }, request: update(hunks.flat()) };
    },
    codes: ['patch_conflict', 'resource_limit'],
  },
  {
    what: 'apply_patch with 100,000 blank lines behind a hunk',
    make: () => ({ files: { f: 'a\nb\n' }, request: update(['@@', '-b', '+c', ...new Array(100_000).fill('')]) }),
    codes: ['patch_conflict', 'resource_limit'],
  },
  {
    what: 'apply_patch of 48 MB of empty lines',
    make: () => ({ files: { f: '\n'.repeat(48 * MB) }, request: update(['@@', '-b', '+c']) }),
    codes: ['resource_limit'],
  },
  {
    what: 'apply_patch of a file of 30 MB in 1,000 sections',
    make: () => ({
      files: { f: numbered(2_000_000) },
      request: patch(Array.from({ length: 1_000 }, (_, i) => ['*** Update File: f', '@@', `-line ${i}`, '+x']).flat()),
    }),
    codes: ['resource_limit'],
  },
  {
    what: 'multi_edit of 199 texts that are not in 18 MB',
    make: () => ({
      files: { f: numbered(1_000_000, 'some words') },
      request: edits(199, (i) => ({ old_text: `absent ${i} text`, new_text: 'x' })),
    }),
    codes: ['edit_not_found'],
  },
  {
    what: 'multi_edit of 200 texts in 18 MB',
    make: () => ({
      files: { f: numbered(1_000_000, 'some words') },
      request: edits(200, (i) => ({ old_text: `words ${5_000 * i + 1_001}\n`, new_text: 'x\n' })),
    }),
    codes: ['timeout'],
  },
  {
    what: 'multi_edit of 200 texts in 13 MB with CRLF',
    make: () => ({
      files: { f: numbered(700_000, 'some words').replaceAll('\n', '\r\n') },
      request: edits(200, (i) => ({ old_text: `words ${3_000 * i + 1_001}\n`, new_text: 'x\n' })),
    }),
    codes: ['timeout'],
  },
  {
    what: 'multi_edit of five files of 48 MB',
    make: () => ({
      files: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, `${'x'.repeat(48 * MB)}\nend`])),
      request: {
        tool: 'multi_edit',
        args: { edits: ['a', 'b', 'c', 'd', 'e'].map((name) => ({ path: name, old_text: 'end', new_text: 'END' })) },
      },
    }),
    codes: ['resource_limit'],
  },
  {
    what: 'edit_file of one word in 49 MB',
    make: () => ({ files: { f: `${numbered(2_000_000, 'some more words')}end` }, request: edit('end', 'END') }),
  },
  {
    what: 'edit_file of one word in 48 MB of Latin-1',
    make: () => ({
      files: { f: Buffer.from(`${'caf\xe9 word\n'.repeat(4.8 * MB)}end`, 'latin1') },
      request: edit('end', 'END'),
    }),
  },
  {
    what: 'edit_file of one word in 48 MB of UTF-16',
    make: () => ({
      files: { f: Buffer.from(`\ufeff${'caf\xe9 word\n'.repeat(2.4 * MB)}end`, 'utf16le') },
      request: edit('end', 'END'),
    }),
    codes: ['binary_file'],
  },
  {
    what: 'edit_file of one word in 16 MB of UTF-16',
    make: () => ({
      files: { f: Buffer.from(`\ufeff${'caf\xe9 word\n'.repeat(0.79 * MB)}end`, 'utf16le') },
      request: edit('end', 'END'),
    }),
  },
  {
    what: 'edit_file of a text of 1 MB that nearly fits everywhere',
    make: () => ({ files: { f: 'a'.repeat(48 * MB) }, request: edit(`b${'a'.repeat(MB)}`, 'x') }),
    codes: ['edit_not_found'],
  },
  {
    what: 'edit_file of a text of 1 MB that fits everywhere',
    make: () => ({ files: { f: 'a'.repeat(48 * MB) }, request: edit('a'.repeat(MB), 'x') }),
    codes: ['edit_not_unique', 'resource_limit'],
  },
  {
    what: 'edit_file with 100,000 new lines in one line of 10 MB',
    make: () => ({
      files: { f: `${'b'.repeat(100)}a`.repeat(99_000) },
      request: edit('a', 'a\nb', { replace_all: true, fuzzy_indent: true }),
    }),
  },
  {
    what: 'edit_file of a text that is not in 10 MB of blanks',
    make: () => ({ files: { f: `${' '.repeat(10 * MB)}x` }, request: edit('absent “text”', 'x') }),
    codes: ['edit_not_found'],
  },
  {
    what: 'diff_files of 5 million short lines',
    make: () => ({ files: { f: 'a\n'.repeat(5_000_000), g: 'b\n'.repeat(5_000_000) }, request: diff() }),
    codes: ['resource_limit'],
  },
  {
    what: 'diff_files of 400,000 lines that are all different',
    make: () => ({ files: { f: numbered(400_000), g: numbered(400_000, 'word') }, request: diff() }),
    codes: ['resource_limit'],
  },
  {
    what: 'diff_files of two shuffles of 300,000 lines',
    make: ({ random }) => {
      const shuffle = () =>
        numbered(300_000)
          .split('\n')
          .map((line) => [random(), line])
          .sort(([a], [b]) => a - b)
          .map(([, line]) => line)
          .join('\n');
      return { files: { f: shuffle(), g: shuffle() }, request: diff() };
    },
    codes: ['resource_limit'],
  },
  {
    what: 'diff_files with a billion context lines',
    make: () => ({
      files: { f: numbered(400_000), g: `${numbered(400_000)}end\n` },
      request: diff({ context_lines: 1_000_000_000 }),
    }),
    codes: ['resource_limit'],
  },
  {
    what: 'write_file over 40 MB of other lines',
    make: () => ({
      files: { f: numbered(2_500_000) },
      request: { tool: 'write_file', args: { path: 'f', content: numbered(200_000, 'new'), dry_run: true } },
    }),
  },
  {
    what: 'search_files in one line of 48 MB',
    make: () => ({ files: { f: 'a'.repeat(48 * MB) }, request: search('a') }),
  },
  {
    what: 'search_files by a look-around in one line of 30 MB',
    make: () => ({ files: { f: 'a'.repeat(30 * MB) }, request: search('(?<!b)a$') }),
    codes: ['timeout'],
  },
  {
    what: 'search_files for a pattern of 1 MB',
    quick: true,
    make: () => ({ files: { f: 'a' }, request: search('(a|b)*'.repeat(MB / 6)) }),
    codes: ['invalid_regex'],
  },
  {
    what: 'search_replace of a pattern of 1 MB',
    quick: true,
    make: () => ({ files: { f: 'a' }, request: replace('(a|b)*'.repeat(MB / 6), 'x') }),
    codes: ['invalid_regex'],
  },
  {
    what: 'find_files by a glob of 1 MB',
    quick: true,
    make: () => ({ files: { f: 'a' }, request: { tool: 'find_files', args: { pattern: '{a,b}*'.repeat(MB / 6) } } }),
    codes: ['invalid_glob'],
  },
  {
    what: 'checksum_tree with a baseline of 500,000 files',
    make: () => ({
      files: { f: 'a' },
      request: { tool: 'checksum_tree', args: { baseline: Object.fromEntries(hashes(500_000)) } },
    }),
    codes: ['invalid_request'],
  },
  {
    what: 'checksum_tree with a baseline of 500,000 files as a text',
    make: () => ({
      files: { f: 'a' },
      request: { tool: 'checksum_tree', args: { baseline: JSON.stringify(Object.fromEntries(hashes(500_000))) } },
    }),
    codes: ['invalid_args'],
  },
  {
    what: 'a request of 20 million empty lists',
    quick: true,
    make: () => ({ files: {}, request: { tool: 'read_file', args: { path: new Array(20 * MB).fill([]) } } }),
    codes: ['invalid_request'],
  },
  {
    what: 'checksum_tree with a baseline of 100,000 files',
    make: () => ({
      files: { f: 'a' },
      request: { tool: 'checksum_tree', args: { baseline: Object.fromEntries(hashes(100_000)) } },
    }),
  },
  {
    what: 'multi_edit of 500,000 edits',
    make: () => ({ files: { f: 'a' }, request: edits(500_000, () => ({ old_text: 'a', new_text: 'b' })) }),
    codes: ['invalid_request'],
  },
];

export const suite = {
  name: 'hostile',
  title: 'inputs that once took minutes or gigabytes',
  async *run({ jinn, quick, seed }) {
    for (const attack of CASES.filter((one) => !quick || one.quick)) yield await runCase(jinn, attack, seed);
  },
};

/** A case holds if it is answered in time and in memory, and the request after it too. */
async function runCase(jinn, { what, make, codes }, seed) {
  const [cwd, home] = [makeDirectory(), makeDirectory()];
  const { files, request } = make({ random: createRandom(seed) });
  for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(cwd, name), content);
  const session = startSession(jinn, { cwd, home });
  await session.ask({ tool: 'list_dir', args: {} });
  const { faults, outcome } = await tryRequest(session, request, codes);
  session.kill();
  await session.close();
  fs.rmSync(cwd, { recursive: true });
  return {
    what: `${what} (${outcome})`,
    tried: 1,
    held: faults.length === 0 ? 1 : 0,
    failed: faults.length === 0 ? 0 : 1,
    notes: faults,
  };
}
