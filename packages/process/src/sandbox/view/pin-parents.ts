import fs from 'node:fs';
import { posix } from 'node:path';
import { identityAt, type Mount, toBytePath } from '../git/index.ts';
import { isWithin } from './within.ts';

const MAX_LINKS = 40;

/**
 * Returns mounts that keep commands from renaming the directories and links above some places. A command that moves a
 * directory above a hidden place has the place under another name, and can replace it.
 */
export function pinParents(places: readonly string[], writable: readonly string[]): Mount[] {
  const links = new Map<string, string | undefined>();
  const names = new Set(places.flatMap((place) => [...ancestorsOf(place, links)].slice(0, -1)));
  const movable = [...names].filter((name) => writable.some((place) => isWithin(posix.dirname(name), place)));
  return movable
    .sort((a, b) => a.length - b.length)
    .map(toBytePath)
    .flatMap((path) => {
      const id = identityAt(path);
      return id === undefined ? [] : [{ kind: 'p', path, id }];
    });
}

/**
 * Lists the directories and links above a place, from the root on, and the place. `known` keeps the targets of links.
 */
function* ancestorsOf(place: string, known: Map<string, string | undefined>): Generator<string> {
  const todo = place.split('/').filter(isName);
  let at = '';
  for (let links = 0; todo.length > 0 && links < MAX_LINKS; ) {
    const name = todo.shift() as string;
    if (name === '..') {
      at = posix.dirname(at);
      continue;
    }
    const here = `${at === '/' ? '' : at}/${name}`;
    yield here;
    if (!known.has(here)) known.set(here, readLink(here));
    const target = known.get(here);
    if (target === undefined) {
      at = here;
      continue;
    }
    links++;
    if (target.startsWith('/')) at = '';
    todo.unshift(...target.split('/').filter(isName));
  }
}

function isName(name: string): boolean {
  return name !== '' && name !== '.';
}

function readLink(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch {
    return undefined; // It is not a link, or is missing.
  }
}
