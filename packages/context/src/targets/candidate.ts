import { posix } from 'node:path';
import type { OpenDirectory, OpenFile, Workspace } from '@jinn/workspace';
import { openPlainly } from '@jinn/workspace/walk';
import type { Reopener } from './reopener.ts';
import type { Target } from './targets.ts';

/** A regular file that belongs into the document, if it is text. */
export interface Candidate {
  /** Relative to the output root, or absolute when it lies elsewhere. */
  readonly path: string;
  /** Opens the file. Works only while the file is visited. Throws the error of the system, or a ToolError. */
  read<T>(use: (file: OpenFile) => T): T;
  /**
   * Fills a buffer from the beginning of the file, and returns the number of bytes; undefined for a file that must be
   * opened with `read`. Works only while the file is visited.
   */
  readInto(target: Buffer): number | undefined;
  /** Opens the file at any time. */
  readLater<T>(use: (file: OpenFile) => T): T;
  /**
   * The place of a rule that would leave the file out; undefined for a file that was named, which no rule leaves out.
   */
  readonly ruled: RulePlace | undefined;
}

/** The place for a rule about a file, and the path by which the rule names it. */
export interface RulePlace {
  /** The file for the rule, in the form that is shown. */
  readonly file: string;
  /** The path of the file to leave out, from the directory of that rule file. */
  readonly path: string;
}

/** The facts that the files of one walk share. */
export interface WalkedTree {
  readonly workspace: Workspace;
  readonly reopener: Reopener;
  /** True for an agent's targets: only regular files are opened. */
  readonly isGuarded: boolean;
  /** The directory where rules begin, below the workspace root: '' or with a slash at its end. */
  readonly ruleRoot: string;
  /** The file for new rules, in the form that is shown. */
  readonly ruleFile: string;
}

/** A file that a walk came upon, in a directory that is open while the file is visited. */
export class WalkedFile implements Candidate {
  readonly path: string;
  readonly #name: string;
  readonly #directory: OpenDirectory;
  readonly #tree: WalkedTree;

  constructor(tree: WalkedTree, directory: OpenDirectory, name: string, path: string) {
    this.path = path;
    this.#tree = tree;
    this.#directory = directory;
    this.#name = name;
  }

  read<T>(use: (file: OpenFile) => T): T {
    const { isGuarded } = this.#tree;
    return using(isGuarded ? this.#directory.openFile(this.#name) : this.#directory.openListedFile(this.#name), use);
  }

  readInto(target: Buffer): number | undefined {
    return this.#tree.isGuarded ? undefined : this.#directory.readListedFile(this.#name, target);
  }

  readLater<T>(use: (file: OpenFile) => T): T {
    const { workspace, reopener } = this.#tree;
    return reopener.read({ workspace, directory: this.#directory.path, name: this.#name }, use);
  }

  get ruled(): RulePlace {
    const { ruleFile, ruleRoot } = this.#tree;
    return { file: ruleFile, path: posix.join(this.#directory.path, this.#name).slice(ruleRoot.length) };
  }
}

/** A file that is a target itself. `opensNamed` opens it whatever it is, without the guard. */
export class NamedFile implements Candidate {
  readonly path: string;
  readonly ruled = undefined;
  readonly #target: Target;
  readonly #opensNamed: boolean;

  constructor(target: Target, path: string, opensNamed: boolean) {
    this.path = path;
    this.#target = target;
    this.#opensNamed = opensNamed;
  }

  read<T>(use: (file: OpenFile) => T): T {
    const { workspace, path } = this.#target;
    if (!this.#opensNamed) return workspace.withFile(`./${path}`, use);
    return using(openPlainly(posix.join(workspace.root, path), path), use);
  }

  readInto(): undefined {
    return undefined;
  }

  readLater<T>(use: (file: OpenFile) => T): T {
    return this.read(use);
  }
}

function using<T>(file: OpenFile, use: (file: OpenFile) => T): T {
  try {
    return use(file);
  } finally {
    file.close();
  }
}
