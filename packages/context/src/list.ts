import { visitInTurns } from '@jinn/workspace/walk';
import { ContentReader, describeReadError } from './document/content-reader.ts';
import type { Candidate } from './targets/candidate.ts';
import { type CollectOptions, collectFiles, type TakenDirectory } from './targets/collect.ts';
import { escapePath } from './targets/escape-path.ts';
import type { TargetPlan } from './targets/targets.ts';

/** The most files that are opened. More would take longer than the walk. */
const FEW = 100;
/** How many files may be opened before other work gets its turn. */
const FILES_PER_TURN = 256;
const EXTENSIONS = [
  'bash bat bzl c cc cfg cjs clj cmake cpp cs css csv cts cxx dart diff elm erl ex exs fish fs go gradle',
  'graphql groovy h hh hpp hrl hs htm html hxx ini ipynb java jl js json json5 jsonc jsonl jsx kt kts less lisp',
  'lock lua m4 mak map md mdx mjs mk ml mli mts nim nix patch php pl pm po pod properties proto ps1 pug py pyi',
  'r rb rs rst sass scala scm scss sh sol sql svelte svg swift tcl tex tf toml ts tsv tsx txt vim vue xml xsd xsl',
  'yaml yml zig zsh',
]
  .join(' ')
  .split(' ');
const KNOWN = new Set(EXTENSIONS);

export interface ListedFile {
  readonly path: string;
  readonly size: number | undefined;
}

export interface ListTaker {
  take(file: ListedFile): void;
  /** Accepts many files of one directory at once: each path is the prefix and a name. All names are printable ASCII. */
  takeAll?: (prefix: string, names: readonly string[]) => void;
}

/** Lists the files of a dump, in its order. Of more than 100 files, it opens only those without an extension of text. */
export async function listFiles(plan: TargetPlan, options: ListOptions, taker: ListTaker): Promise<void> {
  const lister = new Lister(options, taker);
  const takeFiles = (directory: TakenDirectory) => lister.takeFiles(directory);
  await collectFiles(plan, { ...options, takeFiles }, (candidate) => lister.visit(candidate));
  lister.finish();
}

interface ListOptions extends CollectOptions {
  readonly sizes?: boolean;
}

class Lister {
  readonly #options: ListOptions;
  readonly #taker: ListTaker;
  readonly #reader = new ContentReader();
  /** The first files, until it is known whether there are many. */
  #held: Candidate[] = [];
  #areMany = false;

  constructor(options: ListOptions, taker: ListTaker) {
    this.#options = options;
    this.#taker = taker;
  }

  takeFiles({ prefix, names, arePlain, candidateOf }: TakenDirectory): Promise<void> | undefined {
    const { takeAll } = this.#taker;
    const isHolding = !this.#areMany && !this.#options.sizes;
    if (isHolding && this.#held.length + names.length > FEW) this.#release();
    if (!(this.#areMany && takeAll && arePlain && names.every(hasTextName)))
      return visitInTurns(names, this.#options.checkpoint, (name) => this.visit(candidateOf(name)), FILES_PER_TURN);
    takeAll(prefix, names);
    return undefined;
  }

  visit(candidate: Candidate): undefined {
    if (this.#options.sizes) this.#open(candidate, (use) => candidate.read(use));
    else if (this.#areMany) this.#believe(candidate, (use) => candidate.read(use));
    else if (this.#held.push(candidate) > FEW) this.#release();
  }

  /** Opens the files that are still held. It must be called when all files have been visited. */
  finish(): void {
    for (const candidate of this.#held) this.#open(candidate, (use) => candidate.readLater(use));
  }

  #release(): void {
    this.#areMany = true;
    for (const held of this.#held) this.#believe(held, (use) => held.readLater(use));
    this.#held = [];
  }

  #believe(candidate: Candidate, read: Candidate['read']): void {
    if (hasTextName(candidate.path)) this.#taker.take({ path: candidate.path, size: undefined });
    else this.#open(candidate, read);
  }

  #open({ path }: Candidate, read: Candidate['read']): void {
    const { sizes = false, warn, explain } = this.#options;
    try {
      const size = read((file) => (this.#reader.isText(file) ? file.size : undefined));
      if (size === undefined) explain?.({ path, isDirectory: false, included: false, reason: 'binary' });
      else this.#taker.take({ path, size: sizes ? size : undefined });
    } catch (error) {
      warn(`${escapePath(path)}: ${describeReadError(error)}`);
    }
  }
}

function hasTextName(path: string): boolean {
  return KNOWN.has(path.slice(path.lastIndexOf('.') + 1));
}
