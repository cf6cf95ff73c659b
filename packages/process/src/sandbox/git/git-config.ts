import { isAllowed, type SettingsPlace } from './allowed-settings.ts';

/** One line of a git config file that sets something, in its section. */
export interface Setting {
  /** The section as it is written, and the line without the space around it: both together identify a setting. */
  readonly identity: string;
  /** `section.key`, for people. */
  readonly name: string;
  /** False for a setting that a command may not make, change or remove, and for a line that is not understood. */
  readonly isHarmless: boolean;
}

const SECTION = /^\[([A-Za-z0-9-]+)(?:[ \t]+"((?:[^"\\]|\\["\\])*)")?\]$/;
const SETTING = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*(.*))?$/;
const COMMENT = /^[#;]/;

/**
 * Reads the settings of a git config file. The grammar is far narrower than git's: a line that goes on in the next one,
 * or that could mean two things, counts as a harmful setting.
 */
export function readSettings(text: string, where: SettingsPlace): Setting[] {
  return readLines(text, where).flatMap(({ setting }) => setting ?? []);
}

function readLines(text: string, where: SettingsPlace): { raw: string; setting: Setting | undefined }[] {
  let header = '';
  let section: RegExpExecArray | null = null;
  return text.split('\n').map((raw) => {
    const line = raw.replace(/^[ \t]+|[ \t]+$/g, '');
    if (line === '' || (COMMENT.test(line) && !line.includes('\r'))) return { raw, setting: undefined };
    const found = SECTION.exec(line);
    if (!found) return { raw, setting: toSetting(header, section, line, where) };
    [section, header] = [found, line];
    return { raw, setting: undefined };
  });
}

function toSetting(header: string, section: RegExpExecArray | null, line: string, where: SettingsPlace): Setting {
  const identity = `${header}\n${line}`;
  const setting = SETTING.exec(line);
  if (!section || !setting) return { identity, name: line.slice(0, 60), isHarmless: false };
  const [sectionName = '', subsection] = [section[1]?.toLowerCase(), section[2]];
  const key = setting[1]?.toLowerCase() ?? '';
  const parts = { section: sectionName, key, name: subsection, value: setting[2] ?? 'true' };
  const name = `${sectionName}${subsection === undefined ? '' : `.${subsection}`}.${key}`;
  return { identity, name, isHarmless: isAllowed(parts, where) };
}

/** Reports whether the lines of a file can be compared one by one, because none continues on the next. */
export function isLineByLine(text: string): boolean {
  return !/\\\r?$/m.test(text) && !text.includes('\r') && !text.includes('\0');
}

/** Returns the harmful settings that only one of the two texts has. */
export function harmfulChanges(
  before: string,
  after: string,
  where: SettingsPlace,
): { added: Setting[]; removed: Setting[] } {
  const [old, now] = [readSettings(before, where), readSettings(after, where)];
  const isHarmful = ({ isHarmless }: Setting) => !isHarmless;
  return { added: missingFrom(old, now).filter(isHarmful), removed: missingFrom(now, old).filter(isHarmful) };
}

function missingFrom(first: readonly Setting[], second: readonly Setting[]): Setting[] {
  const counts = new Map<string, number>();
  for (const { identity } of first) counts.set(identity, (counts.get(identity) ?? 0) + 1);
  return second.filter(({ identity }) => {
    const left = counts.get(identity) ?? 0;
    counts.set(identity, left - 1);
    return left <= 0;
  });
}

/** Returns the text without the harmful settings, except for those whose identity is known. */
export function withoutHarmful(text: string, where: SettingsPlace, known: ReadonlySet<string> = new Set()): string {
  const kept = readLines(text, where).filter(({ setting }) => {
    return !setting || setting.isHarmless || known.has(setting.identity);
  });
  return kept.map(({ raw }) => raw).join('\n');
}
