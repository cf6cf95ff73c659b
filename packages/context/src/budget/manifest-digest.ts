import { posix } from 'node:path';
import { isObject } from '@jinn/core/text';

const TELLING =
  'name version description type private workspaces engines main module browser bin types exports imports scripts tasks dependencies peerDependencies optionalDependencies require autoload'.split(
    ' ',
  );
/** A longer value of one field is replaced by its keys. */
const MOST_OF_FIELD = 1_500;
const TELLING_SECTIONS =
  /^\[+(?:project|package|lib|bin|workspace|features|(?:[\w.'"()-]+\.)?(?:dev-)?dependencies|build-system|metadata|options|tool\.poetry|tool\.(?:uv|hatch\.version))(?:\.(?!ruff|mypy|pytest)[\w.'"-]+)?\]+/;
const SECTION = /^\[/;
const NOT_TELLING_OF_POM = ['build', 'reporting', 'profiles', 'developers', 'licenses', 'distributionManagement'];
const TELLING_OF_POM =
  /<(?:groupId|artifactId|version|packaging|module|name|description)>|<\/?(?:dependencies|dependency|modules|parent)>/;

/** Returns the parts of a manifest that describe the package, or undefined for a format that is not known. */
export function digestManifest(path: string, text: string): string | undefined {
  const name = posix.basename(path);
  let digest: string | undefined;
  if (name.endsWith('.json')) digest = digestJson(text);
  else if (name.endsWith('.toml') || name === 'setup.cfg') digest = digestSections(text);
  else if (name === 'pom.xml') digest = digestPom(text);
  if (digest === undefined || digest.length >= text.length) return undefined;
  const lines = text.trimEnd().split('\n').length;
  return `[outline: the main lines of a file of ${lines} lines]\n${digest}`;
}

function digestJson(text: string): string | undefined {
  const data = parseObject(text);
  if (!data) return undefined;
  const kept = Object.fromEntries(
    Object.entries(data).flatMap(([key, value]) => (TELLING.includes(key) ? [[key, shorten(value)]] : [])),
  );
  return JSON.stringify(kept, undefined, 1);
}

function parseObject(text: string): object | undefined {
  try {
    const data: unknown = JSON.parse(text);
    return isObject(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

function shorten(value: unknown): unknown {
  const isLong = typeof value === 'object' && value !== null && JSON.stringify(value).length > MOST_OF_FIELD;
  return isLong ? Object.keys(value) : value;
}

function digestSections(text: string): string {
  let isKept = true;
  const kept = text.split('\n').filter((line) => {
    if (SECTION.test(line)) isKept = TELLING_SECTIONS.test(line);
    return isKept && line.trim() !== '' && !line.trimStart().startsWith('#');
  });
  return kept.join('\n');
}

function digestPom(text: string): string {
  let rest = text;
  for (const element of NOT_TELLING_OF_POM) rest = withoutElement(rest, element);
  return rest
    .split('\n')
    .filter((line) => TELLING_OF_POM.test(line))
    .join('\n');
}

/** Drops all elements of a name with what they hold. It takes linear time, also where an element has no end. */
function withoutElement(text: string, element: string): string {
  const [begin, end] = [`<${element}>`, `</${element}>`];
  const kept: string[] = [];
  let at = 0;
  for (let from = text.indexOf(begin); from >= 0; from = text.indexOf(begin, at)) {
    const to = text.indexOf(end, from);
    if (to < 0) break;
    kept.push(text.slice(at, from));
    at = to + end.length;
  }
  return kept.join('') + text.slice(at);
}
