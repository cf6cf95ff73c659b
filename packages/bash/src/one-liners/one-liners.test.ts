import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJavaScript } from './javascript.ts';
import { readPython } from './python.ts';
import { readScript } from './scripts.ts';

const READERS = {
  python: readPython,
  javascript: readJavaScript,
  perl: (code: string) => readScript('perl', code),
  ruby: (code: string) => readScript('ruby', code),
  php: (code: string) => readScript('php', code),
  lua: (code: string) => readScript('lua', code),
};

const TOKENS = [
  ...'()[]{}<>|&;!#$`"\'\\ \n\t=*?~,.:-+@%^/0aZé',
  ...['import os', 'from os ', 'open(', 'f"{', '"""', '__class__', 'lambda:', 'os.', '.replace('],
  ...['require(', 'process', 'constructor', '`${', '=>', '?.', 'const {', 'of [', '/"/', '//', 'fs.'],
  ...['system', 's/a/b/e', '@{[', '%x(', '#{', '$f(', 'os[', '[[', '?>', '<<<', 'print ', 'puts ', 'echo '],
];

test.each(Object.entries(READERS))(
  'the reader of %s never throws, and calls no code harmless that names a way out',
  (_, read) => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...TOKENS), { maxLength: 40 }), (tokens) => {
        const code = tokens.join('');
        expect(['safe', 'caution', undefined]).toContain(read(code)?.risk);
      }),
      { numRuns: 1_000 },
    );
  },
);

test.each(Object.entries(READERS))('the reader of %s answers the longest code in time', (_, read) => {
  for (const token of TOKENS) {
    const start = performance.now();
    read(token.repeat(4_000 / token.length));
    expect(performance.now() - start).toBeLessThan(2_000);
  }
});

describe('a name that leads to other code is refused wherever it stands', () => {
  const around = [(name: string) => name, (name: string) => `x = ${name}`, (name: string) => `print(${name})`];
  test.each(['eval', 'exec', '__import__', 'getattr', 'globals', 'open'])('Python: %s', (name) => {
    for (const code of around) expect(readPython(code(name))).toBeUndefined();
  });
  test.each(['eval', 'Function', 'process', 'require', 'globalThis', 'child_process', 'vm', 'this'])(
    'JavaScript: %s',
    (name) => {
      for (const code of around) expect(readJavaScript(code(name))).toBeUndefined();
      expect(readJavaScript(`const ${name} = 1; ${name}`)).toBeUndefined();
    },
  );
  test.each(['system', 'exec', 'eval', 'open', 'fork', 'require', 'load'])('Perl, Ruby, PHP and Lua: %s', (name) => {
    for (const language of ['perl', 'ruby', 'php', 'lua']) expect(readScript(language, `${name}("x")`)).toBeUndefined();
  });
});

test('tells the files that code reads', () => {
  expect(readPython("print(open('a/b').read())")).toEqual({ risk: 'safe', reads: ['a/b'] });
  expect(readJavaScript("fs.readFileSync('/a/b', 'utf8')")).toEqual({ risk: 'safe', reads: ['/a/b'] });
  expect(readPython('import numpy; print(numpy.__version__)')?.risk).toBe('caution');
});
