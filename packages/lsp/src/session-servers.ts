import type { ToolContext } from '@jinn/core';
import { findHidden, startConfinedServer, temporaryInside } from '@jinn/process/sandbox';
import type { ChangedFile } from '@jinn/workspace';
import { type DiagnosticsDifference, diagnoseChange } from './answers/diagnose-change.ts';
import { showDiagnostic } from './answers/diagnostics.ts';
import { bound, type LateDifference } from './answers/findings.ts';
import { toEvents, WatchedFiles } from './documents/file-watch.ts';
import { findDependents, Mentions } from './documents/mentions.ts';
import { createSourceFiles, type SourceFiles } from './documents/source-files.ts';
import { LanguageServers } from './language-servers.ts';
import { isServedBy } from './servers/find-server.ts';
import { type LspSettings, readLanguageConfig } from './servers/lsp-settings.ts';
import { SessionTrust } from './servers/server-trust.ts';

const REPORT_MS = 2_000;
/** The cache directory for servers that need one where they get none: nothing can be made below it. */
const NO_CACHE = '/dev/null/jinn';

export interface OpenServers {
  readonly watched: WatchedFiles;
  readonly mentions: Mentions;
  readonly servers: LanguageServers;
  readonly files: SourceFiles;
  readonly settings: LspSettings;
  readonly trust: SessionTrust;
}

/** Keeps the language servers of a session warm, and ends them with it. */
export class SessionServers {
  #opened: Promise<OpenServers> | undefined;

  /** The settings are read at the first call. Starts nothing. */
  open(ctx: ToolContext): Promise<OpenServers> {
    this.#opened ??= openServers(ctx).catch((error) => {
      this.#opened = undefined; // The settings may be fixed before the next call.
      throw error;
    });
    return this.#opened;
  }

  /** Notifies the servers. Returns the diagnostics that appeared and disappeared, if one is warm. */
  async filesChanged(changed: readonly ChangedFile[], signal?: AbortSignal): Promise<object | undefined> {
    if (!this.#opened) return undefined;
    const opened = await this.#opened;
    const { servers, files, settings } = opened;
    const changes = changed.map(({ file, after }) => ({ path: file.path, before: file.content, after }));
    servers.notify(toEvents(changes));
    const { diagnose: severity, diagnoseWaitMs: waitMs } = settings;
    if (severity === 'off' || waitMs === 0) return undefined;
    const difference = await diagnoseChange(servers, changes, {
      files,
      waitMs,
      severity,
      signal,
      findDependents: (paths, { id }, limitMs) => {
        const isServed = (path: string) => isServedBy(settings.table, path, id);
        return findDependents(paths, opened, { limitMs, isServed });
      },
    });
    const late = [...(difference?.late ?? []), ...servers.takeLate()];
    return { ...(difference && { diagnostics: toMeta(difference) }), ...lateMeta(late, severity) };
  }

  async news(): Promise<object | undefined> {
    const opened = await this.#opened?.catch(() => undefined);
    return opened && lateMeta(opened.servers.takeLate(), opened.settings.diagnose);
  }

  async isRunning(): Promise<boolean> {
    const opened = await this.#opened?.catch(() => undefined);
    return opened !== undefined && opened.servers.running.length > 0;
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    opened?.watched.close();
    await opened?.servers.close();
  }
}

function toMeta({ appeared, disappeared, omitted, isPending, failure }: DiagnosticsDifference): object {
  return {
    new: appeared.map(showDiagnostic),
    fixed: disappeared.map(showDiagnostic),
    ...(omitted > 0 && { omitted }),
    ...(isPending && { pending: true }),
    ...(failure !== undefined && { reason: failure }),
  };
}

function lateMeta(late: readonly LateDifference[], severity: LspSettings['diagnose']): object | undefined {
  if (late.length === 0 || severity === 'off') return undefined;
  const { appeared, disappeared, present, omitted } = bound(
    {
      appeared: late.flatMap((each) => each.appeared),
      disappeared: late.flatMap((each) => each.disappeared),
      present: late.flatMap((each) => each.present),
    },
    severity,
  );
  return {
    late_diagnostics: {
      new: appeared.map(showDiagnostic),
      fixed: disappeared.map(showDiagnostic),
      ...(present.length > 0 && { present: present.map(showDiagnostic) }),
      ...(omitted > 0 && { omitted }),
    },
  };
}

/** For `session.use`: all tools of a session share one set of servers. */
export function createSessionServers(): SessionServers {
  return new SessionServers();
}

async function openServers(ctx: ToolContext): Promise<OpenServers> {
  const { workspace, environment, commandPath, log } = ctx;
  const { settings, warnings } = readLanguageConfig(ctx);
  for (const warning of warnings) ctx.warn(warning);
  const trust = new SessionTrust(ctx.grants);
  const policy = await ctx.sandboxPolicy();
  const confinement = { root: workspace.root, policy, network: policy.network };
  const inside = await temporaryInside(confinement);
  const files = createSourceFiles(workspace, ctx);
  const watched = new WatchedFiles(workspace);
  const servers = new LanguageServers({
    files,
    settings,
    environment,
    commandPath,
    trust,
    cacheDirectory: inside ?? workspace.cacheDirectory ?? NO_CACHE,
    ...(inside !== undefined && { isConfined: true, hidden: await findHidden(confinement) }),
    list: () => watched.list(),
    start: (command) => startConfinedServer(command, confinement),
    log,
  });
  return { servers, files, settings, trust, watched, mentions: new Mentions(workspace, watched) };
}

/** Reports to the host what a server does, at once and then every two seconds, with the seconds that have passed. */
export function withReports<T>(ctx: ToolContext, work: (report: (doing: string) => void) => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  let last = '';
  const report = (doing = last) => {
    last = doing;
    if (doing !== '') ctx.progress(doing, (performance.now() - startedAt) / 1000);
  };
  const timer = setInterval(report, REPORT_MS);
  return work(report).finally(() => clearInterval(timer));
}
