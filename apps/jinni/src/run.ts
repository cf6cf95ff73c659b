import { join } from 'node:path';
import {
  type CollectOptions,
  explainLine,
  type ListedFile,
  listFiles,
  type Overrides,
  planNamedTargets,
  showPath,
  translateWslPath,
} from '@jinn/context';
import type { DumpOptions } from '@jinn/context/dump';
import { estimate, loadExactCounter, type TokenCounter } from '@jinn/context/tokens';
import { ToolError } from '@jinn/errors';
import type { Copier } from './copier.ts';
import { FlagError, type Flags, parseFlags, settingsAsked } from './flags.ts';
import { existingParts, Lines, Output } from './output.ts';
import type { Machine, OutputFile } from './program-machine.ts';
import { Reporter } from './reporter.ts';
import { readSettings } from './settings-file.ts';

type Plan = ReturnType<typeof planNamedTargets>;

const DEBUG_LOG = 'jinni_debug.log';

/** Runs the program. Returns its exit status: 0, 1 for an error, 2 for wrong flags. */
export async function run(argv: readonly string[], machine: Machine, version: string): Promise<number> {
  const reporter = new Reporter(machine);
  try {
    const { profile, none } = settingsAsked(argv);
    const settings = none ? [] : await settingsOf(machine, profile);
    const flags = parseFlags(argv, (path) => machine.exists(path), settings);
    const printed = await textOf(flags, version);
    if (printed !== undefined) {
      machine.write(1, Buffer.from(printed));
      return 0;
    }
    machine.begin();
    await new Run(flags, machine, reporter).go();
    return 0;
  } catch (error) {
    reporter.clear();
    if (error instanceof FlagError) {
      reporter.error(`${error.message}\ntry jinni --help`);
      return 2;
    }
    if (!(error instanceof ToolError)) throw error;
    reporter.error(error.suggestion === undefined ? error.message : `${error.message}\n\n${error.suggestion}`);
    return 1;
  }
}

async function settingsOf(machine: Machine, profile: string | undefined): Promise<string[]> {
  const text = readSettings(machine);
  if (!text && profile === undefined) return [];
  return (await import('./settings-as-flags.ts')).settingsAsFlags(text, profile);
}

/** Returns the text for flags that look at no file, such as --help; undefined for other flags. */
async function textOf(flags: Flags, version: string): Promise<string | undefined> {
  switch (flags.do) {
    case 'help':
      return (await import('./help.ts')).HELP;
    case 'usage':
      return (await import('@jinn/context/rules-page')).RULES_PAGE;
    case 'version':
      return `${version}\n`;
    default:
      return undefined;
  }
}

function counterOf({ exactTokens }: Flags): TokenCounter | Promise<TokenCounter> {
  return exactTokens ? loadExactCounter() : estimate;
}

class Run {
  readonly #flags: Flags;
  readonly #machine: Machine;
  readonly #reporter: Reporter;

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
      await this.#clone(remote, directory);
      await this.#goIn(directory);
    } finally {
      this.#machine.remove(directory);
    }
  }

  async #clone(remote: string, directory: string): Promise<void> {
    const { cloneShallow, toRemoteUrl } = await import('@jinn/git/clone-shallow');
    const depth = await this.#depthOfHistory();
    await cloneShallow({ ...toRemoteUrl(remote), directory, depth, variables: this.#machine.variables });
  }

  /**
   * Returns how many commits are needed: one more than are used, since the oldest one of a shallow clone looks as if it
   * had added all files, and is not shown.
   */
  async #depthOfHistory(): Promise<number> {
    const { gitLog = 0, sort } = this.#flags;
    const { RECENT_COMMITS } = await import('@jinn/git/git-log');
    return Math.max(gitLog, sort === 'change' ? RECENT_COMMITS : 0) + 1;
  }

  async #goIn(cwd: string): Promise<void> {
    const { root, debugExplain, stdin } = this.#flags;
    const paths = this.#flags.paths.map((path) => this.#translate(path));
    if (stdin) paths.push(...this.#readPaths().filter((path) => this.#isThere(path)));
    const overrides = this.#readOverrides();
    const plan = planNamedTargets({
      paths: paths.length > 0 || stdin ? paths : [root === undefined ? '.' : this.#translate(root)],
      root: root === undefined ? undefined : this.#translate(root),
      cwd,
    });
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
        tell: (sentence) => this.#reporter.line(`${sentence}; --no-defaults takes them in`),
        explain: debugExplain ? (explanation) => this.#log(explainLine(explanation), log) : undefined,
      };
      await this.#produce(plan, options);
    } finally {
      log?.close();
      plan.close();
    }
  }

  async #produce(plan: Plan, options: CollectOptions): Promise<void> {
    const { output, copies, splitBytes, maxTokens, exactTokens } = this.#flags;
    const copier = copies ? await this.#findCopier() : undefined;
    const counter = this.#flags.do === 'dump' ? await counterOf(this.#flags) : undefined;
    const countsAll = maxTokens !== undefined || exactTokens;
    const destination = { path: output, isSplit: splitBytes !== undefined, copier, counter, countsAll };
    const sink = new Output(destination, this.#machine, this.#reporter);
    const files = this.#flags.do === 'dump' ? await this.#dump(plan, options, sink) : undefined;
    if (files === undefined) await this.#list(plan, options, sink);
    this.#reporter.clear();
    await sink.finish({ files });
  }

  async #findCopier(): Promise<Copier | undefined> {
    const { findCopier } = await import('./copier.ts');
    return findCopier(this.#machine, this.#reporter);
  }

  /** Returns how many files the document holds. */
  async #dump(plan: Plan, options: CollectOptions, sink: Output): Promise<number> {
    const { writeDocument } = await import('./write-document.ts');
    const counter = await counterOf(this.#flags);
    const changes = await this.#findChanges(plan, options);
    const at = { machine: this.#machine, reporter: this.#reporter, plan, options, counter, changes };
    return writeDocument(this.#flags, at, sink);
  }

  async #list(plan: Plan, options: CollectOptions, sink: Output): Promise<void> {
    const changes = await this.#findChanges(plan, options);
    const limited = { ...options, only: changes.only };
    const lines = new Lines(sink);
    switch (this.#flags.do) {
      case 'tokens':
        await this.#listTokens(plan, limited, lines);
        break;
      case 'tree':
        lines.add(await this.#drawTree(plan, limited));
        break;
      case 'token-tree':
        lines.add(await this.#drawTokenTree(plan, limited));
        break;
      case 'diff':
        await this.#listDiff(plan, limited, { sections: changes.sections, lines });
        break;
      default:
        await this.#listFiles(plan, limited, lines);
    }
    lines.flush();
  }

  async #findChanges(plan: Plan, { warn }: CollectOptions): Promise<Pick<DumpOptions, 'only' | 'sections'>> {
    if (this.#flags.changed === undefined && !this.#flags.diff) return {};
    const { findChangeOptions } = await import('./changes.ts');
    return findChangeOptions(this.#flags, this.#machine, plan, warn);
  }

  async #drawTree(plan: Plan, options: CollectOptions): Promise<string> {
    const { drawTree } = await import('@jinn/context/head');
    const paths: string[] = [];
    await listFiles(plan, options, { take: ({ path }) => void paths.push(path) });
    return drawTree(paths);
  }

  async #drawTokenTree(plan: Plan, options: CollectOptions): Promise<string> {
    const { listTokens } = await import('@jinn/context/token-list');
    const { drawTokenTree } = await import('@jinn/context/token-tree');
    const files: { path: string; tokens: number }[] = [];
    const counting = { ...options, counter: await counterOf(this.#flags), onFile: this.#reporter.progress };
    await listTokens(plan, counting, (path, tokens) => void files.push({ path, tokens }));
    return files.length === 0 ? '' : drawTokenTree(files);
  }

  async #listDiff(
    plan: Plan,
    options: CollectOptions,
    { sections, lines }: { sections: DumpOptions['sections']; lines: Lines },
  ): Promise<void> {
    const paths: string[] = [];
    await listFiles(plan, options, { take: ({ path }) => void paths.push(path) });
    for (const { text } of (await sections?.(paths)) ?? []) lines.add(text);
  }

  async #listTokens(plan: Plan, options: CollectOptions, lines: Lines): Promise<void> {
    const { listTokens } = await import('@jinn/context/token-list');
    const counting = { ...options, counter: await counterOf(this.#flags), onFile: this.#reporter.progress };
    if (this.#flags.format === 'json') {
      const files: { path: string; tokens: number }[] = [];
      const total = await listTokens(plan, counting, (path, tokens) => void files.push({ path, tokens }));
      lines.add(JSON.stringify({ files, total }));
      return;
    }
    const total = await listTokens(plan, counting, (path, tokens) => lines.add(`${showPath(path)}: ${tokens} tokens`));
    lines.add('---');
    lines.add(`Total: ${total} tokens`);
  }

  async #listFiles(plan: Plan, options: CollectOptions, lines: Lines): Promise<void> {
    const { sizes, format, sort } = this.#flags;
    const show = ({ path, size }: ListedFile) => (sizes ? `${size}\t${showPath(path)}` : showPath(path));
    if (format === 'json' || sort === 'change') {
      const files = await this.#collectFiles(plan, options);
      if (format === 'json') lines.add(JSON.stringify(sizes ? files : files.map(({ path }) => path)));
      else for (const file of files) lines.add(show(file));
      return;
    }
    await listFiles(
      plan,
      { ...options, sizes },
      {
        take: (file) => lines.add(show(file)),
        takeAll: (prefix, names) => {
          const shown = showPath(prefix);
          lines.add(shown + names.join(`\n${shown}`));
        },
      },
    );
  }

  /** Collects all files of a list, in its order. */
  async #collectFiles(plan: Plan, options: CollectOptions): Promise<readonly ListedFile[]> {
    const files: ListedFile[] = [];
    await listFiles(plan, { ...options, sizes: this.#flags.sizes }, { take: (file) => void files.push(file) });
    if (this.#flags.sort === 'path') return files;
    const { sortByChange } = await import('@jinn/context/sort-by-change');
    const { recentChanges } = await import('@jinn/git/git-log');
    return sortByChange(files, await recentChanges(plan.outputRoot, this.#machine.variables), plan.outputRoot);
  }

  #translate(path: string): string {
    const translated = this.#machine.variables['JINNI_NO_WSL_TRANSLATE'] === '1' ? path : translateWslPath(path);
    if (!translated.includes('\0')) return translated;
    throw new ToolError('invalid_args', `a path has a NUL in it: ${JSON.stringify(path)}`);
  }

  #readPaths(): string[] {
    const text = this.#machine.readStdin().toString();
    const paths = text.split(text.includes('\0') ? '\0' : /\r?\n/).filter((path) => path !== '');
    return paths.map((path) => this.#translate(path));
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
