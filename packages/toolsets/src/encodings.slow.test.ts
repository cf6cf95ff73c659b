import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readContext } from '@jinn/context/read-context';
import { applyPatch } from '@jinn/fs-tools/apply-patch';
import { diffFiles } from '@jinn/fs-tools/diff-files';
import { editFile } from '@jinn/fs-tools/edit-file';
import { multiEdit } from '@jinn/fs-tools/multi-edit';
import { multiRead } from '@jinn/fs-tools/multi-read';
import { readFile } from '@jinn/fs-tools/read-file';
import { searchReplace } from '@jinn/fs-tools/search-replace';
import { statFile } from '@jinn/fs-tools/stat-file';
import { undo } from '@jinn/fs-tools/undo';
import { writeFile } from '@jinn/fs-tools/write-file';
import { insertCode } from '@jinn/lsp/symbols/insert-code';
import { searchFiles } from '@jinn/search/search-files';
import { call, makeTempDirectory, makeTree } from '@jinn/testkit';
import { describe, expect, test } from 'vitest';

interface Row {
  /** The name that iconv has for the encoding. */
  readonly iconv: string;
  /** The name in the answer, if only one fits the text. */
  readonly name?: string;
  /** A line that shows the language. */
  readonly line: string;
  readonly word: string;
  readonly other: string;
  /** A character that the encoding lacks, or none if it has all. */
  readonly lacks?: string;
}

const RUSSIAN = { line: 'Проверка: все файлы должны быть прочитаны до конца', word: 'значение', other: 'счётчик' };
const UKRAINIAN = {
  line: 'Перевірка: усі файли мають бути прочитані, інакше їх пропущено',
  word: 'число',
  other: 'ґанок',
};
const GERMAN = { line: 'Der Schlüssel für die Übergabe fehlt, größer als erlaubt', word: 'Länge', other: 'Größe' };
const POLISH = { line: 'Błąd podczas otwierania pliku źródłowego, spróbuj później', word: 'wartość', other: 'długość' };
const GREEK = { line: 'Η εντολή αυτή εμφανίζει τα περιεχόμενα του αρχείου', word: 'τιμή', other: 'μήκος' };
const TURKISH = {
  line: 'Dosya okunamadı, lütfen izinleri değiştirin ve şimdi yeniden deneyin',
  word: 'değer',
  other: 'uzunluğu',
};
const JAPANESE = {
  line: 'ファイルを読み込んで、設定を表示する。見つからないときは終了する',
  word: '数値',
  other: '変数',
};
const CHINESE = { line: '读取配置文件，如果文件不存在则返回默认值', word: '数值', other: '变量' };
const WIDE = { line: 'Plain text with naïve words', word: '数値', other: '変数 😀' };

const ROWS: readonly Row[] = [
  { iconv: 'WINDOWS-1252', name: 'windows-1252', ...GERMAN, lacks: '数' },
  { iconv: 'ISO-8859-1', name: 'windows-1252', ...GERMAN, lacks: '数' },
  { iconv: 'MACINTOSH', name: 'macintosh', ...GERMAN, lacks: '数' },
  { iconv: 'IBM850', ...GERMAN, lacks: '数' },
  { iconv: 'IBM437', ...GERMAN, lacks: '数' },
  { iconv: 'WINDOWS-1250', name: 'windows-1250', ...POLISH, lacks: 'я' },
  { iconv: 'ISO-8859-2', name: 'iso-8859-2', ...POLISH, lacks: '€' },
  { iconv: 'WINDOWS-1251', name: 'windows-1251', ...RUSSIAN, lacks: 'é' },
  { iconv: 'KOI8-R', name: 'koi8-r', ...RUSSIAN, lacks: 'é' },
  { iconv: 'ISO-8859-5', name: 'iso-8859-5', ...RUSSIAN, lacks: 'é' },
  { iconv: 'WINDOWS-1251', name: 'windows-1251', ...UKRAINIAN, lacks: 'é' },
  { iconv: 'KOI8-U', name: 'koi8-u', ...UKRAINIAN, lacks: 'é' },
  { iconv: 'WINDOWS-1253', ...GREEK, lacks: 'я' },
  { iconv: 'ISO-8859-7', ...GREEK, lacks: 'я' },
  { iconv: 'WINDOWS-1254', ...TURKISH, lacks: 'я' },
  { iconv: 'CP932', name: 'shift_jis', ...JAPANESE, lacks: 'é' },
  { iconv: 'EUC-JP', name: 'euc-jp', ...JAPANESE, lacks: '😀' },
  { iconv: 'ISO-2022-JP', name: 'iso-2022-jp', ...JAPANESE, lacks: 'é' },
  { iconv: 'GBK', name: 'gb18030', ...CHINESE },
  { iconv: 'GB18030', name: 'gb18030', ...CHINESE },
  {
    iconv: 'BIG5',
    name: 'big5',
    line: '讀取設定檔，如果檔案不存在則傳回預設值',
    word: '數值',
    other: '變數',
    lacks: '😀',
  },
  {
    iconv: 'UHC',
    name: 'euc-kr',
    line: '파일을 읽고 내용을 표시한다. 파일이 없으면 끝낸다',
    word: '값',
    other: '변수',
    lacks: 'é',
  },
  { iconv: 'UTF-16LE', name: 'utf-16le', ...WIDE },
  { iconv: 'UTF-16BE', name: 'utf-16be', ...WIDE },
  { iconv: 'UTF-32LE', name: 'utf-32le', ...WIDE },
  { iconv: 'UTF-32BE', name: 'utf-32be', ...WIDE },
];

function iconv(text: string, to: string): Buffer {
  return execFileSync('iconv', ['-f', 'UTF-8', '-t', to], { input: text });
}

const WITH_MARK = new Set(['UTF-16LE', 'UTF-16BE', 'UTF-32LE', 'UTF-32BE']);

function textOf({ line, word, iconv: to }: Row, ending = '\n'): string {
  const lines = [`// ${line}`, 'int main() {', `  return 1; // x ${word}`, '}', ''];
  return (WITH_MARK.has(to) ? '\ufeff' : '') + lines.join(ending);
}

const JINNI = fileURLToPath(new URL('../../../apps/jinni/dist/jinni.cjs', import.meta.url));

function dump(root: string, ...argv: string[]): string {
  const env = { PATH: process.env['PATH'] };
  return execFileSync(process.execPath, [JINNI, '--no-copy', ...argv], { cwd: root, env, stdio: 'pipe' }).toString();
}

function scene(row: Row, ending?: string) {
  const root = makeTempDirectory();
  makeTree(root, { 'src/a.c': iconv(textOf(row, ending), row.iconv), 'src/plain.c': 'int other;\n' });
  return { root, bytes: () => fs.readFileSync(`${root}/src/a.c`) };
}

describe.each(ROWS)('$iconv: $word', (row) => {
  const { word, other, lacks, name } = row;
  const changed = (ending?: string) => iconv(textOf(row, ending).replace(word, other), row.iconv);
  const column = 16;

  test('is read as text, and its name is told', async () => {
    const { root } = scene(row);
    const { result, meta } = await call(readFile, { path: 'src/a.c', line_numbers: false }, { root });
    expect(result).toBe(textOf(row).replace('\ufeff', ''));
    expect(meta).toMatchObject({ encoding: name ?? expect.any(String) });
    const several = await call(multiRead, { files: [{ path: 'src/a.c' }] }, { root });
    expect(several.result).toContain(word);
    const { result: facts } = await call(statFile, { path: 'src/a.c' }, { root });
    expect(JSON.parse(facts ?? '')).toMatchObject({ encoding: (meta as { encoding: string }).encoding, lines: 4 });
  });

  test('is found by name', async () => {
    const { root } = scene(row);
    for (const pattern of [word, `x ${[...word][0]}.*`, `x .{${[...word].length}}$`]) {
      const { result } = await call(searchFiles, { pattern, path: 'src/a.c', format: 'json' }, { root });
      const [{ line, text, ...hit }] = JSON.parse(result ?? '[]');
      expect({ line, text }).toEqual({ line: 3, text: `  return 1; // x ${word}` });
      expect(hit.column).toBe(pattern === word ? column + 2 : column);
    }
  });

  test.runIf(!row.iconv.startsWith('UTF-32'))('is found in a tree', async () => {
    const { root } = scene(row);
    const { result } = await call(searchFiles, { pattern: word }, { root });
    expect(result).toBe(`src/a.c:3:  return 1; // x ${word}`);
    const own = await call(searchFiles, { pattern: word }, { root, environment: { JINN_RIPGREP: 'off' } });
    expect(own.result).toBe(result);
    expect((await call(searchFiles, { pattern: word, format: 'filenames' }, { root })).result).toBe('src/a.c: 1');
  });

  test.each(['\n', '\r\n'])('is edited in its encoding, with %j at line ends', async (ending) => {
    const { root, bytes } = scene(row, ending);
    const before = bytes();
    const edit = { path: 'src/a.c', old_text: `  return 1; // x ${word}\n}`, new_text: `  return 1; // x ${other}\n}` };
    expect(await call(editFile, edit, { root })).toMatchObject({ ok: true });
    expect(bytes()).toEqual(changed(ending));
    const state = makeTempDirectory();
    makeTree(root, { 'src/a.c': before });
    expect(await call(multiEdit, { edits: [edit] }, { root, state })).toMatchObject({ ok: true });
    expect(bytes()).toEqual(changed(ending));
    expect(await call(undo, { action: 'restore', last: 1 }, { root, state })).toMatchObject({ ok: true });
    expect(bytes()).toEqual(before);
  });

  test('is patched, replaced and written in its encoding', async () => {
    const { root, bytes } = scene(row);
    const before = bytes();
    const hunk = ['@@', ` int main() {`, `-  return 1; // x ${word}`, `+  return 1; // x ${other}`];
    const patch = ['*** Begin Patch', '*** Update File: src/a.c', ...hunk, '*** End Patch'].join('\n');
    expect(await call(applyPatch, { patch }, { root })).toMatchObject({ ok: true });
    expect(bytes()).toEqual(changed());
    makeTree(root, { 'src/a.c': before });
    const replace = { pattern: `x ${word}$`, replacement: `x ${other}`, files: 'src' };
    expect(await call(searchReplace, replace, { root })).toMatchObject({ ok: true });
    expect(bytes()).toEqual(changed());
    const content = textOf(row).replace('\ufeff', '');
    expect(await call(writeFile, { path: 'src/a.c', content }, { root })).toMatchObject({ ok: true });
    expect(bytes()).toEqual(before);
  });

  test('has diffs of its text, which apply_patch applies', async () => {
    const { root, bytes } = scene(row);
    const before = bytes();
    const edit = { path: 'src/a.c', old_text: word, new_text: other };
    const { result = '' } = await call(editFile, { ...edit, dry_run: true }, { root });
    const patch = result.slice(result.indexOf('--- a/'));
    expect(patch).toContain(`+  return 1; // x ${other}`);
    expect(await call(applyPatch, { patch }, { root })).toMatchObject({ ok: true });
    expect(bytes()).toEqual(changed());
    makeTree(root, { 'src/b.c': before });
    const diff = await call(diffFiles, { path_a: 'src/b.c', path_b: 'src/a.c' }, { root });
    expect(diff.result).toContain(`-  return 1; // x ${word}\n+  return 1; // x ${other}\n`);
  });

  test('is in a project that is read as one text, in all of its forms', async () => {
    const { root } = scene(row);
    const text = `\`\`\`path=src/a.c\n${textOf(row).replace('\ufeff', '')}`;
    expect((await call(readContext, {}, { root })).result).toContain(text);
    const few = { max_tokens: 100, focus: 'src/a.c' };
    expect((await call(readContext, { ...few, outline: ['**'] }, { root })).result).not.toContain('\ufffd');
    expect(dump(root, '--list-token')).toContain('src/a.c: ');
    expect(dump(root, '--line-numbers', '--tree')).toContain(`3\t  return 1; // x ${word}\n`);
    const marked = name ?? '\\S+';
    expect(dump(root, '--show-encoding')).toMatch(new RegExp(`\`\`\`path=src/a\\.c encoding=${marked}\n`));
    expect(dump(root, '--show-encoding')).toContain('```path=src/plain.c\n');
    const [first] = JSON.parse(dump(root, '--show-encoding', '--format', 'json')).files;
    expect(first).toMatchObject({ encoding: name ?? expect.any(String), content: expect.stringContaining(word) });
    expect(dump(root, '--show-encoding', '--format', 'xml')).toMatch(/<file path="src\/a\.c" encoding="/);
    expect(dump(root, '--show-encoding', '--format', 'markdown')).toMatch(/^## src\/a\.c \(\S+\)\n/);
  });

  test.runIf(!WITH_MARK.has(row.iconv))('has secrets that a dump omits', () => {
    const { root } = scene(row);
    const secret = `// ${word}\nexport const password = 'Xk29sLq81mZp';\n${textOf(row)}`;
    makeTree(root, { 'src/a.c': iconv(secret, row.iconv) });
    expect(dump(root)).toContain(`// ${word}\n`);
    expect(dump(root)).not.toContain('Xk29');
  });

  test.runIf(!WITH_MARK.has(row.iconv))('has symbols that are changed in it', async () => {
    const { root, bytes } = scene(row);
    const code = `int added; // ${other}`;
    const inserted = { path: 'src/a.c', name_path: 'main', position: 'after', code };
    expect(await call(insertCode, inserted, { root })).toMatchObject({ ok: true });
    const text = execFileSync('iconv', ['-f', row.iconv, '-t', 'UTF-8'], { input: bytes() }).toString();
    expect(text.startsWith(textOf(row).trimEnd())).toBe(true);
    expect(text).toContain(code);
  });

  test.runIf(lacks !== undefined)('refuses a character that it lacks', async () => {
    const { root, bytes } = scene(row);
    const before = bytes();
    const edit = { path: 'src/a.c', old_text: word, new_text: `${other}\n${lacks}` };
    const { error, suggestion } = await call(editFile, edit, { root });
    expect(error).toMatch(new RegExp(`^\\S+ lacks ${lacks} \\(U\\+[0-9A-F]{4,}\\) in line 4$`));
    expect(suggestion).toMatch(/escape, or .*write_file/);
    expect(bytes()).toEqual(before);
  });
});

test('a dump reads files by the rules of the project and of the user, and names those that it cannot decide', () => {
  const root = makeTempDirectory();
  const config = makeTempDirectory();
  makeTree(config, { 'jinn/config.json': '{"encodings": {"u/**": "koi8-r"}}' });
  makeTree(root, {
    '.editorconfig': '[e/*]\ncharset = latin1\n',
    '.gitattributes': 'g/* working-tree-encoding=IBM850\n',
    'e/a': Buffer.from([0xe9, 10]),
    'g/a': Buffer.from([0x82, 10]),
    'u/a': Buffer.from([0xc4, 0xc1, 10]),
    x: Buffer.from([0xe9, 10]),
  });
  const env = { PATH: process.env['PATH'], JINN_CONFIG_DIR: config };
  const argv = [JINNI, '--no-copy', '--show-encoding', 'e', 'g', 'u', 'x'];
  const { stdout, stderr } = spawnSync(process.execPath, argv, { cwd: root, env, encoding: 'utf8' });
  expect(stdout).toContain('path=e/a encoding=windows-1252\né\n');
  expect(stdout).toContain('path=g/a encoding=ibm850\né\n');
  expect(stdout).toContain('path=u/a encoding=koi8-r\nда\n');
  expect(stdout).toContain('path=x encoding=unknown\n\ufffd\n');
  expect(stderr).toContain('x: the encoding is unknown, so "\ufffd" replaces all that is not UTF-8');
});

test('another encoding can be asked for, and holds for the session', async () => {
  const root = makeTempDirectory();
  makeTree(root, { f: iconv('да\n', 'KOI8-R') });
  const { createSession } = await import('@jinn/core');
  const session = createSession();
  const read = await call(readFile, { path: 'f', encoding: 'KOI8-R' }, { root, session });
  expect(read).toMatchObject({ result: '1\tда', meta: { encoding: 'koi8-r' } });
  expect(await call(editFile, { path: 'f', old_text: 'да', new_text: 'нет' }, { root, session })).toMatchObject({
    ok: true,
  });
  expect(fs.readFileSync(`${root}/f`)).toEqual(iconv('нет\n', 'KOI8-R'));
  expect((await call(searchFiles, { pattern: 'нет', path: 'f' }, { root, session })).result).toBe('f:1:нет');
  expect((await call(readContext, {}, { root, session })).result).toContain('path=f\nнет\n');
  expect(await call(readFile, { path: 'f', encoding: 'klingon' }, { root })).toMatchObject({
    error_code: 'invalid_args',
    error: 'unknown encoding: klingon',
  });
  const args = { path: 'new', content: 'дом\n', encoding: 'koi8-r' };
  expect(await call(writeFile, args, { root })).toMatchObject({ ok: true });
  expect(fs.readFileSync(`${root}/new`)).toEqual(iconv('дом\n', 'KOI8-R'));
  expect(await call(writeFile, { ...args, path: 'f', encoding: 'utf-8' }, { root })).toMatchObject({
    ok: true,
    meta: { warnings: ['f was koi8-r, now UTF-8'] },
  });
  expect(fs.readFileSync(`${root}/f`, 'utf8')).toBe('дом\n');
});
