import { join } from 'node:path';
import {
  type CollectOptions,
  escapePath,
  explainLine,
  type NamedTargets,
  planNamedTargets,
  type TargetPlan,
  targetDirectories,
  translateWslPath,
} from '@jinn/context';
import { beginWork } from '@jinn/core';
import { FlagError } from '@jinn/core/command-line';
import { ToolError } from '@jinn/core/errors';
import { unquoteName } from '@jinn/core/text/unquote-name';
import type { Copier } from './copier.ts';
import { type Flags, parseJinniFlags, settingsAsked, writtenCounterOf } from './flags.ts';
import { JINNI_SPEC } from './jinni-spec.ts';
import { existingParts, Output } from './output.ts';
import type { CommitRange } from './range.ts';
import { Reporter } from './reporter.ts';
import { readSettingsFile } from './settings/settings-file.ts';
import * as system from './start/jinni-system.ts';
import type { PlannedRun } from './write-document.ts';

/** What `git ls-files` writes before a name with -t, -v, -s and --eol. */
const DECORATION = /^(?:[A-Za-z?] )?(?:\d{6} [\da-f]{40,64} \d\t)?(?:i\/[^\t]*\t)?/;
const DEBUG_LOG = 'jinni_debug.log';

/** Runs the program. Returns its exit status: 0, 1 for an error, 2 for wrong flags. */
export async function run(argv: readonly string[], version: string): Promise<number> {
  const reporter = new Reporter();
  try {
    for (let watch = await runOnce(argv, version, reporter); watch; ) {
      reporter.line('watching for changes; ctrl-c ends it');
      await watch.changed();
      watch = await runOnce(argv, version, reporter);
    }
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

async function runOnce(
  argv: readonly string[],
  version: string,
  reporter: Reporter,
): Promise<system.ChangeWatch | undefined> {
  const { profile, none } = settingsAsked(argv);
  const flags = parseJinniFlags(argv, system.exists, none ? [] : await readSettings(profile));
  const printed = await textOf(flags, version);
  if (printed !== undefined) {
    system.writeTo(1, Buffer.from(printed));
    return undefined;
  }
  beginWork();
  const work = new Run(flags, reporter);
  await work.go();
  return work.watch;
}

async function readSettings(profile: string | undefined): Promise<string[]> {
  const text = readSettingsFile();
  if (!text && profile === undefined) return [];
  return (await import('./settings/settings-as-flags.ts')).settingsAsFlags(text, profile);
}

async function textOf(flags: Flags, version: string): Promise<string | undefined> {
  switch (flags.do) {
    case 'completion':
      return (await import('@jinn/core/command-line/completion')).completionScript(
        flags.paths[1] ?? '',
        'jinni',
        JINNI_SPEC,
      );
    case 'help':
      return (await import('./help.txt')).default;
    case 'usage':
      return (await import('@jinn/context/rules-page')).RULES_PAGE;
    case 'schema':
      return (await import('./settings/settings-schema.ts')).settingsSchema();
    case 'init':
      return (await import('./settings/settings-schema.ts')).writeFirstSettings();
    case 'version':
      return `${version}\n`;
    default:
      return undefined;
  }
}

class Run {
  readonly #flags: Flags;
  readonly #reporter: Reporter;
  watch: system.ChangeWatch | undefined;
  #range: CommitRange | undefined;

  constructor(flags: Flags, reporter: Reporter) {
    this.#flags = flags;
    this.#reporter = reporter;
  }

  async go(): Promise<void> {
    const { remote, idle } = this.#flags;
    if (idle.length > 0) this.#reporter.warn(`${idle.join(', ')}: without effect on a list`);
    if (remote === undefined) return this.#goIn(system.workingDirectory());
    const directory = system.makeTempDirectory();
    try {
      const path = await this.#clone(remote, directory);
      await this.#goIn(directory, path);
    } finally {
      system.remove(directory);
    }
  }

  async #clone(remote: string, directory: string): Promise<string | undefined> {
    const { cloneShallow, toRemote } = await import('@jinn/git/clone-shallow');
    const { RECENT_COMMITS } = await import('@jinn/git/git-log');
    const asked = toRemote(remote);
    const { gitLog = 0, sort } = this.#flags;
    // The oldest commit of a shallow clone looks as if it had added all files, so it is one that is not shown.
    const depth = Math.max(gitLog, sort === 'change' ? RECENT_COMMITS : 0) + 1;
    this.#reporter.begin(`cloning ${asked.url}`);
    return cloneShallow({ ...asked, directory, depth, variables: system.variables() });
  }

  async #goIn(cwd: string, path = '.'): Promise<void> {
    const { root, debugExplain, stdin, overrides: file } = this.#flags;
    const paths = this.#flags.paths.map((path) => this.#translate(path));
    if (stdin) paths.push(...this.#readPaths());
    const overrides =
      file === undefined
        ? undefined
        : { file, content: system.readNamedFile('overrides', file, this.#translate(file)) };
    const named = {
      paths: paths.length > 0 || stdin ? paths : [root === undefined ? path : this.#translate(root)],
      root: root === undefined ? undefined : this.#translate(root),
      cwd,
      variables: system.variables(),
    };
    this.#range = await this.#openRange(named);
    const plan = planNamedTargets(this.#range?.named ?? named);
    const log = debugExplain ? this.#createLog() : undefined;
    try {
      this.#refuseOwnTarget(plan);
      const { not, notIn, notFiles, keepOnly, includeFrom, noDefaults } = this.#flags;
      const include = [...this.#flags.include, ...includeFrom.flatMap((path) => this.#readGlobs(path))];
      const options: CollectOptions = {
        ...{ overrides, not, notIn, notFiles, keepOnly, include, noDefaults },
        ownOutputs: this.#ownOutputs(),
        opensNamed: true,
        charsets: { session: {}, user: system.userSettings() },
        checkpoint: async () => {}, // The process does nothing else.
        warn: this.#reporter.warn,
        explain: this.#explainer(log),
      };
      await this.#produce(plan, this.#flags.watch ? this.#watching(plan, options) : options);
    } finally {
      log?.close();
      plan.close();
      if (this.#range) system.remove(this.#range.directory);
    }
  }

  /** Reports the rules: with --debug-explain for each decision, with --explain for files that are excluded. */
  #explainer(log: system.OutputFile | undefined): CollectOptions['explain'] {
    const { debugExplain, explain } = this.#flags;
    if (debugExplain) return (explanation) => this.#log(explainLine(explanation), log);
    if (!explain) return undefined;
    return ({ path, isDirectory, included, reason }) => {
      if (!included) this.#reporter.line(`out ${escapePath(path)}${isDirectory ? '/' : ''}: ${reason}`);
    };
  }

  /** Watches each directory from the moment it is walked, so that no change is missed. */
  #watching(plan: TargetPlan, options: CollectOptions): CollectOptions {
    const watch = new system.ChangeWatch(new Set(options.ownOutputs));
    this.watch = watch;
    for (const directory of [system.workingDirectory(), ...targetDirectories(plan)]) watch.add(directory); // The first has settings.
    return {
      ...options,
      explain: (explanation) => {
        const { path, isDirectory, included } = explanation;
        if (isDirectory && included) watch.add(join(plan.outputRoot, path));
        options.explain?.(explanation);
      },
    };
  }

  async #produce(plan: TargetPlan, chosen: CollectOptions): Promise<void> {
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
      this.#reporter,
    );
    const onOmissions = (sentence: string) => sink.addOmission(`${sentence}. --no-defaults includes them`);
    const options = { ...chosen, onOmissions };
    const run = await this.#planRun(plan, options);
    const files = isDocument
      ? await (await import('./write-document.ts')).writeDocument(this.#flags, run, sink)
      : await (await import('./write-list.ts')).writeList(this.#flags, run, sink);
    this.#reporter.clear();
    await sink.finish({ files });
  }

  async #findCopier(): Promise<Copier | undefined> {
    const { findCopier } = await import('./copier.ts');
    const copier = await findCopier(this.#reporter);
    if (copier || !this.#flags.clip) return copier;
    throw new ToolError('not_found', '--clip: there is no clipboard here', {
      suggestion: 'install wl-clipboard, xsel or xclip, or write to a file with -o FILE',
    });
  }

  async #openRange(named: NamedTargets): Promise<CommitRange | undefined> {
    const { changed } = this.#flags;
    if (changed === undefined || !(await import('@jinn/git/git-range')).isRange(changed)) return undefined;
    return (await import('./range.ts')).openRange(named, changed);
  }

  async #planRun(plan: TargetPlan, options: CollectOptions): Promise<PlannedRun> {
    const { changed, diff } = this.#flags;
    const run = { reporter: this.#reporter, plan, range: this.#range };
    if (changed === undefined && !diff) return { ...run, options, sections: undefined };
    const { findChangeOptions } = await import('./changes.ts');
    const { only, sections } = await findChangeOptions(this.#flags, run, options.warn);
    return { ...run, options: { ...options, only }, sections };
  }

  #translate(path: string): string {
    const translated = system.variables()['JINNI_NO_WSL_TRANSLATE'] === '1' ? path : translateWslPath(path);
    if (!translated.includes('\0')) return translated;
    throw new ToolError('invalid_args', `a path has a NUL in it: ${JSON.stringify(path)}`);
  }

  #readPaths(): string[] {
    const text = system.readStdin().toString();
    const paths = text.split(text.includes('\0') ? '\0' : /\r?\n/).filter((path) => path !== '');
    const named = paths.map((path) => {
      const readings = [path, unquoteName(path), unquoteName(path.replace(DECORATION, ''))].map((reading) =>
        this.#translate(reading),
      );
      return readings.find(system.exists) ?? (readings[1] as string);
    });
    return named.filter((path) => {
      const isThere = system.exists(path); // A list of paths may name files that are gone.
      if (!isThere) this.#reporter.warn(`${escapePath(path)}: does not exist, skipped`);
      return isThere;
    });
  }

  /** Reads the globs of `--include-from`: a line each, without comments. */
  #readGlobs(path: string): string[] {
    const content = path === '-' ? system.readStdin() : system.readNamedFile('patterns', path, this.#translate(path));
    const lines = content
      .toString()
      .replace(/^\ufeff/, '')
      .split('\n');
    const globs = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
    if (globs.length > 0) return globs.map((glob) => glob.replace(/^\\#/, '#'));
    throw new ToolError('invalid_args', `--include-from ${path}: no pattern in it`);
  }

  /** Refuses an output file that is also a target, because writing would destroy it. */
  #refuseOwnTarget({ targets }: TargetPlan): void {
    const { output, splitBytes } = this.#flags;
    if (output === undefined || splitBytes !== undefined) return;
    const real = system.resolveLinks(output);
    if (!targets.some(({ kind, workspace, path }) => kind === 'file' && join(workspace.root, path) === real)) return;
    throw new ToolError('invalid_args', `The output would replace the target ${escapePath(output)}`, {
      suggestion: 'name another file with -o',
    });
  }

  #ownOutputs(): string[] {
    const { output = system.standardOutputPath(), debugExplain, splitBytes } = this.#flags;
    const paths = [...(output === undefined ? [] : [output]), ...(debugExplain ? [DEBUG_LOG] : [])];
    if (splitBytes !== undefined && output !== undefined) paths.push(...existingParts(output, 1));
    return paths.map(system.resolveLinks);
  }

  #createLog(): system.OutputFile | undefined {
    try {
      return system.createHere(DEBUG_LOG);
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? 'unknown';
      this.#reporter.warn(`${DEBUG_LOG} cannot be written (${reason}). The explanation goes only to standard error`);
      return undefined;
    }
  }

  #log(line: string, log: system.OutputFile | undefined): void {
    this.#reporter.line(line);
    log?.write(Buffer.from(`${line}\n`));
  }
}
