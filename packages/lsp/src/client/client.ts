import type { Writable } from 'node:stream';
import { ToolError } from '@jinn/core/errors';
import { isObject } from '@jinn/core/text';
import type { ServerProcess } from '@jinn/process';
import {
  CancellationTokenSource,
  createMessageConnection,
  ErrorCodes,
  type Message,
  type MessageConnection,
  NullLogger,
  ResponseError,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import type { ClientCapabilities, ServerCapabilities, WorkspaceEdit } from 'vscode-languageserver-protocol';
import type { Server } from '../servers/server-table.ts';
import CAPABILITIES from './client-capabilities.json' with { type: 'json' };
import type { Deadline } from './deadline.ts';
import { FrameReader } from './frame-reader.ts';
import type { PositionEncoding } from './positions.ts';
import { Readiness } from './readiness.ts';
import { explainEnd, fromServer, type HiddenReason, notLoaded, plainMessage, ServerDied } from './server-error.ts';
import { RequestAnswers, scalarText, workspaceFolder } from './server-requests.ts';

/** The capabilities that servers see. Nothing is offered that is not handled. */
const CLIENT_CAPABILITIES = CAPABILITIES as ClientCapabilities;

/** The errors of a server that was disturbed by a change. Asking again helps. */
const ASK_AGAIN = new Set([-32801, -32802, -32800]);
const ATTEMPTS = 4;
const PAUSE_MS = 200;
/** A server that leaves this many requests in a row without an answer is ended. */
const MAX_UNANSWERED = 3;
const SHUTDOWN_MS = 2_000;
const GRACE_MS = 1_000;

export interface ClientSetup {
  readonly server: Server;
  readonly process: ServerProcess;
  readonly root: string;
  readonly workspaceRoot: string;
  /** Null if the server cannot see this process. Otherwise it ends with it. */
  readonly processId: number | null;
  explain(said: string): HiddenReason | undefined;
  log(line: string): void;
}

/** A running language server and our end of the protocol with it. */
export class LanguageClient {
  readonly server: Server;
  readonly root: string;
  readonly readiness: Readiness;
  onDiagnostics: (params: Record<string, unknown>) => void = () => {};
  readonly #setup: ClientSetup;
  readonly #connection: MessageConnection;
  readonly #answers: RequestAnswers;
  #capabilities: ServerCapabilities = {};
  #encoding: PositionEncoding = 'utf-16';
  #death: ServerDied | undefined;
  #unanswered = 0;
  #heardAt = 0;
  #ending: Promise<void> | undefined;
  readonly ended: Promise<void>;
  #tellEnd: () => void = () => {};

  private constructor(setup: ClientSetup) {
    const { server, process, root } = setup;
    this.server = server;
    this.root = root;
    this.#setup = setup;
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
    this.readiness = new Readiness(server.ready);
    this.#answers = new RequestAnswers({ root, settings: server.settings ?? {}, answers: server.answers ?? {} });
    const reader = new FrameReader(process.output);
    this.#connection = createMessageConnection(reader, new HoldingWriter(process.input, reader), NullLogger, {
      messageStrategy: {
        handleMessage: (message, next) => {
          reader.handled(message);
          this.#heardAt = performance.now();
          return next(message);
        },
      },
    });
    this.#listen();
  }

  /** Takes over a started process and shakes hands. Throws ServerDied or `timeout`. Then the process is ended. */
  static async start(setup: ClientSetup, deadline: Deadline): Promise<LanguageClient> {
    const client = new LanguageClient(setup);
    try {
      await client.#initialize(deadline);
    } catch (error) {
      await client.kill('it did not start');
      throw error;
    }
    return client;
  }

  get notLoaded(): ToolError | undefined {
    const { failure } = this.readiness;
    if (failure === undefined) return undefined;
    const hidden = this.#setup.explain(`${failure}\n${this.#setup.process.stderr()}`);
    return notLoaded(this.server, failure, { root: this.#setup.workspaceRoot, hidden });
  }

  get lacks(): string | undefined {
    const { notLoaded: error } = this;
    return error ? `${error.message}; ${error.suggestion}` : this.readiness.reason;
  }

  /** True while the server signals, or reports by any progress, that it is not done. */
  get isLoading(): boolean {
    return !this.hasEnded && (!this.readiness.isReady || this.readiness.doing !== undefined);
  }

  get capabilities(): ServerCapabilities {
    return this.#capabilities;
  }

  get encoding(): PositionEncoding {
    return this.#encoding;
  }

  get hasEnded(): boolean {
    return this.#death !== undefined;
  }

  /** True if it ended though no one had asked it to. */
  get hasFailed(): boolean {
    return this.#death !== undefined && this.#ending === undefined;
  }

  /** True for what the server offered at the start or has registered for since. */
  can(capability: keyof ServerCapabilities, method: string): boolean {
    return Boolean(this.#capabilities[capability]) || this.#answers.registrationOf(method) !== undefined;
  }

  optionsOf(capability: keyof ServerCapabilities, method: string): Record<string, unknown> {
    const offered = this.#capabilities[capability];
    return (isObject(offered) ? offered : (this.#answers.registrationOf(method) ?? {})) as Record<string, unknown>;
  }

  /** Returns a result that must be checked before use. Throws `timeout`, `canceled`, `lsp_error` and ServerDied. */
  async request(method: string, params: object, deadline: Deadline): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(method, params, deadline);
      } catch (error) {
        if (error instanceof ResponseError && error.code === ErrorCodes.MessageWriteError) await this.#closed();
        const isAgain = error instanceof ResponseError && ASK_AGAIN.has(error.code) && attempt < ATTEMPTS;
        if (!isAgain || deadline.left < PAUSE_MS) throw this.#toError(error);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  notify(method: string, params: object): void {
    if (!this.#death) void quietly(() => this.#connection.sendNotification(method, params));
  }

  execute(command: string, args: readonly unknown[], deadline: Deadline): Promise<WorkspaceEdit[]> {
    return this.#answers.capture(() =>
      this.request('workspace/executeCommand', { command, arguments: args }, deadline),
    );
  }

  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async kill(why: string): Promise<void> {
    this.#die(why);
    await this.#setup.process.stop(0);
  }

  async #end(): Promise<void> {
    if (!this.#death) {
      const asked = quietly(() => this.#connection.sendRequest('shutdown'));
      await Promise.race([asked, this.#setup.process.ended, sleep(SHUTDOWN_MS)]);
      await Promise.race([quietly(() => this.#connection.sendNotification('exit')), sleep(GRACE_MS)]);
    }
    this.#die('it was stopped');
    await this.#setup.process.stop(GRACE_MS);
  }

  async #send(method: string, params: object, deadline: Deadline): Promise<unknown> {
    if (this.#death) throw this.#death;
    const cancellation = new CancellationTokenSource();
    const askedAt = performance.now();
    const doing = () => this.readiness.doing ?? `${this.server.id} has not answered ${method}`;
    try {
      const sent = this.#connection.sendRequest(method, params, cancellation.token);
      const result = await deadline.race(sent, doing, () => cancellation.cancel());
      this.#unanswered = 0;
      return result;
    } catch (error) {
      // A server that says anything meanwhile is at work.
      const isAtWork = this.isLoading || this.#heardAt > askedAt;
      if (!(error instanceof ToolError && error.code === 'timeout')) this.#unanswered = 0;
      else if (!deadline.isForgiving && !isAtWork) this.#missAnswer();
      throw error;
    } finally {
      cancellation.dispose();
    }
  }

  #missAnswer(): void {
    this.#unanswered++;
    if (this.#unanswered >= MAX_UNANSWERED) void this.kill(`it left ${MAX_UNANSWERED} requests without an answer`);
  }

  #toError(error: unknown): ToolError {
    if (error instanceof ToolError) return error;
    return this.#death ?? fromServer(error, this.#setup.workspaceRoot); // The library rejects pending requests with messages of its own.
  }

  async #initialize(deadline: Deadline): Promise<void> {
    const folder = workspaceFolder(this.root);
    const { server } = this;
    const params = {
      processId: this.#setup.processId,
      clientInfo: { name: 'jinn' },
      rootPath: this.root,
      rootUri: folder.uri,
      workspaceFolders: [folder],
      capabilities: CLIENT_CAPABILITIES,
      initializationOptions: server.initializationOptions ?? {},
    };
    const result = await this.request('initialize', params, deadline);
    const capabilities = isObject(result) ? result['capabilities'] : undefined;
    this.#capabilities = isObject(capabilities) ? (capabilities as ServerCapabilities) : {};
    const { positionEncoding } = this.#capabilities;
    if (positionEncoding === 'utf-8' || positionEncoding === 'utf-32') this.#encoding = positionEncoding;
    this.notify('initialized', {});
    if (server.settings) this.notify('workspace/didChangeConfiguration', { settings: server.settings });
  }

  #listen(): void {
    const connection = this.#connection;
    const { process } = this.#setup;
    connection.onRequest((method, params) => this.#answers.answer(method, params));
    connection.onNotification((method, params) => this.#take(method, params));
    connection.onUnhandledProgress(({ token, value }) => this.readiness.progressed(token, value));
    connection.onError(([error]) => void (isOfWriting(error) ? this.#closed() : this.kill(`it sent ${error.message}`)));
    connection.onClose(() => void this.#closed());
    void process.ended.then(({ error }) => this.#die(error ? 'it could not be started' : 'it ended'));
    connection.listen();
  }

  /** The process may have ended too, which explains it a moment later. */
  async #closed(): Promise<void> {
    await Promise.race([this.#setup.process.ended, sleep(GRACE_MS)]);
    await this.kill('it closed its output');
  }

  #take(method: string, params: unknown): void {
    const fields = isObject(params) ? params : {};
    if (method === 'textDocument/publishDiagnostics') this.onDiagnostics(fields);
    else if (method === 'window/logMessage') this.#readLog(scalarText(fields['message']));
    this.readiness.notified(method, params);
  }

  #readLog(message: string): void {
    const { dies, id } = this.server;
    const text = message.slice(0, 2_000);
    this.readiness.logged(text);
    if (dies !== undefined && new RegExp(dies).test(text)) {
      void this.kill(plainMessage(`${id} says: ${text}`, this.#setup.workspaceRoot));
    }
  }

  #die(why: string): void {
    if (this.#death) return;
    const { server, process, workspaceRoot, log } = this.#setup;
    const said = process.stderr();
    const hidden = this.#setup.explain(said);
    const told = [`the language server ${server.id} failed: ${why}`, explainEnd(said, workspaceRoot), hidden?.fact];
    this.#death = new ServerDied(told.filter(Boolean).join('; '), hidden);
    if (!this.#ending) log(this.#death.message);
    this.#connection.dispose(); // Without it, pending requests would never settle.
    this.readiness.end();
    this.#tellEnd();
  }
}

/** Stops reading from a server that does not read its input: it could send requests without end. */
class HoldingWriter extends StreamMessageWriter {
  readonly #reader: FrameReader;

  constructor(output: Writable, reader: FrameReader) {
    super(output);
    this.#reader = reader;
  }

  override async write(message: Message): Promise<void> {
    const release = this.#reader.hold();
    await super.write(message).finally(release);
  }
}

function isOfWriting(error: Error): boolean {
  return 'code' in error && /^(EPIPE|ECONNRESET|ERR_STREAM_)/.test(String(error.code));
}

async function quietly(send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch {
    // The library throws if the connection has ended, which is reported elsewhere.
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
