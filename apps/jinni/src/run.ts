import { join } from 'node:path';
import {
  type CollectOptions,
  chooseLimit,
  explainLine,
  type ListedFile,
  listFiles,
  type Overrides,
  planNamedTargets,
  type Sink,
  showPath,
  translateWslPath,
} from '@jinn/context';
import type { TokenCounter } from '@jinn/context/tokens';
import { findCacheDirectory, ToolError } from '@jinn/core';
import { findChangeOptions } from './changes.ts';
import { type Copier, findCopier } from './copier.ts';
import { FlagError, type Flags, parseFlags } from './flags.ts';
import type { Machine, OutputFile } from './machine.ts';
import { Reporter } from './reporter.ts';

type Plan = ReturnType<typeof planNamedTargets>;

const DEBUG_LOG = 'jinni_debug.log';

/** Runs the program. Returns its exit status: 0, 1 for an error, 2 for wrong flags. */
export async function run(argv: readonly string[], machine: Machine, version: string): Promise<number> {
  const reporter = new Reporter(machine);
  try {
    const flags = parseFlags(argv, (path) => machine.exists(path));
    const printed = await textOf(flags, version);
    if (printed === undefined) await new Run(flags, machine, reporter).go();
    else machine.write(1, Buffer.from(printed));
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

/** The text of flags that look at no file; undefined for other flags. */
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

async function counterOf({ exactTokens }: Flags): Promise<TokenCounter> {
  const { estimate, loadExactCounter } = await import('@jinn/context/tokens');
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
    const { root, debugExplain, stdin, idle } = this.#flags;
    if (idle.length > 0) this.#reporter.warn(`${idle.join(', ')}: without effect on a list`);
    const paths = this.#flags.paths.map((path) => this.#translate(path));
    if (stdin) paths.push(...this.#readPaths().filter((path) => this.#isThere(path)));
    const overrides = this.#readOverrides();
    const plan = planNamedTargets({
      paths: paths.length > 0 || stdin ? paths : [root === undefined ? '.' : this.#translate(root)],
      root: root === undefined ? undefined : this.#translate(root),
      cwd: this.#machine.cwd,
      cacheDirectory: findCacheDirectory(this.#machine.variables, this.#machine.variables['HOME']),
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
        ownOutputs: this.#ownOutputs(),
        opensNamed: true,
        checkpoint: giveWay,
        warn: this.#reporter.warn,
        explain: debugExplain ? (explanation) => this.#log(explainLine(explanation), log) : undefined,
      };
      await this.#produce(plan, options);
    } finally {
      log?.close();
      plan.close();
    }
  }

  async #produce(plan: Plan, options: CollectOptions): Promise<void> {
    const { output, copies } = this.#flags;
    const copier = copies ? await findCopier(this.#machine, this.#reporter) : undefined;
    const sink = new Output(output, this.#machine, this.#reporter, copier);
    if (this.#flags.do === 'dump') await this.#dump(plan, options, sink);
    else await this.#list(plan, options, sink);
    await sink.finish({ endsLine: this.#flags.do !== 'dump' });
  }

  async #dump(plan: Plan, options: CollectOptions, sink: Output): Promise<void> {
    const { format, lineNumbers, tree, summary, maxTokens } = this.#flags;
    const { dump } = await import('@jinn/context/dump');
    const changes = await findChangeOptions(this.#flags, this.#machine, plan, options.warn);
    await dump(
      plan,
      {
        ...options,
        ...changes,
        sizeLimitMb: chooseLimit(this.#flags.sizeLimitMb, this.#machine.variables['JINNI_MAX_SIZE_MB'], options.warn),
        format,
        lineNumbers,
        tree,
        summary,
        maxTokens,
        counter: await counterOf(this.#flags),
        checkSecrets: sink.leavesTheScreen,
        onFile: this.#reporter.progress,
      },
      sink,
    );
    this.#reporter.clear();
  }

  async #list(plan: Plan, options: CollectOptions, sink: Output): Promise<void> {
    const { only } = await findChangeOptions({ ...this.#flags, diff: false }, this.#machine, plan, options.warn);
    const lines = new Lines(sink);
    if (this.#flags.do === 'tokens') await this.#listTokens(plan, { ...options, only }, lines);
    else await this.#listFiles(plan, { ...options, only }, lines);
    lines.flush();
    this.#reporter.clear();
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
    const { sizes, format } = this.#flags;
    if (format === 'json') {
      const files: (string | ListedFile)[] = [];
      await listFiles(plan, { ...options, sizes }, { take: (file) => void files.push(sizes ? file : file.path) });
      lines.add(JSON.stringify(files));
      return;
    }
    await listFiles(
      plan,
      { ...options, sizes },
      {
        take: ({ path, size }) => lines.add(sizes ? `${size}\t${showPath(path)}` : showPath(path)),
        takeAll: (prefix, names) => {
          const shown = showPath(prefix);
          lines.add(shown + names.toArray().join(`\n${shown}`));
        },
      },
    );
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

  /** A list of paths may name files that no longer exist. */
  #isThere(path: string): boolean {
    if (this.#machine.exists(path)) return true;
    this.#reporter.warn(`${showPath(path)}: does not exist, left out`);
    return false;
  }

  /** Refuses an output file that is also a target, because writing would destroy it. */
  #refuseOwnTarget({ targets }: Plan): void {
    const { output } = this.#flags;
    if (output === undefined) return;
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

  /** The files that this run writes. */
  #ownOutputs(): string[] {
    const { output = this.#machine.outputPath(), debugExplain } = this.#flags;
    const paths = [...(output === undefined ? [] : [output]), ...(debugExplain ? [DEBUG_LOG] : [])];
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

/** Where the document goes: to standard output and the clipboard, or to a file, which is created with the first bytes. */
class Output implements Sink {
  /** True for a document that goes to a file or the clipboard, where others may see it by accident. */
  readonly leavesTheScreen: boolean;
  readonly #path: string | undefined;
  readonly #machine: Machine;
  readonly #reporter: Reporter;
  readonly #copier: Copier | undefined;
  #file: OutputFile | undefined;
  #size = 0;

  constructor(path: string | undefined, machine: Machine, reporter: Reporter, copier: Copier | undefined) {
    this.#path = path;
    this.#machine = machine;
    this.#reporter = reporter;
    this.#copier = copier;
    this.leavesTheScreen = path !== undefined || copier !== undefined;
  }

  write(bytes: Buffer): void {
    this.#size += bytes.length;
    this.#reporter.clear();
    if (this.#path === undefined) this.#print(bytes);
    else this.#attempt(this.#path, (file) => file.write(bytes));
    this.#copier?.spool.write(bytes);
  }

  async finish({ endsLine }: { endsLine: boolean }): Promise<void> {
    if (this.#path !== undefined) {
      this.#attempt(this.#path, (file) => file.close());
      this.#reporter.line(`Output successfully written to ${this.#path}`);
    } else if (this.#size === 0) this.#reporter.line('No files found.');
    else if (endsLine) this.#print(Buffer.from('\n'));
    if (this.#size > 0) await this.#copier?.copy();
  }

  #print(bytes: Buffer): void {
    try {
      this.#machine.write(1, bytes);
    } catch (error) {
      throw cannotWrite('to standard output', error);
    }
  }

  #attempt(path: string, use: (file: OutputFile) => void): void {
    try {
      this.#file ??= this.#machine.create(path);
      use(this.#file);
    } catch (error) {
      throw cannotWrite(`to file ${path}`, error);
    }
  }
}

function cannotWrite(where: string, error: unknown): ToolError {
  const reason = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return new ToolError('write_failed', `Cannot write output ${where} (${reason})`);
}

/** Joins lines by line breaks, and writes them in large pieces. */
class Lines {
  readonly #sink: Sink;
  #text = '';
  #isFirst = true;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  add(line: string): void {
    this.#text += this.#isFirst ? line : `\n${line}`;
    this.#isFirst = false;
    if (this.#text.length > 65_536) this.flush();
  }

  flush(): void {
    if (this.#text !== '') this.#sink.write(Buffer.from(this.#text));
    this.#text = '';
  }
}

/** The checkpoint of a process that does nothing else. */
async function giveWay(): Promise<void> {}
