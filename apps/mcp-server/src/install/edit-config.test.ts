import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { getEntry, removeEntry, setEntry } from './config-file.ts';

const KINDS = {
  json: { format: 'json', key: 'mcpServers' },
  toml: { format: 'toml', key: 'mcp_servers' },
  yaml: { format: 'yaml', key: 'extensions' },
} as const;
const RUNS = 200 / inject('runsDivisor');
type Format = keyof typeof KINDS;

const ENTRY = { command: '/bin/a "b"', args: ['x.cjs'] };
const OTHER = { command: '/bin/other', args: ['x.cjs', '--read-only'], timeout: 9 };

const bom = fc.constantFrom('', '\ufeff');

/** Joins lines, with one kind of line ends, and leaves out the last one or not. */
function joined(lines: fc.Arbitrary<readonly string[]>): fc.Arbitrary<string> {
  return fc.tuple(lines, fc.constantFrom('\n', '\r\n'), fc.boolean()).map(([all, end, isOpen]) => {
    const text = all.map((line) => `${line}\n`).join('');
    return (isOpen ? text.replace(/\n$/, '') : text).replaceAll('\n', end);
  });
}

/** Lines from templates, in which %i is another number each time. */
function linesOf(
  templates: readonly string[],
  options: fc.ArrayConstraints = { maxLength: 6 },
): fc.Arbitrary<string[]> {
  const picked = fc.array(fc.constantFrom(...templates), options);
  return picked.map((all) => all.map((line, i) => line.replaceAll('%i', String(i))));
}

const TOML_ROWS = [
  '# a comment: [mcp_servers.jinn]',
  '',
  '  ',
  'k%i   =  1 # one',
  'k%i = "é # no"',
  'k%i = [\n  1, # one\n  [2],\n]',
  'k%i = """\n[mcp_servers.jinn]\n  """',
  "k%i = '''\n# no\n\n'''",
  'k%i = { a = 1, b = [ { c = 2 } ] }',
  '"k %i".x.y = 1979-05-27T07:32:00Z',
  '\tk%i = -inf',
];
const TOML_TABLES = [
  '[t%i]',
  '[ mcp_servers . o%i ]',
  '[mcp_servers.p%i.env]',
  '[["a list".%i]]',
  '[mcp_servers."q%i"] # two',
];
/** Each table has rows of its own below it; the numbers stay apart. */
const tomlTables = (from: string) =>
  fc
    .array(fc.tuple(fc.constantFrom(...TOML_TABLES), linesOf(TOML_ROWS, { maxLength: 3 })), { maxLength: 3 })
    .map((tables) => tables.flatMap(([header, rows], i) => [header.replaceAll('%i', `${from}${i}`), ...rows]));

/** What may stand in a file without our entry. */
const FILES: Readonly<Record<Format, fc.Arbitrary<string>>> = {
  toml: joined(
    fc
      .tuple(
        linesOf(TOML_ROWS),
        fc.constantFrom([], ['mcp_servers.r.command = "r"'], ['mcp_servers = { }'], ['mcp_servers = {s = {a = 1}}']),
        tomlTables(''),
      )
      .map(([rows, servers, tables]) => {
        const mayName = servers.length === 0 || !tables.some((line) => line.includes('mcp_servers'));
        return [...rows, ...(mayName ? servers : []), ...tables];
      }),
  ),
  yaml: joined(
    fc
      .tuple(
        linesOf([
          '# a comment',
          '',
          'k%i:   1 # one',
          'k%i: [1,\n  2]',
          'k%i: |\n  jinn:\n    text\n',
          'k%i:\n    a:  "x"\n\n    # two\n    b: {c:   1}',
          "'k %i': ~",
        ]),
        fc.constantFrom(
          [],
          ['extensions:'],
          ['extensions: # none yet'],
          ['extensions: {}'],
          ['extensions: { }  # none'],
          ['extensions: {o: {a: 1}, }'],
          ['extensions: { o: {a: 1} }'],
          ['extensions: {', '  o: {a: 1} # one', '  }'],
          ['extensions:', '   o:', '     cmd:   "x"   # two', '     list: [1,\n       2]'],
          ['extensions:', '  # first', '  o: {cmd: x}', '', '  p:', '    a: 1'],
        ),
        linesOf(['# after', '', 'z%i:   1', 'z%i:\n  - a\n  -   b']),
      )
      .map((parts) => parts.flat()),
  ),
  json: jsonFile(),
};

function jsonFile(): fc.Arbitrary<string> {
  const gap = fc.constantFrom('', '', ' ', '\n', '\r\n  ', '\t', ' // a comment\n', '/* one */');
  const scalar = fc.constantFrom('1', '"x, }"', 'null', '[1,\n 2 ]', '{}', '{ "a":1 }', '[]');
  const object = (names: readonly string[], value: fc.Arbitrary<string>) =>
    fc
      .tuple(
        fc.subarray([...names]),
        fc.array(fc.tuple(gap, gap, gap, gap, value), { minLength: 4, maxLength: 4 }),
        gap,
        fc.boolean(),
      )
      .map(([keys, parts, end, hasComma]) => {
        const members = keys.map((key, i) => {
          const [a, b, c, d, text] = parts[i] as [string, string, string, string, string];
          return `${a}${JSON.stringify(key)}${b}:${c}${text}${d}`;
        });
        return `{${members.join(',')}${hasComma && keys.length > 0 ? ',' : ''}${end}}`;
      });
  const servers = object(['o', 'p', 'a long name'], scalar);
  return fc
    .tuple(
      gap,
      object(['a', 'b', 'mcpServers'], fc.oneof(scalar, servers)),
      fc.constantFrom('', '\n', '\r\n', ' \n// end'),
    )
    .map((parts) => parts.join(''))
    .filter((text) => {
      try {
        getEntry(text, KINDS.json);
        return true;
      } catch {
        return false;
      }
    });
}

/** The comments of a text in their order. */
function commentsOf(text: string, format: Format): string[] {
  if (format === 'json') return [...text.matchAll(/\/\/ .*|\/\* .*? \*\//g)].map(([comment]) => comment.trim());
  // Outside of texts.
  const plain = text.replace(/"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*'/g, '');
  return [...plain.matchAll(/#.*/g)].map(([comment]) => comment.trim());
}

/** The names in a text that start a line or follow a brace, in their order. */
const namesOf = (text: string) =>
  [...text.matchAll(/["']?\b([kpqrstoz]\d*|a long name)\b["']?\s*[:=.\]]/g)].map(([, name]) => name);

const valuesOf = (text: string, kind: (typeof KINDS)[Format]) =>
  // An entry of its own makes any other value an object that can be compared.
  JSON.stringify(getEntry(text, kind)) ?? 'none';

test.each(Object.keys(KINDS) as Format[])(
  '%s: an entry that is set, set otherwise and removed leaves the comments and the order of the file',
  { timeout: 120_000 },
  (format) => {
    const kind = KINDS[format];
    fc.assert(
      fc.property(bom, FILES[format], (mark, text) => {
        const before = mark + text;
        const once = setEntry(before, kind, ENTRY);
        const twice = setEntry(once, kind, OTHER);
        expect([getEntry(once, kind), getEntry(twice, kind)]).toEqual([ENTRY, OTHER]);
        expect(setEntry(once, kind, ENTRY)).toBe(once);
        const removed = removeEntry(twice, kind);
        expect(valuesOf(removed, kind)).toBe('none');
        for (const after of [once, twice, removed]) {
          expect(commentsOf(after, format)).toEqual(commentsOf(before, format));
          expect(namesOf(after)).toEqual(namesOf(before));
        }
      }),
      { numRuns: RUNS },
    );
  },
);
