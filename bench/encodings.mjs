// Measures how well encodings are detected, and prints the table of docs/encodings.md. It takes real text from the translated manual
// pages of Debian, which `apt-get download` brings, in the encodings that iconv makes: node bench/encodings.mjs
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ROOT } from '../scripts/setup.mjs';
import { ENV, scratch } from './measure.mjs';

const JINN = path.join(ROOT, 'apps/jinn/dist/jinn.cjs');
const SAMPLES = 40;
/** The encodings in which each language is written, by the names of iconv. */
const LANGUAGES = {
  de: ['WINDOWS-1252', 'ISO-8859-1', 'MACINTOSH', 'IBM850', 'IBM437'],
  fr: ['WINDOWS-1252', 'ISO-8859-15', 'MACINTOSH', 'IBM850'],
  es: ['WINDOWS-1252', 'IBM850'],
  pl: ['WINDOWS-1250', 'ISO-8859-2'],
  cs: ['WINDOWS-1250', 'ISO-8859-2'],
  hu: ['WINDOWS-1250', 'ISO-8859-2'],
  ru: ['WINDOWS-1251', 'KOI8-R', 'ISO-8859-5'],
  uk: ['WINDOWS-1251', 'KOI8-U'],
  el: ['WINDOWS-1253', 'ISO-8859-7'],
  tr: ['WINDOWS-1254', 'ISO-8859-9'],
  ja: ['CP932', 'EUC-JP', 'ISO-2022-JP'],
  zh_CN: ['GBK', 'GB18030'],
  zh_TW: ['BIG5'],
  ko: ['UHC'],
};
/** How many lines a sample has. Comments stand among four times as many lines of code. */
const LENGTHS = [
  { name: '1 comment', lines: 1, isCode: true },
  { name: '3 comments', lines: 3, isCode: true },
  { name: '20 comments', lines: 20, isCode: true },
  { name: '100 lines', lines: 100, isCode: false },
];
const CODE = fs.readFileSync(path.join(ROOT, 'packages/process/src/run-program.ts'), 'latin1').split('\n');

const folder = scratch('encodings');
let seed = 1;

const lines = Object.fromEntries(Object.keys(LANGUAGES).map((language) => [language, linesOf(language)]));
const samples = Object.entries(LANGUAGES).flatMap(([language, encodings]) =>
  encodings.flatMap((encoding) => samplesOf(language, encoding)),
);
const answers = detectAll(samples);
const byFile = execFileSync('file', ['--brief', '--mime-encoding', '-f', '-'], {
  cwd: folder,
  input: samples.map(({ name }) => name).join('\n'),
  maxBuffer: 1 << 28,
})
  .toString()
  .trim()
  .split('\n');
print();

/** Returns the lines of a language that are not ASCII. */
function linesOf(language) {
  const [name] = language.split('_');
  const wanted = name === 'ko' ? 'debian-faq-ko' : `manpages-${name}`;
  const at = path.join(folder, `package-${wanted}`);
  if (!fs.existsSync(at)) {
    fs.mkdirSync(at);
    execFileSync('apt-get', ['download', wanted], { cwd: at, stdio: 'ignore' });
    execFileSync('dpkg-deb', ['-x', fs.readdirSync(at)[0], '.'], { cwd: at });
  }
  const part = name === 'ko' ? '.html' : `/man/${language}/`;
  const files = fs.readdirSync(at, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => file.includes(part) && (file.endsWith('.gz') || file.endsWith('.html')))
    .slice(0, 400)
    .map((file) => (file.endsWith('.gz') ? gunzipSync(fs.readFileSync(file)) : fs.readFileSync(file)).toString());
  const plain = texts.join('\n').replace(/<[^>]*>|\\f[A-Z]|^\.[A-Za-z"\\]+ ?/gm, '');
  return plain.split('\n').filter((line) => /[^\0-\x7f]/.test(line) && !line.includes('\ufffd'));
}

function samplesOf(language, encoding) {
  const known = lines[language].filter(isIn(encoding, lines[language]));
  return LENGTHS.flatMap((length) =>
    Array.from({ length: SAMPLES }, (_, i) => {
      const start = random(Math.max(1, known.length - length.lines));
      const text = known
        .slice(start, start + length.lines)
        .map((line) => (length.isCode ? comment(line) : `${line}\n`));
      const name = `${language}-${encoding}-${length.lines}-${i}.txt`;
      fs.writeFileSync(path.join(folder, name), iconv(text.join(''), 'UTF-8', encoding));
      return { name, language, encoding, length: length.name, text: text.join('') };
    }),
  );
}

/** Tells which lines an encoding can hold. */
function isIn(encoding, all) {
  const back = iconv(iconv(all.join('\n'), 'UTF-8', encoding), encoding, 'UTF-8')
    .toString()
    .split('\n');
  return (line, i) => back[i] === line;
}

function iconv(input, from, to) {
  return spawnSync('iconv', ['-c', '-f', from, '-t', to], { input, maxBuffer: 1 << 28 }).stdout;
}

function comment(line) {
  const code = Array.from({ length: 4 }, () => CODE[random(CODE.length)]);
  return `${code.join('\n')}\n  // ${line.trim().slice(0, 70)}\n`;
}

function random(below) {
  seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
  return seed % below;
}

/** Reads all samples with one process of jinn. */
function detectAll(all) {
  const requests = all.map(({ name }) => ({
    tool: 'read_file',
    args: { path: name, line_numbers: false, truncate: 'none' },
  }));
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join('');
  const { stdout } = spawnSync(process.execPath, [JINN], { cwd: folder, env: ENV, input, maxBuffer: 1 << 28 });
  return stdout
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Tells whether the encoding that `file` names reads a sample as its text. */
function isReadByFile({ name, text }, found) {
  const read = spawnSync('iconv', ['-f', found, '-t', 'UTF-8'], { input: fs.readFileSync(path.join(folder, name)) });
  return read.status === 0 && read.stdout.toString() === text;
}

function print() {
  const rows = new Map();
  for (const [i, sample] of samples.entries()) {
    const { meta, result = '' } = answers[i];
    const isRight = result.replace(/\n\[[^\n]*\]$/, '') === sample.text || result === sample.text;
    const row = rows.get(sample.encoding) ?? new Map();
    rows.set(sample.encoding, row);
    const cell = row.get(sample.length) ?? { right: 0, wrong: 0, all: 0, file: 0 };
    row.set(sample.length, cell);
    cell.all++;
    if (isRight) cell.right++;
    else if (meta?.encoding !== undefined) cell.wrong++;
    if (isReadByFile(sample, byFile[i])) cell.file++;
  }
  const names = LENGTHS.map(({ name }) => name);
  console.log(`| Encoding | ${names.join(' | ')} | \`file\`, 100 lines |`);
  console.log(`|---|${names.map(() => '---|').join('')}---|`);
  for (const [encoding, row] of rows) {
    const cells = names.map((name) => {
      const { right, wrong, all } = row.get(name);
      return `${percent(right, all)}${wrong > 0 ? ` (${percent(wrong, all)})` : ''}`;
    });
    const { file, all } = row.get('100 lines');
    console.log(`| ${encoding} | ${cells.join(' | ')} | ${percent(file, all)} |`);
  }
}

function percent(part, all) {
  return `${Math.round((100 * part) / all)} %`;
}
