import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { getEntry, removeEntry, setEntry } from './edit-config.ts';

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

/** Joins lines with line ends that are mixed, and leaves out the last one or not. */
function joined(lines: fc.Arbitrary<readonly string[]>): fc.Arbitrary<string> {
  return lines
    .chain((all) => {
      const single = all.flatMap((line) => line.split('\n'));
      const ends = fc.array(fc.constantFrom('\n', '\r\n'), { minLength: single.length, maxLength: single.length });
      return fc.tuple(fc.constant(single), ends, fc.boolean());
    })
    .map(([lines, ends, isOpen]) => {
      const text = lines.map((line, i) => line + ends[i]).join('');
      return isOpen ? text.replace(/\r?\n$/, '') : text;
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

test.each(Object.keys(KINDS) as Format[])(
  '%s: an entry that is set, set otherwise and removed leaves the first bytes',
  { timeout: 120_000 },
  (format) => {
    const kind = KINDS[format];
    fc.assert(
      fc.property(bom, FILES[format], (mark, text) => {
        const before = mark + text;
        const once = setEntry(before, kind, ENTRY);
        expect(getEntry(once, kind)).toEqual(ENTRY);
        expect(setEntry(once, kind, ENTRY)).toBe(once);
        expect(removeEntry(once, kind)).toBe(before);
        const twice = setEntry(once, kind, OTHER);
        expect(getEntry(twice, kind)).toEqual(OTHER);
        expect(removeEntry(twice, kind)).toBe(before);
      }),
      { numRuns: RUNS },
    );
  },
);

const ENTRIES: Readonly<Record<Format, readonly string[]>> = {
  toml: [
    '[mcp_servers.jinn]\ncommand = "y"',
    '[mcp_servers.jinn] # mine\n\n# two\nargs = [\n  "[x]",\n]\nurl="u"\n\n[mcp_servers.jinn.http_headers]\nA = "b"',
    '[mcp_servers."jinn"]\n  command = """\n#\n"""\n  env = {A = "1"}',
    '[mcp_servers.jinn.env]\nA = "1"\n[mcp_servers.jinn]\ntimeout = 3',
  ],
  json: [
    '"jinn": {}',
    '"jinn":{"command":"y" /* mine */, "url":"u",}',
    '"jinn": {\r\n    "command": "y", // mine\n"env": {}\n  }',
  ],
  yaml: [
    '  jinn:\n    cmd: y # mine\n    command: z\n    enabled: false',
    '  jinn: {command: y,  timeout: 9}',
    '  "jinn":\n        args: [a,\n          b]',
  ],
};

/** What may stand around an entry: before and behind it. */
const AROUND: Readonly<Record<Format, fc.Arbitrary<readonly [string, string]>>> = {
  toml: fc.tuple(
    joined(fc.tuple(linesOf(TOML_ROWS), tomlTables('')).map((parts) => [...parts.flat(), ''])).filter(
      (text) => text === '' || text.endsWith('\n'),
    ),
    joined(fc.tuple(linesOf(['', '# a comment']), tomlTables('1')).map((parts) => parts.flat())),
  ),
  yaml: fc.tuple(
    joined(
      linesOf(['# a comment', 'k%i:   1', 'k%i: |\n  text']).map((lines) => [
        ...lines,
        'extensions:',
        '  o: {a:   1} # one',
        '  # two',
      ]),
    ).filter((text) => text.endsWith('\n')),
    joined(linesOf(['# after', '', '  # in it', 'z%i:   1'])),
  ),
  json: fc.tuple(
    fc.constantFrom(
      '{"mcpServers":{',
      '{\n  "a": 1, // one\r\n  "mcpServers": {\r\n    "o": {  }, // two\r\n    ',
      '{ "mcpServers": { "o": 1,',
    ),
    fc.constantFrom('}}', '\r\n  } }\n', ', // three\n    "p": [ ]\n  },\n}\n', ', "p": 2 } }'),
  ),
};

test.each(Object.keys(KINDS) as Format[])(
  '%s: what stands around an entry stays byte for byte when it is changed or removed',
  { timeout: 120_000 },
  (format) => {
    const kind = KINDS[format];
    const entry = fc.constantFrom(...ENTRIES[format]).chain((text) => joined(fc.constant([text])));
    fc.assert(
      fc.property(bom, AROUND[format], entry, fc.constantFrom(ENTRY, OTHER), (mark, [start, tail], text, wanted) => {
        const head = mark + start;
        const mine = format === 'json' ? text.trimEnd() : `${text.trimEnd()}\n`;
        const before = head + mine + tail;
        const kept = { ...getEntry(before, kind) };
        const after = setEntry(before, kind, { ...wanted, ...(kept['env'] !== undefined && { env: kept['env'] }) });
        expect([after.slice(0, head.length), after.slice(after.length - tail.length)]).toEqual([head, tail]);
        expect(setEntry(after, kind, getEntry(after, kind) ?? {})).toBe(after);
        for (const source of [before, after]) expectRemoved(removeEntry(source, kind), head, tail, format);
      }),
      { numRuns: RUNS },
    );
  },
);

/** Nothing but the entry is gone: in JSON with a comma, in TOML with the empty line above it. */
function expectRemoved(text: string, head: string, tail: string, format: Format): void {
  expect(getEntry(text, KINDS[format])).toBeUndefined();
  if (format === 'json') {
    const squeeze = (part: string) => part.replace(/[\s,]/g, '');
    expect(squeeze(text)).toBe(squeeze(head + tail));
    return;
  }
  const withoutGap = head.replace(/(^\ufeff?|\n)\r?\n$/, '$1');
  const isOpen = tail === '' || !tail.endsWith('\n');
  const expected = [head + tail, withoutGap + tail];
  expect([...expected, ...(isOpen ? expected.map((one) => one.replace(/\r?\n$/, '')) : [])]).toContain(text);
}
