import { join } from 'node:path';
import {
  type CollectOptions,
  explainLine,
  type Overrides,
  planNamedTargets,
  showPath,
  targetDirectories,
  translateWslPath,
} from '@jinn/context';
import { FlagError } from '@jinn/core/command-line';
import { ToolError } from '@jinn/core/errors';
import { unquoteName } from '@jinn/core/text/unquote-name';
import type { ChangeOptions } from './changes.ts';
import type { Copier } from './copier.ts';
import { counterOf, writtenCounterOf } from './flags/counter.ts';
import { SPEC } from './flags/jinni-spec.ts';
import { type Flags, parseFlags, settingsAsked } from './flags.ts';
import { existingParts, Output } from './output.ts';
import type { ChangeWatch, Machine, OutputFile } from './program-machine.ts';
import type { Range } from './range.ts';
import { Reporter } from './reporter.ts';
import { readSettings } from './settings-file.ts';

type Plan = ReturnType<typeof planNamedTargets>;

const DEBUG_LOG = 'jinni_debug.log';

/** Runs the program. Returns its exit status: 0, 1 for an error, 2 for wrong flags. */
export async function run(argv: readonly string[], machine: Machine, version: string): Promise<number> {
  const reporter = new Reporter(machine);
  try {
    for (let watch = await runOnce(argv, machine, { reporter, version }); watch; ) {
      reporter.line('watching for changes; ctrl-c ends it');
      await watch.changed();
      watch = await runOnce(argv, machine, { reporter, version });
    }
    return 0;
  } catch (error) {
    return fail(error, reporter);
  }
}

/** Returns what watches the directories that were walked, if the flags ask for that. */
async function runOnce(
  argv: readonly string[],
  machine: Machine,
  { reporter, version }: { readonly reporter: Reporter; readonly version: string },
): Promise<ChangeWatch | undefined> {
  const { profile, none } = settingsAsked(argv);
  const settings = none ? [] : await settingsOf(machine, profile);
  const flags = parseFlags(argv, (path) => machine.exists(path), settings);
  const printed = await textOf(flags, version, machine);
  if (printed !== undefined) {
    machine.write(1, Buffer.from(printed));
    return undefined;
  }
  machine.begin();
  const work = new Run(flags, machine, reporter);
  await work.go();
  return work.watch;
}

/** Prints an error. Returns the exit status. */
function fail(error: unknown, reporter: Reporter): number {
  reporter.clear();
  if (error instanceof FlagError) {
    reporter.error(`${error.message}\ntry jinni --help`);
    return 2;
  }
  if (!(error instanceof ToolError)) throw error;
  reporter.error(error.suggestion === undefined ? error.message : `${error.message}\n\n${error.suggestion}`);
  return 1;
}

async function settingsOf(machine: Machine, profile: string | undefined): Promise<string[]> {
  const text = readSettings(machine);
  if (!text && profile === undefined) return [];
  return (await import('./settings-as-flags.ts')).settingsAsFlags(text, profile);
}

/** Returns the text for flags that take in no file, such as --help; undefined for other flags. */
async function textOf(flags: Flags, version: string, machine: Machine): Promise<string | undefined> {
  switch (flags.do) {
    case 'completion':
      return (await import('@jinn/core/command-line/completion')).completionScript(flags.paths[1] ?? '', 'jinni', SPEC);
    case 'help':
      return (await import('./help.ts')).HELP;
    case 'usage':
      return (await import('@jinn/context/rules-page')).RULES_PAGE;
    case 'schema':
      return (await import('./settings/settings-schema.ts')).settingsSchema();
    case 'init':
      return (await import('./settings/init.ts')).writeFirstSettings(machine);
    case 'version':
      return `${version}\n`;
    default:
      return undefined;
  }
}

class Run {
  readonly #flags: Flags;
  readonly #machine: Machine;
  readonly #reporter: Reporter;
  /** Watches the directories that are walked; undefined unless the flags ask for it. */
  watch: ChangeWatch | undefined;
  #range: Range | undefined;

  constructor(flags: Flags, machine: Machine, reporter: Reporter) {
    this.#flags = flags;
    this.#machine = machine;
    this.#reporter = reporter;
  }

  async go(): Promise<void> {
    const { remote, idle } = this.#flags;
    if (idle.length > 0) this.#reporter.warn(`${idle.join(', ')}: without effect on a list`);
    if (remote === undefined) return this.#goIn(this.#machine.cwd);
    const directory = this.#machine.makeTempDirectory();
    try {
      const path = await this.#clone(remote, directory);
      await this.#goIn(directory, path);
    } finally {
      this.#machine.remove(directory);
    }
  }

  /** Clones the repository. Returns the path below it that was asked for. */
  async #clone(remote: string, directory: string): Promise<string | undefined> {
    const { cloneShallow, toRemote } = await import('@jinn/git/clone-shallow');
    const asked = toRemote(remote);
    const depth = await this.#depthOfHistory();
    this.#reporter.begin(`cloning ${asked.url}`);
    return cloneShallow({ ...asked, directory, depth, variables: this.#machine.variables });
  }

  /**
   * Returns how many commits are needed: one more than are used. The oldest commit of a shallow clone looks as if it
   * had added all files, so it is not shown.
   */
  async #depthOfHistory(): Promise<number> {
    const { gitLog = 0, sort } = this.#flags;
    const { RECENT_COMMITS } = await import('@jinn/git/git-log');
    return Math.max(gitLog, sort === 'change' ? RECENT_COMMITS : 0) + 1;
  }

  async #goIn(cwd: string, path = '.'): Promise<void> {
    const { root, debugExplain, stdin } = this.#flags;
    const paths = this.#flags.paths.map((path) => this.#translate(path));
    if (stdin) paths.push(...this.#readPaths().filter((path) => this.#isThere(path)));
    const overrides = this.#readOverrides();
    const named = {
      paths: paths.length > 0 || stdin ? paths : [root === undefined ? path : this.#translate(root)],
      root: root === undefined ? undefined : this.#translate(root),
      cwd,
      variables: this.#machine.variables,
    };
    this.#range = await this.#openRange(named);
    const plan = planNamedTargets(this.#range?.named ?? named);
    const log = debugExplain ? this.#createLog() : undefined;
    try {
      this.#refuseOwnTarget(plan);
      const options: CollectOptions = {
        overrides,
        not: this.#flags.not,
        notIn: this.#flags.notIn,
        notFiles: this.#flags.notFiles,
        keepOnly: this.#flags.keepOnly,
        include: this.#flags.include,
        noDefaults: this.#flags.noDefaults,
        ownOutputs: this.#ownOutputs(),
        opensNamed: true,
        checkpoint: emptyCheckpoint,
        warn: this.#reporter.warn,
        explain: this.#explainer(log),
      };
      await this.#produce(plan, this.#flags.watch ? this.#watching(plan, options) : options);
    } finally {
      log?.close();
      plan.close();
      if (this.#range) this.#machine.remove(this.#range.directory);
    }
  }

  /**
   * Returns the function that reports the rules: with --debug-explain for each decision, with --explain for files left
   * out.
   */
  #explainer(log: OutputFile | undefined): CollectOptions['explain'] {
    const { debugExplain, explain } = this.#flags;
    if (debugExplain) return (explanation) => this.#log(explainLine(explanation), log);
    if (!explain) return undefined;
    return ({ path, isDirectory, included, reason }) => {
      if (!included) this.#reporter.line(`out ${showPath(path)}${isDirectory ? '/' : ''}: ${reason}`);
    };
  }

  /** Watches each directory from the moment it is walked, so that no change is missed. */
  #watching(plan: Plan, options: CollectOptions): CollectOptions {
    const watch = this.#machine.startWatch(new Set(options.ownOutputs));
    this.watch = watch;
    for (const directory of [this.#machine.cwd, ...targetDirectories(plan)]) watch.add(directory); // The first has settings.
    return {
      ...options,
      explain: (explanation) => {
        const { path, isDirectory, included } = explanation;
        if (isDirectory && included) watch.add(join(plan.outputRoot, path));
        options.explain?.(explanation);
      },
    };
  }

  async #produce(plan: Plan, chosen: CollectOptions): Promise<void> {
    const { output, copies, clip, stdout, splitBytes, maxTokens, encoding } = this.#flags;
    const isDocument = this.#flags.do === 'dump';
    const sink = new Output(
      {
        path: output,
        prints: output === undefined && !clip,
        sparesTerminal: isDocument && !stdout,
        isSplit: splitBytes !== undefined,
        copier: copies ? await this.#findCopier() : undefined,
        counter: isDocument ? await writtenCounterOf(this.#flags) : undefined,
        countsAll: maxTokens !== undefined || encoding !== undefined,
      },
      this.#machine,
      this.#reporter,
    );
    const onOmissions = (sentence: string) => sink.addOmission(`${sentence}; --no-defaults takes them in`);
    const options = { ...chosen, onOmissions };
    const files = isDocument ? await this.#dump(plan, options, sink) : undefined;
    if (files === undefined) await this.#list(plan, options, sink);
    this.#reporter.clear();
    await sink.finish({ files });
  }

  async #findCopier(): Promise<Copier | undefined> {
    const { findCopier } = await import('./copier.ts');
    const copier = await findCopier(this.#machine, this.#reporter);
    if (copier || !this.#flags.clip) return copier;
    throw new ToolError('not_found', '--clip: there is no clipboard here', {
      suggestion: 'install wl-clipboard, xsel or xclip, or write to a file with -o FILE',
    });
  }

  /** Writes the document. Returns how many files it holds. */
  async #dump(plan: Plan, options: CollectOptions, sink: Output): Promise<number> {
    const { writeDocument } = await import('./write-document.ts');
    const counter = await counterOf(this.#flags);
    const changes = await this.#findChanges(plan, options);
    const range = this.#range;
    const at = { machine: this.#machine, reporter: this.#reporter, plan, options, counter, changes, range };
    return writeDocument(this.#flags, at, sink);
  }

  async #list(plan: Plan, options: CollectOptions, sink: Output): Promise<void> {
    const { writeList } = await import('./lists/write-list.ts');
    const changes = await this.#findChanges(plan, options);
    const at = { machine: this.#machine, reporter: this.#reporter, plan, changes, range: this.#range };
    await writeList(this.#flags, { ...at, options: { ...options, only: changes.only } }, sink);
  }

  /** Lays out what changed between two commits, if --changed names a range. */
  async #openRange(named: Parameters<typeof planNamedTargets>[0]): Promise<Range | undefined> {
    const { changed } = this.#flags;
    if (changed === undefined || !(await import('@jinn/git/git-range')).isRange(changed)) return undefined;
    return (await import('./range.ts')).openRange(named, changed, this.#machine);
  }

  async #findChanges(plan: Plan, { warn }: CollectOptions): Promise<ChangeOptions> {
    if (this.#flags.changed === undefined && !this.#flags.diff) return {};
    const { findChangeOptions } = await import('./changes.ts');
    return findChangeOptions(this.#flags, { machine: this.#machine, plan, range: this.#range, warn });
  }

  #translate(path: string): string {
    const translated = this.#machine.variables['JINNI_NO_WSL_TRANSLATE'] === '1' ? path : translateWslPath(path);
    if (!translated.includes('\0')) return translated;
    throw new ToolError('invalid_args', `a path has a NUL in it: ${JSON.stringify(path)}`);
  }

  #readPaths(): string[] {
    const text = this.#machine.readStdin().toString();
    const paths = text.split(text.includes('\0') ? '\0' : /\r?\n/).filter((path) => path !== '');
    return paths.map((path) => {
      const literal = this.#translate(path);
      return this.#machine.exists(literal) ? literal : this.#translate(unquoteName(path));
    });
  }

  /** Reports whether a path exists, and warns if it does not: a list of paths may name files that are gone. */
  #isThere(path: string): boolean {
    if (this.#machine.exists(path)) return true;
    this.#reporter.warn(`${showPath(path)}: does not exist, left out`);
    return false;
  }

  /** Refuses an output file that is also a target, because writing would destroy it. */
  #refuseOwnTarget({ targets }: Plan): void {
    const { output, splitBytes } = this.#flags;
    if (output === undefined || splitBytes !== undefined) return;
    const real = this.#machine.realPath(output);
    if (!targets.some(({ kind, workspace, path }) => kind === 'file' && join(workspace.root, path) === real)) return;
    throw new ToolError('invalid_args', `The output would replace the target ${showPath(output)}`, {
      suggestion: 'name another file with -o',
    });
  }

  #readOverrides(): Overrides | undefined {
    const { overrides } = this.#flags;
    if (overrides === undefined) return undefined;
    try {
      return { file: overrides, content: this.#machine.readFile(this.#translate(overrides)) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw new ToolError('file_not_found', `Overrides file not found: ${overrides}`);
      throw new ToolError(
        'permission_denied',
        `The overrides file '${overrides}' cannot be read (${code ?? 'unknown'})`,
      );
    }
  }

  /** Returns the files that this run writes, and the parts that an earlier run wrote in their place. */
  #ownOutputs(): string[] {
    const { output = this.#machine.outputPath(), debugExplain, splitBytes } = this.#flags;
    const paths = [...(output === undefined ? [] : [output]), ...(debugExplain ? [DEBUG_LOG] : [])];
    if (splitBytes !== undefined && output !== undefined) paths.push(...existingParts(output, 1, this.#machine));
    return paths.map((path) => this.#machine.realPath(path));
  }

  #createLog(): OutputFile | undefined {
    try {
      return this.#machine.createHere(DEBUG_LOG);
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? 'unknown';
      this.#reporter.warn(`${DEBUG_LOG} cannot be written (${reason}); the explanation goes to standard error alone`);
      return undefined;
    }
  }

  #log(line: string, log: OutputFile | undefined): void {
    this.#reporter.line(line);
    log?.write(Buffer.from(`${line}\n`));
  }
}

/** Serves as the checkpoint of a process that does nothing else. */
async function emptyCheckpoint(): Promise<void> {}
