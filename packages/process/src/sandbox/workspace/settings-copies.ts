import fs from 'node:fs';
import {
  adoptSettings,
  type BytePath,
  isLineByLine,
  toBytePath,
  type UndoneTrap,
  withDirectory,
} from '../git/index.ts';

interface CopiedSettings {
  readonly git: BytePath;
  readonly id: string;
  readonly text: string;
}

/** Copies of settings that one command may write: each in a directory called by its number. */
export interface Copies {
  readonly directory: string;
  readonly settings: readonly CopiedSettings[];
}

/** The directories of copies that wait for the next command. They are removed when the process ends. */
const waiting = new Set<string>();
let isRemovedAtExit = false;

/**
 * Makes copies of git settings. Copies that a command did not change serve the next one, since making and removing them
 * takes longer than starting it. No two commands have the same at once.
 */
export class SettingsCopies {
  readonly #waiting: Copies[] = [];

  /** Returns copies of these settings, in a directory below `parent`. */
  take(parent: string, settings: readonly CopiedSettings[]): Copies {
    const wanted = JSON.stringify(settings);
    for (let copies = this.#waiting.pop(); copies; copies = this.#waiting.pop()) {
      waiting.delete(copies.directory);
      if (JSON.stringify(copies.settings) === wanted && isUnchanged(copies)) return copies;
      remove(copies.directory);
    }
    return make(parent, settings);
  }

  /** Takes copies back when their command has ended and they were adopted. They are checked before they serve again. */
  giveBack(copies: Copies): void {
    if (!isRemovedAtExit) process.once('exit', () => [...waiting].map(remove));
    isRemovedAtExit = true;
    waiting.add(copies.directory);
    this.#waiting.push(copies);
  }
}

/** Reads the settings of a repository; none if they cannot be copied line by line. */
export function readCopyable(git: BytePath): CopiedSettings[] {
  const found = withDirectory(git, (directory) => ({ id: directory.id, text: directory.read('config') }));
  if (found?.text === undefined || !isLineByLine(found.text)) return [];
  return [{ git, id: found.id, text: found.text }];
}

/** Writes the changes of a command in its copies to the repositories, as far as the settings are allowed. */
export function adoptCopies({ directory, settings }: Copies, root: BytePath): UndoneTrap[] {
  return settings.flatMap(({ git, id, text }, i) => {
    const after = withDirectory(toBytePath(`${directory}/${i}`), (copy) => copy.read('config'));
    return after === undefined ? [] : adoptSettings({ git, id, root, before: text, after });
  });
}

function make(parent: string, settings: readonly CopiedSettings[]): Copies {
  const directory = fs.mkdtempSync(`${fs.realpathSync(parent)}/git-`);
  for (const [i, { text }] of settings.entries()) {
    fs.mkdirSync(`${directory}/${i}`);
    fs.writeFileSync(`${directory}/${i}/config`, text, 'latin1');
  }
  return { directory, settings };
}

function isUnchanged({ directory, settings }: Copies): boolean {
  const unchanged = withDirectory(toBytePath(directory), (top) => {
    const isCopy = (text: string, i: number) =>
      withDirectory(
        toBytePath(`${directory}/${i}`),
        (copy) => copy.read('config') === text && copy.list().length === 1,
      );
    return top.list().length === settings.length && settings.every(({ text }, i) => isCopy(text, i) === true);
  });
  return unchanged === true;
}

function remove(directory: string): void {
  fs.rmSync(directory, { recursive: true, force: true });
}
