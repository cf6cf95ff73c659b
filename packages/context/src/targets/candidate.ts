import { posix } from 'node:path';
import type { OpenDirectory, OpenFile, Workspace } from '@jinn/workspace';
import { openPlainly } from '@jinn/workspace/walk';
import { type DumpTarget, type Reopener, useAndClose } from './targets.ts';

/** A regular file that belongs into the document, if it is text. */
export interface Candidate {
  /** Relative to the output root, or absolute when it is elsewhere. */
  readonly path: string;
  /** Opens the file. Works only while the file is visited. Throws the error of the system, or a ToolError. */
  read<T>(use: (file: OpenFile) => T): T;
  /** Does the same into a buffer, and returns the number of bytes. Undefined for a file that needs `read`. */
  readInto(target: Buffer): number | undefined;
  readLater<T>(use: (file: OpenFile) => T): T;
  /** Where the file is: its workspace, and the path below its root. */
  readonly place: { readonly workspace: Workspace; readonly path: string };
  /** Where a rule would exclude the file. Undefined for a file that was named, which no rule excludes. */
  readonly ruled: RulePlace | undefined;
}

export interface RulePlace {
  /** The file for the rule, in the form that is shown. */
  readonly file: string;
  readonly path: string;
}

export interface WalkedTree {
  readonly workspace: Workspace;
  readonly reopener: Reopener;
  /** True for an agent's targets: only regular files are opened. */
  readonly isGuarded: boolean;
  readonly ruleRoot: string;
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
    return useAndClose(
      isGuarded ? this.#directory.openFile(this.#name) : this.#directory.openListedFile(this.#name),
      use,
    );
  }

  readInto(target: Buffer): number | undefined {
    return this.#tree.isGuarded ? undefined : this.#directory.readListedFile(this.#name, target);
  }

  readLater<T>(use: (file: OpenFile) => T): T {
    const { workspace, reopener } = this.#tree;
    return reopener.read({ workspace, directory: this.#directory.path, name: this.#name }, use);
  }

  get place() {
    return { workspace: this.#tree.workspace, path: posix.join(this.#directory.path, this.#name) };
  }

  get ruled(): RulePlace {
    const { ruleFile, ruleRoot } = this.#tree;
    return { file: ruleFile, path: this.place.path.slice(ruleRoot.length) };
  }
}

/** A file that is a target itself. `opensNamed` opens it whatever it is, without the guard. */
export class NamedFile implements Candidate {
  readonly path: string;
  readonly ruled = undefined;
  readonly #target: DumpTarget;
  readonly #opensNamed: boolean;

  constructor(target: DumpTarget, path: string, opensNamed: boolean) {
    this.path = path;
    this.#target = target;
    this.#opensNamed = opensNamed;
  }

  get place(): DumpTarget {
    return this.#target;
  }

  read<T>(use: (file: OpenFile) => T): T {
    const { workspace, path } = this.#target;
    if (!this.#opensNamed) return workspace.withFile(`./${path}`, use);
    return useAndClose(openPlainly(posix.join(workspace.root, path), path), use);
  }

  readInto(): undefined {
    return undefined;
  }

  readLater<T>(use: (file: OpenFile) => T): T {
    return this.read(use);
  }
}
