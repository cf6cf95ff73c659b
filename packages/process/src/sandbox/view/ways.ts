import fs from 'node:fs';
import { posix } from 'node:path';
import { identify, type Mount, toBytePath } from '../git/index.ts';
import { isWithin } from './within.ts';

const MAX_LINKS = 40;

/**
 * Returns mounts that keep commands from renaming the directories and links on the ways to some places, if they can
 * write there: whoever moves a directory above a hidden place has it under another name, and can replace it.
 */
export function pinWays(places: readonly string[], writable: readonly string[]): Mount[] {
  const links = new Map<string, string | undefined>();
  const names = new Set(places.flatMap((place) => [...wayTo(place, links)].slice(0, -1)));
  const movable = [...names].filter((name) => writable.some((place) => isWithin(posix.dirname(name), place)));
  return movable
    .sort((a, b) => a.length - b.length)
    .map(toBytePath)
    .flatMap((path) => {
      const id = identify(path);
      return id === undefined ? [] : [{ kind: 'p', path, id }];
    });
}

/**
 * Lists the names on the way to a place, from the root on: directories, and links with the names that they lead
 * through. `known` keeps the target of each name, since places share most of their ways.
 */
function* wayTo(place: string, known: Map<string, string | undefined>): Generator<string> {
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
    if (target === undefined) at = here;
    else {
      links++;
      if (target.startsWith('/')) at = '';
      todo.unshift(...target.split('/').filter(isName));
    }
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
