import { posix } from 'node:path';
import type { OpenDirectory, OpenFile } from '@jinn/core';
import { openNamed, type WalkEntry, type WalkOptions, walk } from '@jinn/walk';
import { LAYERS, parseContextRules } from './context-rule.ts';
import { defaultRules } from './default-rules.ts';
import { type Exclusions, type FlagRules, ruleOfKept, rulesOfFlags } from './exclusions.ts';
import { RuleTable } from './rule-table.ts';
import { showPath } from './show-path.ts';
import { below, type Target, type TargetPlan } from './targets.ts';
import { type Explanation, TreeJudge } from './tree-judge.ts';

const MAX_RULE_FILE = 1024 * 1024;

/** A regular file that belongs into the document, if it is text. */
export interface Candidate {
  /** Relative to the output root, or absolute when it lies elsewhere. */
  readonly path: string;
  /** Opens the file; only while it is being visited. Throws what the system says, or a ToolError. */
  read<T>(use: (file: OpenFile) => T): T;
  /**
   * Fills a buffer with the beginning of the file, while it is being visited; gives the number of bytes. Undefined for a
   * file that was named.
   */
  readonly readInto?: ((target: Buffer) => number) | undefined;
  /** Opens the file at any time. */
  readLater<T>(use: (file: OpenFile) => T): T;
  /** How a rule would leave it out; undefined for a file that was named, which no rule leaves out. */
  readonly ruled?: Ruled | undefined;
}

/** A place for a rule: a path below the directory of a rule file. */
export interface Ruled {
  /** The `.contextfiles` of the directory where rules begin, as it is shown. */
  readonly file: string;
  readonly path: string;
}

/** A directory whose files are taken all at once. */
export interface TakenDirectory {
  /** What goes before a name to make its path. */
  readonly prefix: string;
  candidateOf(name: string): Candidate;
}

/** The lines of an overrides file, or inline rules. */
export interface Overrides {
  readonly file: string;
  readonly content: Uint8Array;
}

export interface CollectOptions extends Exclusions {
  readonly overrides?: Overrides | undefined;
  /** Absolute paths that are left out whatever the rules say: what this run writes. */
  readonly ownOutputs?: readonly string[] | undefined;
  /** Absolute paths; when given, nothing else is taken in. */
  readonly only?: ReadonlySet<string> | undefined;
  /**
   * True for a program that does this and ends, with targets that its user named: those are opened whatever they are,
   * when an agent's are guarded.
   */
  readonly opensNamed?: boolean | undefined;
  readonly checkpoint: () => Promise<void>;
  /** Takes a sentence on what was left out, or on a rule that does not hold. */
  readonly warn: (sentence: string) => void;
  /**
   * Takes files of one directory all at once where it can be, instead of the visit. Their names stand between slashes
   * (`/a/b/`); `candidateOf` makes of a name what would be visited.
   */
  readonly takeFiles?: ((directory: TakenDirectory, names: string) => void) | undefined;
  /** Takes what was decided on each file and directory. */
  readonly explain?: ((explanation: Explanation) => void) | undefined;
}

/** Visits the files that the targets and the rules name: targets in their order, no file twice. */
export async function collect(
  plan: TargetPlan,
  options: CollectOptions,
  visit: (candidate: Candidate) => void,
): Promise<void> {
  const seen = plan.targets.length > 1 ? new Set<string>() : undefined;
  const warned = new Set<string>();
  const warn = (sentence: string) => {
    if (!warned.has(sentence)) options.warn(sentence);
    warned.add(sentence);
  };
  for (const sentence of plan.warnings) warn(sentence);
  for (const target of plan.targets) {
    const take = (path: string, candidate: Candidate) => {
      if (!seen && !options.only) {
        visit(candidate);
        return;
      }
      const real = posix.join(target.workspace.root, path);
      if (seen?.has(real) || options.only?.has(real) === false) return;
      seen?.add(real);
      visit(candidate);
    };
    const run = new TargetRun(plan, target, { ...options, warn }, take);
    if (target.kind === 'file') run.takeFile();
    else await run.walk();
  }
}

/** Takes in one target. */
class TargetRun {
  readonly #plan: TargetPlan;
  readonly #target: Target;
  readonly #options: CollectOptions;
  readonly #take: (path: string, candidate: Candidate) => void;
  /** Below the workspace root. */
  readonly #ownOutputs: ReadonlySet<string>;
  /** True for an agent's targets: what is no regular file is not even opened. */
  readonly isGuarded: boolean;
  readonly #shown: (path: string) => string;

  constructor(
    plan: TargetPlan,
    target: Target,
    options: CollectOptions,
    take: (path: string, candidate: Candidate) => void,
  ) {
    this.#plan = plan;
    this.#target = target;
    this.#options = options;
    this.isGuarded = !options.opensNamed;
    this.#take = take;
    const { root } = target.workspace;
    this.#ownOutputs = new Set(
      options.ownOutputs?.map((path) => below(root, path)).filter((path) => path !== undefined),
    );
    this.#shown = shownFrom(plan.outputRoot, target.workspace.root);
  }

  takeFile(): void {
    const { workspace, path } = this.#target;
    if (this.#isOwnOutput(path)) {
      this.#options.warn(`${showPath(this.#shown(path))}: is written by this run, left out`);
      return;
    }
    const { opensNamed, explain } = this.#options;
    const real = posix.join(workspace.root, path);
    const read = <T>(use: (file: OpenFile) => T): T =>
      opensNamed ? using(openNamed(real, path), use) : workspace.withFile(`./${path}`, use);
    explain?.({ path: this.#shown(path), isDirectory: false, included: true, reason: 'named as a target' });
    this.#take(path, { path: this.#shown(path), read, readLater: read });
  }

  async walk(): Promise<void> {
    const { workspace, path, ruleRoot } = this.#target;
    const { checkpoint, explain, only } = this.#options;
    const explainShown = explain && ((e: Explanation) => explain({ ...e, path: this.#shown(e.path) }));
    const judge = new TreeJudge({
      defaults: new RuleTable(defaultRules(), ''),
      late: this.#lateRules(),
      kept: this.#keptRules(),
      ruleRoot,
      targets: this.#otherTargets(),
      isOwnOutput: (file) => this.#isOwnOutput(file),
      isUnchanged: only && ((file) => !only.has(posix.join(workspace.root, file))),
      readRules: (directory) => this.#readRules(directory),
      explain: explainShown,
    });
    judge.start(path, await this.#rulesAbove());
    const { notes } = await walk(
      workspace,
      `./${path}`,
      {
        hidden: true,
        gitignore: true,
        filesFirst: true,
        takeFiles: this.#fileTaker(),
        rulesFrom: ruleRoot === '' ? '.' : ruleRoot.slice(0, -1),
        decideIn: judge.decideIn,
        onSecret:
          explainShown &&
          ((secret, isDirectory) =>
            explainShown({ path: secret, isDirectory, included: false, reason: 'secret; no rule takes it in' })),
        checkpoint,
      },
      (entry) => this.#visit(entry),
    );
    for (const note of notes) this.#options.warn(note);
  }

  /** How a rule names a file of this walk. */
  ruledFor(path: string): Ruled {
    const { ruleRoot } = this.#target;
    const { overrides } = this.#options;
    // Overrides win over the files.
    const file = overrides && overrides.content.length > 0 ? overrides.file : this.#shown(`${ruleRoot}.contextfiles`);
    return { file, path: path.slice(ruleRoot.length) };
  }

  /** Reads a file of this walk when the walk has gone on. */
  readAgain<T>(directory: string, name: string, use: (file: OpenFile) => T): T {
    return this.#plan.reopener.read({ workspace: this.#target.workspace, directory, name }, use);
  }

  /** Undefined when each file must be looked at for itself. */
  #fileTaker(): WalkOptions['takeFiles'] {
    const { takeFiles, explain, only } = this.#options;
    const looksAtEach = explain || only || this.#plan.targets.length > 1 || this.#ownOutputs.size > 0;
    if (!takeFiles || looksAtEach) return undefined;
    return (directory, { names }) => {
      const inside = directory.path === '.' ? '' : `${directory.path}/`;
      const prefix = this.#shown(inside);
      const candidateOf = (name: string) => new FoundFile(this, directory, name, prefix + name);
      takeFiles({ prefix, candidateOf }, names);
      return undefined;
    };
  }

  #visit(entry: WalkEntry): undefined {
    if (entry.kind !== 'file') return undefined;
    const { path } = entry;
    this.#take(path, new FoundFile(this, entry.directory, entry.name, this.#shown(path)));
    return undefined;
  }

  /** What one of them matches is kept, and all below it; undefined keeps all. */
  #keptRules(): RuleTable | undefined {
    const { keepOnly = [] } = this.#options;
    const rules = keepOnly.flatMap((entry) => this.#parseFlag(ruleOfKept(entry), ''));
    return keepOnly.length > 0 ? new RuleTable(rules, '') : undefined;
  }

  /** The overrides, and the rules that flags stand for. */
  #lateRules(): RuleTable[] {
    const { overrides } = this.#options;
    const { ruleRoot } = this.#target;
    const tables = rulesOfFlags(this.#options).map((rules) => {
      const base = ruleRoot + rules.scope;
      return new RuleTable(this.#parseFlag(rules, base), base);
    });
    if (!overrides) return tables;
    const rules = this.#parse(overrides.file, ruleRoot, LAYERS.overrides, overrides.content);
    return [new RuleTable(rules, ruleRoot), ...tables];
  }

  /** The `.contextfiles` from the rule root down to the directory that holds the target. */
  async #rulesAbove(): Promise<RuleTable[]> {
    const { workspace, path, ruleRoot } = this.#target;
    const inside = path === '.' ? [] : `${path}/`.slice(ruleRoot.length).split('/').slice(0, -1);
    const tables: RuleTable[] = [];
    for (let depth = 0; depth < inside.length; depth++) {
      const directory = `./${ruleRoot}${inside.slice(0, depth).join('/')}`;
      tables.push(await workspace.withDirectory(directory, async (found) => this.#readRules(found)));
    }
    return tables;
  }

  #readRules(directory: OpenDirectory): RuleTable {
    const base = directory.path === '.' ? '' : `${directory.path}/`;
    const file = showPath(`${base}.contextfiles`);
    const content = this.#readRuleFile(directory, file);
    return new RuleTable(content ? this.#parse(file, base, LAYERS.contextFiles, content) : [], base);
  }

  #readRuleFile(directory: OpenDirectory, file: string): Buffer | undefined {
    try {
      return using(directory.openFile('.contextfiles'), (open) => {
        if (open.size <= MAX_RULE_FILE) return open.slice(0, open.size);
        this.#options.warn(`${file} is larger than 1 MiB; its rules are not applied`);
        return undefined;
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.#options.warn(`${file} could not be read; its rules are not applied`);
      }
      return undefined;
    }
  }

  #parseFlag({ flag, lines }: FlagRules, base: string) {
    return this.#parse(flag, base, LAYERS.flags, Buffer.from(lines.join('\n')));
  }

  #parse(file: string, base: string, layer: number, content: Uint8Array) {
    const { rules, warnings } = parseContextRules(content, { file, base, layer });
    for (const warning of warnings) this.#options.warn(warning);
    return rules;
  }

  /** The other targets that a walk from this one may come upon. */
  #otherTargets(): Set<string> {
    const { workspace } = this.#target;
    const reals = this.#plan.targets.filter((other) => other !== this.#target).map(realOf);
    return new Set(reals.map((real) => below(workspace.root, real)).filter((path) => path !== undefined));
  }

  #isOwnOutput(path: string): boolean {
    return this.#ownOutputs.size > 0 && this.#ownOutputs.has(path);
  }
}

/** Turns paths below a workspace root into paths as they are shown. */
function shownFrom(outputRoot: string, root: string): (path: string) => string {
  if (outputRoot === root) return (path) => path;
  const above = below(outputRoot, root);
  if (above !== undefined) return (path) => `${above}/${path}`;
  return (path) => {
    const real = posix.join(root, path);
    return below(outputRoot, real) ?? real;
  };
}

/** A file that a walk came upon, in a directory that is open while it is visited. */
class FoundFile implements Candidate {
  readonly path: string;
  readonly readInto: Candidate['readInto'];
  readonly #name: string;
  readonly #run: TargetRun;
  readonly #inside: string;
  #directory: OpenDirectory | undefined;

  constructor(run: TargetRun, directory: OpenDirectory, name: string, path: string) {
    this.path = path;
    this.readInto = run.isGuarded ? undefined : readInto;
    this.#run = run;
    this.#name = name;
    this.#inside = directory.path;
    this.#directory = directory;
  }

  fill(target: Buffer): number {
    return (this.#directory as OpenDirectory).readListedFile(this.#name, target);
  }

  read<T>(use: (file: OpenFile) => T): T {
    const directory = this.#directory as OpenDirectory;
    return using(this.#run.isGuarded ? directory.openFile(this.#name) : directory.openListedFile(this.#name), use);
  }

  get ruled(): Ruled {
    return this.#run.ruledFor(posix.join(this.#inside, this.#name));
  }

  readLater<T>(use: (file: OpenFile) => T): T {
    this.#directory = undefined; // It has been left by now.
    return this.#run.readAgain(this.#inside, this.#name, use);
  }
}

/** Shared by all: a function for each of many thousands would cost more than the reading. */
function readInto(this: FoundFile, target: Buffer): number {
  return this.fill(target);
}

function realOf({ workspace, path }: Target): string {
  return posix.join(workspace.root, path);
}

function using<T>(file: OpenFile, use: (file: OpenFile) => T): T {
  try {
    return use(file);
  } finally {
    file.close();
  }
}
