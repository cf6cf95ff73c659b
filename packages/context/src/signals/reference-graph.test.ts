import { countProcessorTime } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findImports } from './find-imports.ts';
import { findNames } from './find-names.ts';
import { ReferenceGraph } from './reference-graph.ts';

function graphOf(files: Readonly<Record<string, string>>): ReferenceGraph {
  const signals = Object.entries(files).map(([path, text]) => {
    const content = Buffer.from(text);
    return [path, { imports: findImports(path, content), names: findNames(path, content) }] as const;
  });
  return new ReferenceGraph(new Map(signals));
}

test.for([
  ['a.ts', 'export default abstract class Engine {}\nexport const start = 1;\n  const inner = 2;', ['Engine', 'start']],
  ['a.js', 'exports.compile = function () {};\nApp.prototype.listen = function () {};', ['compile', 'listen']],
  ['a.py', 'class Parser:\n    async def parse_all(self): pass', ['Parser', 'parse_all']],
  ['a.go', 'func (c *Command) Execute() error {\n}\ntype Command struct {', ['Execute', 'Command']],
  ['a.rs', 'pub(crate) fn search_path() {}', ['search_path']],
  ['a.c', '#define jv_null() x\nstatic jv *jv_parse(const char *x) {\n  call(x);', ['jv_null', 'jv_parse']],
  ['A.java', '  public static final class Token {', ['Token']],
] as const)('finds what %s declares', ([path, text, expected]) => {
  expect([...findNames(path, Buffer.from(text)).declared].toSorted()).toEqual([...expected].toSorted());
});

test('knows users by imports, and by names that one file declares', () => {
  const graph = graphOf({
    'a.py': 'import c\nimport other',
    'b.py': 'from c import d',
    'c.py': 'import c',
    'src/Lexer.php': 'class Lexer { public function tokenize() {} }',
    'src/Parser.php': 'class Parser { function parse() { new Lexer(); } }',
  });
  expect([...graph.usersOf('c.py')]).toEqual(['a.py', 'b.py']);
  expect([...graph.usersOf('src/Lexer.php')]).toEqual(['src/Parser.php']);
  expect([...graph.usesOf('src/Parser.php')]).toEqual(['src/Lexer.php']);
});

test('takes no name for a reference that many files declare, or that is of another language', () => {
  const graph = graphOf({
    'a.py': 'def parse(): pass\nclass Session: pass',
    'b.py': 'def parse(): pass',
    'c.py': 'def parse(): pass',
    'd.py': 'parse()',
    'e.go': 'Session',
  });
  expect(graph.usersOf('a.py').size).toBe(0);
});

test.for(['ts', 'py'])(
  'takes a name of %s for a reference only where imports lead to what declares it',
  (extension) => {
    const [declares, imports, exportsAll] = {
      ts: ['function report() {}\n', "import { report } from './index';\n", "export * from './a';\n"],
      py: ['def report(): pass\n', 'from index import report\n', 'from a import *\n'],
    }[extension] as [string, string, string];
    const graph = graphOf({
      [`a.${extension}`]: declares,
      [`index.${extension}`]: exportsAll,
      [`user.${extension}`]: `${imports}report()\n`,
      [`other.${extension}`]: 'report()\n',
    });
    expect([...graph.usersOf(`a.${extension}`)].toSorted()).toEqual([`index.${extension}`, `user.${extension}`]);
  },
);

test('takes time that is linear in a text of blanks and brackets', () => {
  const text = `${' '.repeat(200_000)}\n${'class '.repeat(30_000)}\n${'f('.repeat(50_000)}\n${'a '.repeat(50_000)}(`;
  const used = countProcessorTime();
  for (const path of ['a.c', 'a.ts']) findNames(path, Buffer.from(text));
  expect(used()).toBeLessThan(2_000);
});
