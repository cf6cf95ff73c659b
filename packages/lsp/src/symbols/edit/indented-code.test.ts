import { expect, test } from 'vitest';
import { openProject } from '../fixture/project.ts';
import { insertCode } from '../insert-code.ts';
import { replaceSymbol } from '../replace-symbol.ts';

/** A file with a member `run` of `K`, and what is in front of a line of it. */
interface Scene {
  readonly path: string;
  readonly indent: string;
  /** The text around the member, which is `run` as text. */
  readonly around: (member: string) => string;
  readonly run: string;
}

const PYTHON: Scene = {
  path: 'a.py',
  indent: '    ',
  around: (member) => `class K:\n${member}\n`,
  run: 'def run(self):\n    return 1',
};
const TABS: Scene = { ...PYTHON, indent: '\t', run: 'def run(self):\n\treturn 1' };
const TYPESCRIPT: Scene = {
  path: 'a.ts',
  indent: '  ',
  around: (member) => `class K {\n${member}\n}\n`,
  run: 'run() {\n  return 1;\n}',
};
const RUBY: Scene = {
  path: 'a.rb',
  indent: '  ',
  around: (member) => `class K\n${member}\nend\n`,
  run: 'def run\n  1\nend',
};
const JAVA: Scene = {
  path: 'K.java',
  indent: '    ',
  around: (member) => `class K {\n${member}\n}\n`,
  run: 'int run() {\n    return 1;\n}',
};
const RUST: Scene = {
  path: 'a.rs',
  indent: '    ',
  around: (member) => `impl K {\n${member}\n}\n`,
  run: 'fn run() {\n    1\n}',
};

const shift = (code: string, indent: string) => code.replace(/^(?=.)/gm, indent);

test.for<[string, Scene, string]>([
  ['a loop', PYTHON, 'def NAME(self):\n    for a in b:\n        print(a)'],
  ['a condition', PYTHON, 'def NAME(self):\n    if True:\n        return 1'],
  ['three levels', PYTHON, 'def NAME(self):\n    with a:\n        if b:\n            c()'],
  ['a decorator', PYTHON, '@dec\ndef NAME(self):\n    try:\n        a()\n    except E:\n        b()'],
  ['a list', PYTHON, 'def NAME(self):\n    return [\n        1,\n    ]'],
  ['parameters', PYTHON, 'def NAME(\n    self,\n    a,\n):\n    while a:\n        a = f(a)'],
  ['a blank line', PYTHON, 'async def NAME(self):\n    a = 1\n\n    async for b in c:\n        yield b'],
  ['tabs', TABS, 'def NAME(self):\n\tfor a in b:\n\t\tprint(a)'],
  ['a block', TYPESCRIPT, 'NAME() {\n  if (a) {\n    b();\n  }\n}'],
  ['a chain', TYPESCRIPT, 'NAME = a\n  .b(() => {\n    c();\n  })\n  .d();'],
  ['a field', TYPESCRIPT, 'NAME = {\n  a: [\n    1,\n  ],\n};'],
  ['a block of Ruby', RUBY, 'def NAME\n  a do |x|\n    x\n  end\nend'],
  ['a statement behind a block', RUBY, 'def NAME\n  if a\n    b\n  end\n  c\nend'],
  ['braces on lines of their own', JAVA, 'void NAME()\n{\n    if (a)\n        b();\n}'],
  ['an annotation', JAVA, '@Override\npublic void NAME() {\n    a();\n}'],
  ['a match', RUST, 'fn NAME() {\n    match a {\n        _ => b(),\n    }\n}'],
])('gives all lines of a body the same indentation: %s', async ([, { path, indent, around, run }, body]) => {
  const before = around(shift(run, indent));
  const extra = body.replace('NAME', 'extra');
  const own = body.replace('NAME', 'run');
  const added = around(`${shift(run, indent)}\n\n${shift(extra, indent)}`);
  const forms = (code: string) => [code, `${code}\n`, shift(code, indent), shift(code, indent).trimStart()];
  for (const code of forms(extra)) {
    const { data, read } = openProject({ [path]: before });
    expect(await data(insertCode, { path, name_path: 'K/run', code })).not.toHaveProperty('syntax_errors');
    // The end of a block of Ruby gets a blank line above it.
    expect(read(path).replace(/\n\nend\n$/, '\nend\n')).toBe(added);
  }
  for (const new_body of forms(own)) {
    const { data, read } = openProject({ [path]: before });
    await data(replaceSymbol, { path, name_path: 'K/run', new_body });
    expect(read(path)).toBe(around(shift(own, indent)));
  }
});

test('moves a body of Python that has lines within a string', async () => {
  const { data, read } = openProject({ 'a.py': PYTHON.around(shift(PYTHON.run, '    ')) });
  const code = 'def extra(self):\n        a = """\n  text\n"""\n        return a';
  await data(insertCode, { path: 'a.py', name_path: 'K/run', code });
  expect(read('a.py')).toContain(`\n    ${code}\n`);
});
