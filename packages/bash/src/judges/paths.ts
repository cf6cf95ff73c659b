import { valuesOf, wordsIn } from '../arguments.ts';
import type { Call, Context } from '../context.ts';
import {
  HARMLESS_DEVICE,
  PROTECTED_PATHS,
  SECRET_PATHS,
  SENSITIVE_SEGMENT,
  WRITE_OPTIONS,
  WRITES_ANY,
  WRITES_LAST,
} from '../rules/paths.ts';
import { argumentsOf } from '../table.ts';

const ANY = new Set(wordsIn(WRITES_ANY));
const IN_PLACE = new Set(['sed', 'perl', 'ruby', 'yq']);
const LAST = new Set(wordsIn(WRITES_LAST));
const OPTIONS = new Map(Object.entries(WRITE_OPTIONS).map(([name, options]) => [name, wordsIn(options)]));
/** Programs that show their arguments, and do not open them. */
const ONLY_NAMES = new Set(['echo', 'printf', 'git', 'basename', 'dirname', 'test', '[', 'cd', 'alias', 'export']);
const LISTS = new Set(['ls', 'stat', 'file', 'du', 'find', 'tree', 'realpath', 'readlink', 'namei']);

/** Judges the files that a call names: what it writes, and what it reads of secrets. */
export function judgePaths(call: Call, context: Context, directory: string): void {
  for (const path of writtenBy(call)) judgeWritten(path, context, directory);
  if (ONLY_NAMES.has(call.name)) return;
  for (const arg of call.args) {
    if (!/[/.~]/.test(arg) || arg.length > 4_096) continue;
    judgeRead(arg.replace(/^(-[A-Za-z]|--[\w-]+=|[\w.-]+=)?@?/, ''), call, context, directory);
  }
}

/** The files that a program writes, as far as its arguments tell. */
function writtenBy(call: Call): string[] {
  const options = OPTIONS.get(call.name);
  const named = options ? valuesOf(call.args, options) : [];
  if (ANY.has(call.name) || editsInPlace(call)) return [...named, ...argumentsOf(call).operands];
  if (!LAST.has(call.name)) return named;
  const last = argumentsOf(call).operands.at(-1);
  return last === undefined ? named : [...named, last];
}

function editsInPlace({ name, args }: Call): boolean {
  return IN_PLACE.has(name) && args.some((arg) => /^(-[A-Za-z]*i|--in-place)/.test(arg));
}

/** Judges one file that is written. */
export function judgeWritten(written: string, context: Context, directory: string): void {
  for (const path of placesOf(written, directory)) {
    if (HARMLESS_DEVICE.test(path)) return;
    const rule = PROTECTED_PATHS.find((candidate) => candidate.path.test(path));
    if (rule) context.note('dangerous', rule.reason);
  }
}

function judgeRead(read: string, { name }: Call, context: Context, directory: string): void {
  for (const path of placesOf(read, directory)) {
    const rule = SECRET_PATHS.find((candidate) => candidate.path.test(path));
    if (rule) context.note(LISTS.has(name) ? 'caution' : 'dangerous', rule.reason);
    else if (SENSITIVE_SEGMENT.test(path)) context.note('caution', 'touches what may be a secret');
  }
}

/** Judges a file that is read through a redirection. */
export function judgeOpened(path: string, call: Call, context: Context, directory: string): void {
  if (/^\/dev\/(tcp|udp)\//.test(path)) context.note('dangerous', 'opens a connection to another machine');
  judgeRead(path, call, context, directory);
}

/** The path as written, and as seen from where the last `cd` led, both cleaned. */
function placesOf(path: string, directory: string): string[] {
  const clean = cleaned(path);
  const isRelative = !/^[/~$\ue100\ue101]/.test(path);
  return isRelative && directory !== '' ? [clean, cleaned(`${directory}/${path}`)] : [clean];
}

/** Takes `.`, `..` and double slashes out. A path that climbs to a directory of the system is taken to reach it. */
function cleaned(path: string): string {
  if (!/\/[./]|^\.|\/$/.test(path)) return path;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..' && segments.length > 0 && segments.at(-1) !== '..') segments.pop();
    else segments.push(segment);
  }
  const joined = `${path.startsWith('/') ? '/' : ''}${segments.join('/')}${path.endsWith('/') ? '/' : ''}`;
  return joined.replace(/^\/?(\.\.\/)+(?=(etc|dev|boot|proc|sys)\/)/, '/').replace(/^\/(\.\.\/)+/, '/');
}
