import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory, makeTree } from '@jinn/testkit';
import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { Spool } from './document/spool.ts';
import { type DumpOptions, dump } from './dump.ts';
import { planNamedTargets } from './targets/targets.ts';
import { estimate, loadExactCounter } from './tokens/tokens.ts';

const exact = await loadExactCounter();

type Tree = Parameters<typeof makeTree>[1];

interface Options extends Partial<DumpOptions> {
  paths?: string[];
  /** Files that changed last, below the directory. */
  changed?: string[];
}

async function dumpTree(files: Tree, { paths = ['.'], changed = [], ...options }: Options = {}) {
  const cwd = makeTempDirectory();
  const recent = async () => new Map(changed.map((name) => [path.join(cwd, name), { share: 1, age: 0 }]));
  makeTree(cwd, files);
  const plan = planNamedTargets({ paths, root: undefined, cwd });
  const spool = new Spool();
  const warnings: string[] = [];
  const base = { sizeLimitMb: 100, counter: estimate, opensNamed: true, checkpoint: async () => {}, recent };
  try {
    await dump(plan, { ...base, warn: (sentence) => void warnings.push(sentence), ...options }, spool);
  } finally {
    plan.close();
  }
  const bytes = Buffer.concat(spool.chunks());
  return { text: bytes.toString(), bytes, warnings, cwd };
}

describe('the document', () => {
  test('has a header, the content as it is, and two empty lines between files', async () => {
    const { text } = await dumpTree({ 'src/app.py': "print('app')\n", 'b.txt': 'no newline', e: '' });
    expect(text).toBe(
      "```path=b.txt\nno newline\n```\n\n\n```path=e\n\n```\n\n\n```path=src/app.py\nprint('app')\n\n```\n",
    );
  });

  test('is empty without files', async () => {
    expect((await dumpTree({})).text).toBe('');
  });

  test.for([
    ['```js\n1\n```\n', '````'],
    ['a\n  `````x', '``````'],
    ['`` a ```b```', '```'],
    [`${'x'.repeat(1 << 20)}\n\t\`\`\`\`\n`, '`````'],
    ['a\r````\rb', '`````'],
  ] as const)('has a fence longer than those in the content: %#', async ([content, fence]) => {
    const { text } = await dumpTree({ a: content });
    expect(text).toBe(`${fence}path=a\n${content}\n${fence}\n`);
  });

  test('keeps every byte of UTF-8: line ends, a byte order mark, control characters', async () => {
    const content = '\ufeffa\r\nb\rc\u0001\u2028é\u{1f600}\x1b[31m\n\n';
    expect((await dumpTree({ a: content })).text).toBe(`\`\`\`path=a\n${content}\n\`\`\`\n`);
  });

  test.for<[string, Buffer, string]>([
    ['UTF-16LE with a mark', Buffer.from('\ufeffhé\n', 'utf16le'), 'hé\n'],
    ['UTF-16BE with a mark', Buffer.from('\ufeffhé\n', 'utf16le').swap16(), 'hé\n'],
    ['CP1252 with apostrophes', Buffer.from('don\x92t do it', 'latin1'), 'don’t do it'],
    ['KOI8-R', Buffer.from('# \xfa\xc1\xc7\xd2\xd5\xda\xcb\xc1\n', 'latin1'), '# Загрузка\n'],
    ['UTF-16LE without a mark', Buffer.from('int main;\n', 'utf16le'), 'int main;\n'],
    ['Latin-1', Buffer.from('caf\xe9 \xa7\n', 'latin1'), 'café §\n'],
    ['CP1252', Buffer.from('He said \x93that\x94 \x96 it\x92s 5 \x80', 'latin1'), 'He said “that” – it’s 5 €'],
  ])('is UTF-8, whatever the file: %s', async ([, content, expected]) => {
    expect((await dumpTree({ a: content })).text).toBe(`\`\`\`path=a\n${expected}\n\`\`\`\n`);
  });

  test.for([{}, { maxTokens: 1_000 }, { isOutlined: () => true }, { format: 'json' as const, cutsBase64: true }])(
    'names a file of an unknown encoding, and shows only its UTF-8: %j',
    async (options) => {
      const tree = {
        'a.py': Buffer.from('def run():\n  return 1\n\xe9\n', 'latin1'),
        'b.py': 'x = 1\n',
      };
      const { text, warnings } = await dumpTree(tree, options);
      expect(text).toContain('def run()');
      expect(text).not.toMatch(/[\x80-\xff]/);
      expect(warnings).toEqual(['a.py: the encoding is unknown, so "\ufffd" replaces all that is not UTF-8']);
    },
  );

  test.for<[string, Buffer | string, boolean]>([
    ['a NUL', 'a\0b', false],
    ['UTF-16 without a mark', Buffer.from('hello', 'utf16le'), false],
    ['a mark of UTF-16 before NULs', Buffer.from([0xff, 0xfe, 0, 0, 1, 0]), false],
    ['a PDF', '%PDF-1.4\nall text', false],
    [
      'compressed bytes without a NUL',
      Buffer.from(Array.from({ length: 4000 }, (_, i) => ((i * 7919) % 255) + 1)),
      false,
    ],
    ['colours of a terminal', '\x1b[31mred\x1b[0m\b', true],
    ['a script of another alphabet', 'имя: значение\n'.repeat(600), true],
    ['a character across the end of what is looked at', `${'a'.repeat(8191)}é${'b'.repeat(100)}`, true],
    ['nothing', '', true],
  ])('has only text, decided on the bytes: %s', async ([, content, isText]) => {
    const { text, warnings } = await dumpTree({ 'a.txt': content, 'b.png': content });
    expect(text.match(/path=/g)?.length ?? 0).toBe(isText ? 2 : 0);
    expect(warnings).toEqual([]);
  });

  test('shows a name with line breaks on one line', async () => {
    expect((await dumpTree({ 'a\n```\nb': 'x' })).text).toBe('```path=a\\n```\\nb\nx\n```\n');
  });

  test('holds files of any size, and more than is held in memory', async () => {
    const line = 'the quick brown fox é jumps\n';
    const big = line.repeat(100_000);
    const { bytes } = await dumpTree(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${i + 10}.txt`, big])));
    const frame = 12 * (Buffer.byteLength('```path=10.txt\n\n```\n') + 2) - 2;
    expect(bytes.length).toBe(12 * Buffer.byteLength(big) + frame);
    expect(bytes.toString().split(line).length).toBe(12 * 100_000 + 1);
  });

  test('decodes a large file of another encoding in chunks', async () => {
    const lines = 'déjà vu, élève de Noël\n'.repeat(60_000);
    const { text } = await dumpTree({ a: Buffer.from(lines, 'latin1') });
    expect(text === `\`\`\`path=a\n${lines}\n\`\`\`\n`).toBe(true);
    const signs = 'é\u{1f600}\n'.repeat(300_000);
    const wide = await dumpTree({ a: Buffer.from(`\ufeff${signs}`, 'utf16le') });
    expect(wide.text === `\`\`\`path=a\n${signs}\n\`\`\`\n`).toBe(true);
  });
});

describe('the limit', () => {
  const half = '0123456789abcde\n'.repeat(40_000);

  test('ends a run before anything is written, and names the largest files', async () => {
    const files = { 'a.txt': half, 'd/[b].txt': half, small: 'x' };
    const run = dumpTree(files, { sizeLimitMb: 1 });
    await expect(run).rejects.toMatchObject({
      code: 'resource_limit',
      message: expect.stringMatching(
        /^Total content size exceeds limit of 1MB.*\n\nThe largest files:\n - a\.txt \(0\.61 MB\)\n - d\/\[b\]\.txt \(0\.61 MB\)\n - small \(0\.00 MB\)$/s,
      ),
      suggestion: expect.stringContaining('\n  !/a.txt\nOr raise the limit: --size-limit-mb'),
    });
  });

  test.for<[string[], string, string]>([
    [['src'], '.contextfiles', '  !/src/big ['],
    [['.'], '.contextfiles', '  !/src/big ['],
  ])('names a rule that leaves a file out of %j when it is followed', async ([paths]) => {
    const cwd = makeTempDirectory();
    makeTree(cwd, { 'src/big [*] ': half, 'src/other': half, 'src/new\nline': half });
    const run = () => {
      const plan = planNamedTargets({ paths, root: undefined, cwd });
      const options = {
        sizeLimitMb: 1,
        counter: estimate,
        opensNamed: true,
        checkpoint: async () => {},
        warn: () => {},
      };
      return dump(plan, options, new Spool()).finally(() => plan.close());
    };
    const { suggestion } = (await run().catch((error) => error)) as { suggestion: string };
    const [, file = '', lines = ''] =
      /^To stay below the limit, put these lines into (.*):\n((?: {2}.*\n)+)/.exec(suggestion) ?? [];
    expect(path.resolve(cwd, file)).toBe(`${cwd}/.contextfiles`);
    fs.writeFileSync(path.join(cwd, '.contextfiles'), lines.replaceAll(/^ {2}/gm, ''));
    await run();
  });

  test('tells a user who named a large file not to name it', async () => {
    await expect(dumpTree({ a: half, b: half }, { sizeLimitMb: 1, paths: ['a', 'b'] })).rejects.toMatchObject({
      suggestion: expect.stringMatching(/^To stay below the limit, do not name these files:\n {2}a\n/),
    });
  });

  test('writes nothing when it ends a run', async () => {
    const cwd = makeTempDirectory();
    makeTree(cwd, { a: half, b: half });
    const plan = planNamedTargets({ paths: ['.'], root: undefined, cwd });
    const spool = new Spool();
    const options = { sizeLimitMb: 1, counter: estimate, checkpoint: async () => {}, warn: () => {} };
    await expect(dump(plan, options, spool)).rejects.toThrow('limit of 1MB');
    plan.close();
    expect(spool.size).toBe(0);
  });

  test('names ten files, the largest first, of all that there are', async () => {
    const sizes: [string, string][] = Array.from({ length: 15 }, (_, i) => [
      `f${String(i).padStart(2, '0')}`,
      half.slice(0, 100_000 + ((i * 7) % 15) * 16),
    ]);
    await expect(dumpTree(Object.fromEntries(sizes), { sizeLimitMb: 1 })).rejects.toSatisfy((error: Error) => {
      const named = [...error.message.matchAll(/ - (f\d+) /g)].map(([, name = '']) => Number(name.slice(1)));
      return named.length === 10 && named.every((n, i) => i === 0 || (n * 7) % 15 < ((named[i - 1] ?? 0) * 7) % 15);
    });
  });

  test('applies to named files too, and not at the limit itself or to binary files', async () => {
    const mb = 'x'.repeat(1024 * 1024);
    await expect(dumpTree({ a: `${mb}y` }, { sizeLimitMb: 1, paths: ['a'] })).rejects.toThrow('limit of 1MB');
    expect((await dumpTree({ a: mb, b: `\0${mb}` }, { sizeLimitMb: 1 })).text).toContain('path=a');
  });
});

describe('faults', () => {
  test('a file that may not be read is a warning', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may read everything');
    const { text, warnings } = await dumpTree({ a: { content: 'x', mode: 0o000 }, b: 'y' });
    expect(text).toBe('```path=b\ny\n```\n');
    expect(warnings).toEqual(['a: permission denied, skipped']);
  });

  test.for([
    [true, 'c: became a symbolic link, skipped'],
    [false, 'c: not a regular file, skipped'],
  ] as const)(
    'a file that vanishes, or becomes a link, is a warning, and the run goes on: %s',
    async ([opensNamed, said]) => {
      const cwd = makeTempDirectory();
      makeTree(cwd, { a: 'a', b: 'b', c: 'c', 'd/e': 'e' });
      const plan = planNamedTargets({ paths: ['.'], root: undefined, cwd });
      const spool = new Spool();
      const warnings: string[] = [];
      const onFile = () => {
        fs.rmSync(path.join(cwd, 'b'), { force: true });
        fs.rmSync(path.join(cwd, 'c'), { force: true });
        fs.symlinkSync('a', path.join(cwd, 'c'));
      };
      let calls = 0;
      const options = {
        sizeLimitMb: 1,
        counter: estimate,
        opensNamed,
        checkpoint: async () => {},
        onFile: () => calls++ || onFile(),
      };
      await dump(plan, { ...options, warn: (sentence) => void warnings.push(sentence) }, spool);
      plan.close();
      expect(Buffer.concat(spool.chunks()).toString()).toBe('```path=a\na\n```\n\n\n```path=d/e\ne\n```\n');
      expect(warnings).toEqual(['b: vanished, skipped', said]);
    },
  );

  test('a file that the run writes is never taken in, even if it is named', async () => {
    const cwd = makeTempDirectory();
    makeTree(cwd, { 'out.md': 'old', a: 'a' });
    const plan = planNamedTargets({ paths: ['.', 'out.md'], root: undefined, cwd });
    const spool = new Spool();
    const options = { sizeLimitMb: 1, counter: estimate, checkpoint: async () => {}, warn: () => {} };
    await dump(plan, { ...options, ownOutputs: [path.join(cwd, 'out.md')] }, spool);
    plan.close();
    expect(Buffer.concat(spool.chunks()).toString()).toBe('```path=a\na\n```\n');
  });
});

describe('other forms', () => {
  const files = { 'a.py': 'x = "<&>" # ]]>\n', 'd/b.md': '```\n', c: 'no end' };

  test('json is one document that parses', async () => {
    const { text } = await dumpTree(files, { format: 'json', tree: true });
    expect(JSON.parse(text)).toEqual({
      tree: '├── a.py\n├── c\n└── d/\n    └── b.md',
      files: [
        { path: 'a.py', content: files['a.py'] },
        { path: 'c', content: files.c },
        { path: 'd/b.md', content: files['d/b.md'] },
      ],
    });
    expect(JSON.parse((await dumpTree({}, { format: 'json' })).text)).toEqual({ files: [] });
  });

  test('xml has content in CDATA, whatever it holds', async () => {
    const { text } = await dumpTree({ 'a"<': ']]>]]]]>\u0001' }, { format: 'xml' });
    expect(text).toBe(
      '<documents>\n<file path="a&quot;&lt;"><![CDATA[]]]]><![CDATA[>]]]]]]><![CDATA[>]]><char code="1"/><![CDATA[]]></file>\n</documents>\n',
    );
  });

  test('markdown has a heading and a fence with the language', async () => {
    const { text } = await dumpTree(files, { format: 'markdown' });
    expect(text).toBe(
      '## a.py\n\n```python\nx = "<&>" # ]]>\n```\n\n## c\n\n```\nno end\n```\n<!-- no newline at the end -->\n\n## d/b.md\n\n````markdown\n```\n````\n',
    );
  });

  /** Reads an element as a parser of XML does: it makes newlines of carriage returns, then decodes references. */
  function readXml(text: string): string {
    const [, element = ''] = /<file path="a">(.*)<\/file>/s.exec(text) ?? [];
    const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
    return element
      .replace(/\r\n?/g, '\n')
      .replace(/<!\[CDATA\[(.*?)\]\]>|<char code="(\w+)"\/>|&(#13|\w+);/gs, (_, data, code, name) => {
        if (data !== undefined) return data;
        if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
        return name === '#13' ? '\r' : (names[name] ?? '');
      });
  }

  function readMarkdown(text: string): string {
    const [, , content = '', end] = /^## a\n\n(`{3,})\n(.*)\1\n(<!-- no newline at the end -->\n)?$/s.exec(text) ?? [];
    return end === undefined ? content : content.slice(0, -1);
  }

  test.for([
    'a\r\nb\r\n',
    'a\rb',
    'no end',
    '',
    '\n',
    '\x1b[31mred\x1b[0m\x01\r\n]]>',
    '<a href="x">&amp;</a>\r',
    '```\r\n````\n',
  ])('lose nothing of a text: %j', async (content) => {
    expect(readXml((await dumpTree({ a: content }, { format: 'xml' })).text)).toBe(content);
    expect(readMarkdown((await dumpTree({ a: content }, { format: 'markdown' })).text)).toBe(content);
  });

  test('lose nothing of any text', async () => {
    const piece = fc.constantFrom('\r', '\n', '\r\n', ']]>', '&', '<', '```', '\x1b', '\ufffe', 'é', 'word', ' ');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        const content = pieces.join('');
        expect(readXml((await dumpTree({ a: content }, { format: 'xml' })).text)).toBe(content);
        expect(readMarkdown((await dumpTree({ a: content }, { format: 'markdown' })).text)).toBe(content);
      }),
      { numRuns: 60 / inject('runsDivisor') },
    );
  });

  test('lines may be numbered', async () => {
    expect((await dumpTree({ a: 'x\n\ny' }, { lineNumbers: true })).text).toBe('```path=a\n1\tx\n2\t\n3\ty\n```\n');
  });

  test('a summary and a tree may stand at the head', async () => {
    const { text } = await dumpTree({ a: 'x\n', 'd/e/f': 'some more words\n' }, { summary: true, tree: true });
    expect(text).toMatch(
      /^```summary\nfiles: 2\nbytes: 18\ntokens: \d+\nlargest:\n {2}d\/e\/f: \d+ tokens\n {2}a: \d+ tokens\n```\n\n\n```tree\n/,
    );
    expect(text).toContain('├── a\n└── d/\n    └── e/\n        └── f\n```\n\n\n```path=a\n');
  });
});

describe('a budget', () => {
  const source = (n: number) =>
    `import 'x';\n\nexport function f${n}(a: string) {\n${'  call(a, b, c);\n'.repeat(80)}}\n`;
  const files = {
    'a.ts': source(1) + source(2),
    'b.ts': source(3),
    'c.txt': 'short\n',
    'd.csv': '1,2,3\n'.repeat(900),
  };

  test('leaves a document that fits as it is', async () => {
    expect((await dumpTree(files, { maxTokens: 100_000 })).text).toBe((await dumpTree(files)).text);
  });

  test('gives outlines of what does not fit whole, and names the rest', async () => {
    const { text } = await dumpTree(files, { maxTokens: 1_600 });
    expect(text).toMatch(/^```tree\na\.ts b\.ts c\.txt d\.csv\n```\n/);
    expect(text).toContain('Fitted to 1600 tokens: 2 files whole, 1 cut, 1 left out.\nLeft out:\n  d.csv: ');
    expect(text).toMatch(/path=a\.ts\n[\s\S]*\[the first \d+ of \d+ bytes/);
    expect(text).toContain('```path=c.txt\nshort\n');
  });

  test.for([100, 130, 200, 400, 800, 2_000, 3_000, 5_000])('fits %i tokens, in every form', async (maxTokens) => {
    for (const format of ['fences', 'xml', 'markdown', 'json'] as const) {
      const { bytes } = await dumpTree(files, { maxTokens, format, lineNumbers: format === 'fences' });
      expect(exact.count(bytes)).toBeLessThanOrEqual(maxTokens);
    }
  });

  test.for(['fences', 'xml', 'markdown', 'json'] as const)(
    'gives the room of a short list to files: %s',
    async (format) => {
      // A flat directory has one line in the list.
      const flat = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`f${i}.ts`, `step(${i});\n`.repeat(40)]));
      const maxTokens = 20_000;
      const { bytes } = await dumpTree(flat, { maxTokens, format });
      expect(exact.count(bytes)).toBeLessThanOrEqual(maxTokens);
      expect(exact.count(bytes)).toBeGreaterThan((format === 'markdown' ? 0.94 : 0.97) * maxTokens);
    },
  );

  test.for([100, 200, 1_000, 3_000])('fits %i tokens with a head that is larger', async (maxTokens) => {
    const text = 'a line of a diff\n'.repeat(5_000).trimEnd();
    const sections = async () => [{ title: 'diff', language: 'diff', text }];
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`d${i % 20}/file${i}.ts`, `const a = ${i}\n`]),
    );
    for (const format of ['fences', 'xml', 'markdown', 'json'] as const) {
      const { bytes } = await dumpTree(many, { maxTokens, format, tree: true, summary: true, sections });
      expect(exact.count(bytes)).toBeLessThanOrEqual(maxTokens);
      expect(bytes.toString()).toMatch(/Cut: \w+, \d+ of \d+ lines|Fitted to \d+ tokens/);
    }
  });

  test('leaves a head that fits with all files as it is', async () => {
    const { text } = await dumpTree(
      { a: 'x\n' },
      { maxTokens: 100, sections: async () => [{ title: 'd', text: 'y '.repeat(30) }] },
    );
    expect(text).toContain('y '.repeat(30).trimEnd());
    expect(text).not.toContain('cut');
  });

  test('accounts for every file, in a list of at most 5 %', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 600 }, (_, i) => [
        `d${i % 7}/e${i % 31}/${'n'.repeat(20)}${i}.txt`,
        `${'word '.repeat(100 + i)}\n`,
      ]),
    );
    for (const maxTokens of [100, 300, 1_000, 5_000, 20_000]) {
      const { text } = await dumpTree(many, { maxTokens });
      const [, list = ''] = /^```left-out\n(.*?)\n```/ms.exec(text) ?? [];
      const [, whole, cut, left] = /: (\d+) files? whole(?:, (\d+) cut)?, (\d+) left out\./.exec(list) ?? [];
      expect(Number(whole) + Number(cut ?? 0) + Number(left)).toBe(600);
      expect(exact.count(Buffer.from(list))).toBeLessThanOrEqual(Math.max(45, maxTokens / 20));
      const listed = [...list.matchAll(/^ {2}.*?: (?:(\d+) files, )?\d+ tokens$/gm)];
      const counted = listed.reduce((sum, [, count]) => sum + Number(count ?? 1), 0);
      expect([0, Number(left)]).toContain(counted);
      if (maxTokens >= 1_000) expect(counted).toBe(Number(left));
    }
  });

  describe('of a project', () => {
    const body = (name: string, lines: number) =>
      `export class ${name} {\n${Array.from({ length: lines }, (_, i) => `  step${i}(input: string): string {\n    return this.next(input, ${i});\n  }\n`).join('')}}\n`;
    const importing = ['../core/engine.js', '../core/errors.js'].map((from) => `import x from '${from}';\n`).join('');
    const project: Record<string, string> = {
      'README.md': `# Widgets\n\n${'What it is for. '.repeat(60)}\n`,
      'package.json': `{"name":"widgets","scripts":{${Array.from({ length: 30 }, (_, i) => `"s${i}":"x"`).join()}}}`,
      'CHANGELOG.md': '## 1.0.0\n- a change\n'.repeat(400),
      'src/main.ts': `import { run } from './core/engine.js';\nrun(process.argv);\n${body('Main', 20)}`,
      'src/core/engine.ts': body('Engine', 40),
      'src/core/errors.ts': body('Errors', 15),
      'icon.svg': `<svg>${'<path d="M0 0"/>'.repeat(300)}</svg>`,
      'i18n/de.json': `{${Array.from({ length: 400 }, (_, i) => `"k${i}":"Wort"`).join()}}`,
    };
    for (let i = 0; i < 60; i++) {
      project[`src/parts/part${i}.ts`] = importing + body(`Part${i}`, 12 + (i % 30));
      project[`tests/part${i}.test.ts`] = `import '../src/parts/part${i}.js';\n${body('T', 20)}`;
      project[`tests/fixtures/case${i}.json`] = `{"a":[${'1,'.repeat(300)}1]}`;
    }

    test.for([4_000, 10_000, 20_000])('puts what matters into %i tokens', async (maxTokens) => {
      const { text, bytes } = await dumpTree(project, { maxTokens });
      expect(exact.count(bytes)).toBeLessThanOrEqual(maxTokens);
      for (const path of ['README.md', 'package.json', 'src/main.ts', 'src/core/errors.ts']) {
        expect(text).toContain(`\`\`\`path=${path}\n${project[path]}`);
      }
      expect(text).toContain('```path=src/core/engine.ts\n');
      for (const path of ['icon.svg', 'i18n/', 'CHANGELOG.md', 'tests/fixtures/']) {
        expect(text).not.toContain(`path=${path}`);
      }
      // Tests come only when all of the source is there.
      const parts = text.match(/path=src\/parts\//g)?.length;
      if (parts !== 60) expect(text).not.toContain('path=tests/');
      const contents = [...text.matchAll(/^```path=.*?\n(.*?)\n```$/gms)].map(([, content]) => content);
      const content = exact.count(Buffer.from(contents.join('\n')));
      expect(content).toBeGreaterThanOrEqual(maxTokens * 0.8);
    });

    test('prefers what changed lately', async () => {
      const changed = await dumpTree(project, { maxTokens: 6_000, changed: ['src/parts/part41.ts'] });
      expect(changed.text).toContain(`\`\`\`path=src/parts/part41.ts\n${project['src/parts/part41.ts']}`);
      const { text } = await dumpTree(project, { maxTokens: 6_000 });
      expect(text).not.toContain(project['src/parts/part41.ts']);
    });

    test('cuts a README that is larger than the budget, and says so', async () => {
      const { text } = await dumpTree(
        { ...project, 'README.md': 'A long line of the readme.\n'.repeat(5_000) },
        { maxTokens: 5_000 },
      );
      expect(text).toMatch(/path=README\.md\n(?:A long line of the readme\.\n){50,}\[the first \d+ of 135000 bytes\]/);
    });
  });

  test('gives as much as fits of a file that does not, beside all others', async () => {
    // As in express: nine files, one of which is a third of all.
    const part = (i: number, lines: number) =>
      `${source(i)}${`exports.call${i} = function (req, res) {};\n`.repeat(lines)}`;
    const library = {
      'package.json': '{"name":"express"}\n',
      ...Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`lib/part${i}.js`, part(i, 90)])),
      'lib/response.js': Array.from({ length: 60 }, (_, i) => source(i).replaceAll('(a, b, c)', '(a)'))
        .join('')
        .slice(0, 24_000),
    };
    const whole = exact.count((await dumpTree(library)).bytes);
    for (const share of [0.85, 0.9, 0.95, 0.98]) {
      const maxTokens = Math.floor(whole * share);
      const { bytes, text } = await dumpTree(library, { maxTokens });
      expect(exact.count(bytes)).toBeLessThanOrEqual(maxTokens);
      expect(exact.count(bytes)).toBeGreaterThan(maxTokens * 0.9);
      expect(text).toMatch(/\[the first \d+ of 24000 bytes, outline of the rest:\]\n {2}\d+: export function/);
    }
  });

  test('puts the other forms of a module behind all modules', async () => {
    const forms = ['.cjs', '.d.cts', '.d.ts', '.js'];
    const names = Array.from({ length: 120 }, (_, i) => forms.map((form) => `m${i}${form}`)).flat();
    const { text } = await dumpTree(Object.fromEntries(names.map((name, i) => [name, source(i)])), {
      maxTokens: 11_200,
    });
    const shown = [...text.matchAll(/^```path=(.*)$/gm)].map(([, name = '']) => name);
    expect(shown.length).toBeGreaterThan(15);
    expect(shown.filter((name) => !/^m\d+\.js$/.test(name))).toEqual([]);
  });

  test('warns only of secrets in what is written', async () => {
    const key = 'key = "AKIAABCDEFGHIJKLMNOP"\n';
    const tree = {
      'a.ts': `${'go();\n'.repeat(400)}`,
      'b.ts': `${key}${'go();\n'.repeat(900)}`,
      'tests/c.ts': `${'go();\n'.repeat(900)}${key}`,
    };
    const few = await dumpTree(tree, { maxTokens: 1_700, secrets: 'warn' });
    expect(few.text).toContain('path=tests/c.ts');
    expect(few.warnings).toEqual(['b.ts: line 1 looks like an AWS access key']);
    expect((await dumpTree(tree, { secrets: 'warn', maxTokens: 100_000 })).warnings).toHaveLength(2);
    await expect(dumpTree(tree, { secrets: 'fail', maxTokens: 100_000 })).rejects.toThrow('2 files hold');
    const inBody = { 'a.ts': `export function a() {\n  ${key}}\n` };
    expect((await dumpTree(inBody, { secrets: 'fail', isOutlined: () => true })).text).toContain('[outline: 1 symbol');
    await expect(dumpTree(inBody, { secrets: 'fail' })).rejects.toThrow('a file holds');
  });

  test.each(['ltrimmed', 'where is ltrimmed defined'])(
    'shows a file that declares what is asked, also if it is too large and has no outline: %s',
    async (focus) => {
      const others = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`src/m${i}.ts`, source(i)]));
      const tree = {
        ...others,
        'src/builtin.jq': `${'def other: 1;\n'.repeat(60)}def ltrimmed($x): $x;\n${'def more: 2;\n'.repeat(900)}`,
      };
      const { text } = await dumpTree(tree, { maxTokens: 2_500, focus });
      expect(text).toContain('def ltrimmed($x): $x;');
      expect(text).toMatch(/\d+ as outlines/);
    },
  );

  test('keeps the members that match a focus in a short outline', async () => {
    const method = (name: string) => `  ${name}() {\n${'    this.go(1, 2, 3);\n'.repeat(40)}  }\n`;
    const names = Array.from({ length: 60 }, (_, i) => `handleOther${i}`);
    const client = `export class Client {\n${[...names, '_followRedirect', 'redirectUrlOf'].map(method).join('')}}\n`;
    const classes = Array.from({ length: 40 }, (_, i) => `export class Wide${i} {\n${method('run')}}\n`).join('');
    const files = { 'src/client.ts': client + classes, 'src/other.ts': classes };
    const { text } = await dumpTree(files, { maxTokens: 900, focus: 'where are redirects followed' });
    expect(text).toMatch(/export class Client\n.* {3}_followRedirect\(\)\n.* {3}redirectUrlOf\(\)/);
    const { text: unfocused } = await dumpTree(files, { maxTokens: 900 });
    expect(unfocused).not.toContain('redirectUrlOf');
  });

  test('gives outlines of the files that are asked for, whatever the budget', async () => {
    const { text } = await dumpTree(files, { isOutlined: (path) => path === 'a.ts' });
    expect(text).toContain('path=a.ts\n[outline: 2 symbols of');
    expect(text).toContain(`path=b.ts\n${files['b.ts']}`);
  });
});

test('warns of secrets by file and line before anything is written', async () => {
  const lines = [
    'fine',
    'key = AKIAABCDEFGHIJKLMNOP',
    `-----BEGIN RSA PRIVATE KEY-----\\n${'Ab1x'.repeat(16)}`,
    'postgres://me:hunter22@db.example.com/x',
    "api_key: 'a1b2c3d4e5f6a7b8c9d0e1f2'",
    'token = "short"',
    `ghp_${'a1'.repeat(18)} and sk-ant-${'x'.repeat(24)}`,
    'aws_secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKE1"',
    'export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKE1',
    `client_secret: "${'abcdef01'.repeat(4)}"`,
    'PASSWORD=Tr0ub4dor&3xyz',
    "db_password: 'S3cr3tPassw0rd!'",
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${'a-b_'.repeat(8)}`,
    'password = "$' + '{DB_PASSWORD1}"; token = readToken(2); const secret = process.env.SECRET_1;',
    'token_count = 12345678; tokens: "abc12345"',
    'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKE1',
    '  DB_PASSWORD: hunter2hunter2',
    'passwd=Passw0rd!x',
    'secret: Uint8Array',
    'password: string',
    'token = await tokens.next(3)',
    `Authorization: Bearer ${'x1-'.repeat(8)}`,
    `hf_${'aB'.repeat(17)} ghu_${'a1'.repeat(18)} sk-${'a'.repeat(20)}T3BlbkFJ${'b'.repeat(20)}`,
  ];
  const written: number[] = [];
  const { warnings } = await dumpTree(
    { 'c.py': `${lines.join('\n')}\n` },
    { secrets: 'warn', onFile: (n) => void written.push(n) },
  );
  expect(warnings).toEqual([
    'c.py: line 2 looks like an AWS access key',
    'c.py: line 3 looks like a private key',
    'c.py: line 4 looks like a password in a URL',
    'c.py: line 5 looks like a secret that is assigned',
    'c.py: line 7 looks like a GitHub token',
    ...[8, 9, 10, 11, 12].map((line) => `c.py: line ${line} looks like a secret that is assigned`),
    'c.py: line 13 looks like a signed token',
    ...[16, 17, 18].map((line) => `c.py: line ${line} looks like a secret that is assigned`),
    'c.py: line 22 looks like a token',
    'c.py: line 23 looks like a GitHub token',
  ]);
  const long = `${'x '.repeat(2000)}AKIAABCDEFGHIJKLMNOP ${'AKIA '.repeat(2000)}AKIAABCDEFGHIJKLMNOQ\nghp_${'a1'.repeat(18)}`;
  expect((await dumpTree({ long }, { secrets: 'warn' })).warnings).toEqual([
    'long: line 1 looks like an AWS access key',
    'long: line 2 looks like a GitHub token',
  ]);
  const big = `${'fill\n'.repeat(300_000)}AKIAABCDEFGHIJKLMNOP\n`;
  expect((await dumpTree({ big }, { secrets: 'warn' })).warnings).toEqual([
    'big: line 300001 looks like an AWS access key',
  ]);
});

test('looks for secrets in time that grows with the text, whatever it holds', { tags: 'slow' }, async () => {
  const hostile = [
    '://'.repeat(1_000_000),
    `${'a'.repeat(500)}://`.repeat(2_000),
    'token '.repeat(150_000),
    '"token":"x",'.repeat(80_000),
    'token_'.repeat(150_000),
    'http://a:'.repeat(100_000),
    'a.'.repeat(500_000),
    'eyJaaaaaaaaaaa-'.repeat(60_000),
    'secret =\n'.repeat(100_000),
  ];
  for (const a of hostile) expect((await dumpTree({ a }, { secrets: 'warn' })).warnings).toEqual([]);
});

test.each([{}, { debug: true }])('reads no more files than it may', async ({ debug }: { debug?: boolean }) => {
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`d${i % 2}/${i}.txt`, 'x']));
  const explain = debug ? () => {} : undefined;
  expect((await dumpTree(files, { maxFiles: 200, explain })).text).toContain('path=d1/199.txt');
  await expect(dumpTree(files, { maxFiles: 199, explain })).rejects.toMatchObject({
    code: 'resource_limit',
    message: 'there are more than 199 files to read',
  });
});

test('can be stopped among the files of one directory', async () => {
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${i}.txt`, 'x']));
  let checks = 0;
  const seen: number[] = [];
  const checkpoint = async () => void checks++;
  await dumpTree(files, { checkpoint, onFile: () => void seen.push(checks) });
  expect(new Set(seen).size).toBeGreaterThan(2);
});
