import path from 'node:path';
import { ToolError } from '@jinn/core/errors';
import { toPathPattern } from '@jinn/store/fingerprints';
import { askWidely } from './answers/ask-widely.ts';
import type { LateDifference } from './answers/findings.ts';
import type { LanguageAnswer, LanguageQuestion, ServerView } from './answers/language-question.ts';
import { Deadline } from './client/deadline.ts';
import { AnsweredError, ServerDied, tooEarly } from './client/server-error.ts';
import {
  CHANGED,
  CREATED,
  type FileEvent,
  FileWatch,
  type ListFiles,
  toNotifications,
} from './documents/file-watch.ts';
import { type Choice, isServedBy, NoServer, type UntrustedServer } from './servers/find-server.ts';
import { type LaunchOptions, launchServer, type RunningServer } from './servers/launch-server.ts';
import { ServerChoices, type ServerChoicesOptions } from './servers/server-choices.ts';
import type { Server } from './servers/server-table.ts';
import { codeNames } from './servers/server-trust.ts';

const MAX_FAILURES = 3;
const WITHIN_MS = 5 * 60_000;
const PAUSE_MS = 60_000;
/** The share of the time that is left for the question itself when a server is not ready in time. */
const SHARE_FOR_ASKING = 0.2;
const MAX_CREATED = 20;
const RELOAD_MS = 60_000;

export interface LanguageServersOptions extends ServerChoicesOptions, LaunchOptions {
  /** Without it, servers only hear of changes that jinn makes and of files that are open. */
  readonly list?: ListFiles;
}

/** A reason why a file has no server: the best installed one only lacks the trust of the user. */
export interface LackOfTrust extends UntrustedServer {
  readonly error: ToolError;
}

/** The server of a file, or why only trust is missing. Neither if none is installed. */
export interface PreparedServer {
  readonly choice?: Choice;
  readonly untrusted?: LackOfTrust;
}

interface Slot {
  readonly key: string;
  readonly choice: Choice;
  /** The paths of files that decide which code of the workspace the server runs. */
  readonly code: RegExp;
  readonly ready: Promise<RunningServer>;
  readonly abort: AbortController;
  running: RunningServer | undefined;
  busy: number;
  usedAt: number;
  timer: NodeJS.Timeout | undefined;
}

/** The language servers of a workspace. They start at the first question, and end when they are not used. */
export class LanguageServers {
  readonly #options: LanguageServersOptions;
  readonly #slots = new Map<string, Slot>();
  readonly #choices: ServerChoices;
  readonly #failures = new Failures();
  readonly #ending = new Set<Promise<void>>();
  readonly #reloads = new WeakMap<RunningServer, Promise<unknown>>();
  readonly #watch: FileWatch | undefined;
  #isClosed = false;

  constructor(options: LanguageServersOptions) {
    this.#options = options;
    const { list } = options;
    this.#watch = list && new FileWatch(list);
    this.#choices = new ServerChoices(options, {
      isRunning: (key) => this.#slots.has(key) && !this.#slots.get(key)?.running?.client.hasEnded,
      endAll: (id) => this.#releaseWhere(({ choice }) => choice.server.id === id),
    });
  }

  /**
   * Asks the server of a file. Throws `lsp_unavailable` if there is none, `timeout` if the project is not loaded yet,
   * and the error of the question.
   */
  async ask<T>(question: LanguageQuestion<T>): Promise<LanguageAnswer<T>> {
    const deadline = new Deadline(question.limitMs, question.signal);
    for (let attempt = 1; ; attempt++) {
      const slot = await this.#slotFor(question.path, deadline, attempt === 1 ? question.prepared : undefined);
      try {
        return await this.#askSlot(slot, question, deadline);
      } catch (error) {
        const mayRepeat = question.mayRepeat !== false && attempt === 1 && deadline.left > 0;
        if (!(error instanceof ServerDied && mayRepeat)) throw error;
      }
    }
  }

  /** Chooses the server of a file before a call runs. Starts nothing. */
  async prepare(file: string): Promise<PreparedServer> {
    // Code that was changed ends the server that runs it, so that the user is asked again.
    if ([...this.#slots.values()].some(({ choice }) => choice.isTrusted)) await this.synchronize();
    try {
      return { choice: await this.#choices.choose(file) };
    } catch (error) {
      return error instanceof NoServer && error.untrusted ? { untrusted: { ...error.untrusted, error } } : {};
    }
  }

  /** Returns a server that runs and has loaded the project. Security: wait for `isStillFit` before you send it more. */
  warm(file: string): RunningServer | undefined {
    const choice = this.#choices.known(file);
    const running = choice && this.#slots.get(this.#choices.keyOf(choice, file))?.running;
    return running && !running.client.hasEnded && running.client.readiness.isReady ? running : undefined;
  }

  /** False if the server has come to run code of the workspace that no one trusts: then it is ended. */
  async isStillFit(file: string): Promise<boolean> {
    const choice = this.#choices.known(file);
    return choice !== undefined && (await this.#choices.isStillFit(choice, file));
  }

  async holding<T>(running: RunningServer, work: () => Promise<T>): Promise<T> {
    const slot = [...this.#slots.values()].find((candidate) => candidate.running === running);
    return slot ? this.#hold(slot, work) : work();
  }

  get running(): string[] {
    return [...this.#slots.keys()];
  }

  takeLate(): LateDifference[] {
    const { files } = this.#options;
    return [...this.#slots.values()].flatMap(
      ({ running }) => running?.late.take((path, { stat }) => files.stat(path) === stat) ?? [],
    );
  }

  notify(events: readonly FileEvent[]): void {
    if (events.length === 0) return;
    const moved = events.filter(({ type }) => type !== CHANGED);
    if (moved.length > 0) this.#choices.forgetRoots();
    // Security: a server that would run other code than was trusted ends before it hears of it.
    this.#releaseWhere(({ code }) => events.some((event) => code.test(event.path)));
    const notifications = toNotifications(this.#options.files.root, events);
    for (const { running } of this.#slots.values()) {
      for (const notification of notifications) {
        running?.client.notify('workspace/didChangeWatchedFiles', notification);
      }
      running?.documents.filesChanged();
      if (running?.server.opensCreated) this.#openCreated(running, events);
      if (running?.server.diagnostics === 'tsserver') this.#reload(running, moved);
    }
  }

  /** tsserver never resolves the imports of a file that is opened before its own watcher has seen it. */
  #reload(running: RunningServer, moved: readonly FileEvent[]): void {
    const { table } = this.#options.settings;
    if (!moved.some((event) => isServedBy(table, event.path, running.server.id))) return;
    const params = { command: 'typescript.tsserverRequest', arguments: ['reloadProjects', {}] };
    const reload = running.client.request('workspace/executeCommand', params, new Deadline(RELOAD_MS)).catch(() => {});
    this.#reloads.set(running, reload);
  }

  #openCreated({ server, documents }: RunningServer, events: readonly FileEvent[]): void {
    const { table } = this.#options.settings;
    const created = events.filter(({ type }) => type === CREATED).map((event) => event.path);
    const own = created.filter((file) => isServedBy(table, file, server.id));
    for (const file of own.slice(0, MAX_CREATED)) {
      try {
        documents.show(file);
      } catch {
        // It has gone, or is not for servers. It was only a guess.
      }
    }
  }

  /** Ends the server of a file, and forgets that it failed. Throws `lsp_unavailable` if there is none. */
  async restart(file: string): Promise<Server> {
    const choice = await this.#choices.choose(file);
    const key = this.#choices.keyOf(choice, file);
    this.#failures.forget(key);
    this.#releaseWhere((slot) => slot.key === key);
    await Promise.all(this.#ending);
    return choice.server;
  }

  async synchronize(): Promise<void> {
    this.notify((await this.#watch?.changes()) ?? []);
    for (const { running } of this.#slots.values()) running?.documents.synchronize();
  }

  /** None of the processes runs when the promise is fulfilled. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#releaseWhere(() => true);
    await Promise.all(this.#ending);
  }

  async #askSlot<T>(slot: Slot, question: LanguageQuestion<T>, deadline: Deadline): Promise<LanguageAnswer<T>> {
    return this.#hold(slot, async () => {
      if (!slot.running) question.progress?.(`the language server ${slot.choice.server.id} starts`);
      const { loadingMs = 0 } = question;
      deadline.goOnWhile(() => !slot.running || slot.running.client.isLoading, loadingMs);
      const running = await this.#whenStarted(slot, deadline);
      const view = await this.#prepare(running, question, deadline);
      const { client } = running;
      const before = client.readiness.isReady ? undefined : client.readiness.reason;
      const { table } = this.#options.settings;
      const isServed = (file: string) => isServedBy(table, file, client.server.id);
      const { value, late, unknown } = await askWidely(view, question, isServed).catch((error) => {
        throw error instanceof AnsweredError ? (client.notLoaded ?? error) : error;
      });
      const unready = client.readiness.isReady ? undefined : (client.readiness.reason ?? before);
      if (unready !== undefined && isEmpty(value)) throw tooEarly(question.limitMs, unready);
      if (client.notLoaded && isEmpty(value)) throw client.notLoaded;
      const early = [before, client.lacks, late].filter((reason) => reason !== undefined);
      const reasons = [...early, ...unknown, ...this.#whatIsWanted(running, question)];
      const isPartial = late !== undefined;
      return {
        value,
        server: client.server.id,
        incomplete: [...new Set(reasons)],
        isPartial,
        isEarly: early.length > 0,
      };
    });
  }

  /** Waits until a server runs and knows the disk. Throws ServerDied if it was ended because its code has changed. */
  async #whenStarted(slot: Slot, deadline: Deadline): Promise<RunningServer> {
    const died = () => new ServerDied(`the language server ${slot.choice.server.id} was ended`);
    const running = await deadline
      .race(slot.ready, () => 'the language server starts, and has sent no answer yet')
      .catch((error) => Promise.reject(slot.abort.signal.aborted ? died() : error));
    await this.synchronize();
    if (this.#slots.get(slot.key) !== slot) throw died();
    await deadline.race(Promise.resolve(this.#reloads.get(running)), () => 'the language server reads new files');
    return running;
  }

  async #prepare<T>(running: RunningServer, question: LanguageQuestion<T>, deadline: Deadline): Promise<ServerView> {
    const { client, documents, diagnoser } = running;
    await this.#options.files.prepare([question.path]);
    const document = documents.show(question.path);
    client.readiness.documentOpened();
    const share = deadline.within(deadline.left * (1 - SHARE_FOR_ASKING));
    await client.readiness.wait(share, (message) => question.progress?.(message));
    return { client, document, documents, diagnoser, files: this.#options.files, deadline };
  }

  #whatIsWanted<T>({ server, client }: RunningServer, question: LanguageQuestion<T>): string[] {
    const { wants = [] } = server;
    if (!question.isProjectWide || wants.length === 0) return [];
    const { files } = this.#options;
    const root = path.posix.relative(files.root, client.root);
    if (wants.some((name) => files.stat(path.posix.join(root, name)) !== undefined)) return [];
    return [`without ${wants.join(' or ')} ${server.id} knows only the files that were opened`];
  }

  async #slotFor(file: string, deadline: Deadline, prepared?: Choice): Promise<Slot> {
    if (this.#isClosed) throw new ToolError('lsp_unavailable', 'the session has ended');
    const choice = await this.#choices.choose(file, prepared);
    const key = this.#choices.keyOf(choice, file);
    const known = this.#slots.get(key);
    if (known && !known.running?.client.hasEnded) return known;
    if (known) this.#release(known);
    await this.synchronize(); // The new server is notified of changes from here on.
    this.#failures.rejectFailing(key, choice.server.id);
    // While another server ends, much may change.
    if (await this.#makeRoom(deadline)) return this.#slotFor(file, deadline);
    return this.#slots.get(key) ?? this.#open(key, choice, file);
  }

  #open(key: string, choice: Choice, file: string): Slot {
    const abort = new AbortController();
    const ready = launchServer(choice, this.#choices.rootOf(choice.server, file), this.#options, abort.signal);
    const code = toPathPattern(codeNames(choice.server));
    const state = { running: undefined, busy: 0, usedAt: performance.now(), timer: undefined };
    const slot: Slot = { key, choice, code, ready, abort, ...state };
    this.#slots.set(key, slot);
    this.#options.trust.started(choice.server.id);
    ready.then(
      (running) => {
        slot.running = running;
        void running.client.ended.then(() => this.#forget(slot, running.client.hasFailed));
      },
      () => this.#forget(slot, !abort.signal.aborted),
    );
    return slot;
  }

  async #hold<T>(slot: Slot, work: () => Promise<T>): Promise<T> {
    clearTimeout(slot.timer);
    slot.busy++;
    try {
      return await work();
    } finally {
      slot.busy--;
      slot.usedAt = performance.now();
      if (slot.busy === 0 && !this.#isClosed) {
        slot.timer = setTimeout(() => this.#release(slot), this.#options.settings.idleMs).unref();
      }
    }
  }

  /** Returns true if it waited for another server to end. */
  async #makeRoom(deadline: Deadline): Promise<boolean> {
    const { maxServers } = this.#options.settings;
    const mustWait = this.#slots.size >= maxServers;
    while (this.#slots.size >= maxServers) {
      const idle = [...this.#slots.values()].filter(({ busy }) => busy === 0);
      const [oldest] = idle.sort((a, b) => a.usedAt - b.usedAt);
      if (!oldest) {
        throw new ToolError('resource_limit', `${maxServers} language servers are at work already`, {
          suggestion: 'try again when another call has ended, or raise lsp.max_servers in config.json',
        });
      }
      this.#release(oldest);
      await deadline.race(Promise.all(this.#ending), () => 'another language server ends');
    }
    return mustWait;
  }

  #release(slot: Slot): void {
    clearTimeout(slot.timer);
    if (this.#slots.get(slot.key) === slot) this.#slots.delete(slot.key);
    slot.abort.abort();
    const ending = slot.ready.then(
      ({ client }) => client.end(),
      () => {},
    );
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending));
  }

  #releaseWhere(isMeant: (slot: Slot) => boolean): void {
    for (const slot of [...this.#slots.values()]) if (isMeant(slot)) this.#release(slot);
  }

  #forget(slot: Slot, hasFailed: boolean): void {
    clearTimeout(slot.timer);
    if (this.#slots.get(slot.key) === slot) this.#slots.delete(slot.key);
    if (!hasFailed) return;
    this.#failures.record(slot.key);
    this.#choices.forgetChoices();
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

class Failures {
  readonly #times = new Map<string, readonly number[]>();

  record(key: string): void {
    this.#times.set(key, [...this.#recent(key), performance.now()]);
  }

  forget(key: string): void {
    this.#times.delete(key);
  }

  /** Throws `lsp_unavailable` if the server failed three times in five minutes, the last within a minute. */
  rejectFailing(key: string, serverId: string): void {
    const recent = this.#recent(key);
    const rest = PAUSE_MS - (performance.now() - (recent.at(-1) ?? Number.NEGATIVE_INFINITY));
    if (recent.length < MAX_FAILURES || rest <= 0) return;
    throw new ToolError('lsp_unavailable', `the language server ${serverId} failed ${recent.length} times in a row`, {
      suggestion: `it is not started again for ${Math.ceil(rest / 1000)} seconds: call lsp_query with action restart when it is fixed, or choose another in config.json`,
    });
  }

  #recent(key: string): readonly number[] {
    const since = performance.now() - WITHIN_MS;
    return (this.#times.get(key) ?? []).filter((at) => at >= since);
  }
}
