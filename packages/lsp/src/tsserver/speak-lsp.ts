import { PassThrough, type Writable } from 'node:stream';
import type { ServerProcess } from '@jinn/process';
import { ErrorCodes, type Message } from 'vscode-jsonrpc';
import { FrameReader } from '../client/frame-reader.ts';
import { ANY_LINE_END } from '../client/positions.ts';
import { scalarText } from '../client/server-requests.ts';
import { CHANGED } from '../documents/file-watch.ts';
import { CAPABILITIES, type Fields, fileOf, listOf, toFields, translate } from './requests.ts';

/** The messages of tsserver for no answer, which is not an error. */
const NOTHING: ReadonlySet<string> = new Set(['No content available.', 'No Project.']);
const SCRIPT_KINDS: Readonly<Record<string, string>> = {
  typescript: 'TS',
  typescriptreact: 'TSX',
  javascript: 'JS',
  javascriptreact: 'JSX',
};
/** The files whose changes tsserver is notified of. It looks for changes itself, but not at once. */
const KNOWN_FILES = /\.([cm]?[jt]sx?|json)$/;
const PREFERENCES = { providePrefixAndSuffixTextForRename: true, allowRenameOfImportPath: false };

interface PendingRequest {
  readonly id: unknown;
  result(body: unknown): unknown;
}

/** Makes a language server of a tsserver: a TypeScript of version 4 to 6 has no other. */
export function speakLsp(process: ServerProcess): ServerProcess {
  const session = new TsserverSession(process);
  return {
    ...process,
    input: session.input,
    output: session.output,
    stderr: () => [process.stderr(), session.fault].filter(Boolean).join('\n'),
  };
}

class TsserverSession {
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  fault: string | undefined;
  readonly #requests: FrameReader;
  readonly #answers: FrameReader;
  readonly #tsserver: Writable;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #ends = new Map<string, { endLine: number; endOffset: number }>();
  #root = '';
  #seq = 0;

  constructor({ input, output }: ServerProcess) {
    this.#tsserver = input;
    this.#requests = new FrameReader(this.input);
    this.#requests.listen((message) => {
      this.#requests.handled(message);
      this.#take(toFields(message));
    });
    this.input.on('end', () => input.end());
    this.#answers = new FrameReader(output, { toMessage: (fields) => ({ jsonrpc: '2.0', ...fields }) as Message });
    this.#answers.listen((message) => {
      this.#answers.handled(message);
      this.#hear(toFields(message));
    });
    this.#answers.onError((error) => {
      this.fault = `it sent ${error.message}`;
      this.output.end();
    });
    this.#answers.onClose(() => this.output.end());
  }

  #take({ method, id, params }: Fields): void {
    if (id === undefined) this.#notify(scalarText(method), toFields(params));
    else if (method === 'initialize') this.#initialize(id, toFields(params));
    else if (method === 'shutdown') this.#send({ id, result: null });
    else this.#request(id, scalarText(method), params);
  }

  #initialize(id: unknown, { rootPath }: Fields): void {
    this.#root = scalarText(rootPath);
    const result = () => ({ capabilities: CAPABILITIES, serverInfo: { name: 'tsserver' } });
    this.#ask('configure', { hostInfo: 'jinn', preferences: PREFERENCES }, { id, result });
  }

  #request(id: unknown, method: string, params: unknown): void {
    try {
      const translation = translate(method, params, (file) => this.#ends.get(file) ?? {});
      const isReload = translation?.command === 'reloadProjects';
      // TypeScript 4 never answers it. It does what is asked in order, so nothing needs to wait.
      if (isReload) this.#ask(translation.command, translation.args);
      if (!translation || isReload) this.#send({ id, result: null });
      else this.#ask(translation.command, translation.args, { id, result: translation.result });
    } catch (error) {
      this.#refuse(id, error, ErrorCodes.InvalidRequest);
    }
  }

  #notify(method: string, params: Fields): void {
    const { textDocument } = params;
    if (method === 'textDocument/didOpen') this.#open(textDocument, toFields(textDocument));
    else if (method === 'textDocument/didChange')
      this.#open(textDocument, toFields(listOf(params['contentChanges'])[0]));
    else if (method === 'textDocument/didClose') this.#close(fileOf(textDocument));
    else if (method === 'workspace/didChangeWatchedFiles') this.#filesChanged(listOf(params['changes']));
    else if (method === 'exit') this.#ask('exit', {});
  }

  #open(document: unknown, { text, languageId }: Fields): void {
    const file = fileOf(document);
    const fileContent = scalarText(text);
    const scriptKindName = SCRIPT_KINDS[scalarText(languageId)];
    const lines = fileContent.split(ANY_LINE_END);
    this.#ends.set(file, { endLine: lines.length, endOffset: (lines.at(-1)?.length ?? 0) + 1 });
    this.#ask('open', { file, fileContent, projectRootPath: this.#root, ...(scriptKindName && { scriptKindName }) });
  }

  #close(file: string): void {
    this.#ends.delete(file);
    this.#ask('close', { file });
  }

  #filesChanged(changes: readonly Fields[]): void {
    const changed = changes.filter(({ type }) => type === CHANGED); // After others, the client asks for it.
    const files = changed.map(fileOf).filter((file) => KNOWN_FILES.test(file));
    if (files.some((file) => !this.#ends.has(file))) this.#ask('reloadProjects', {});
  }

  #ask(command: string, args: object, pending?: PendingRequest): void {
    this.#seq++;
    if (pending) this.#pending.set(this.#seq, pending);
    const line = `${JSON.stringify({ seq: this.#seq, type: 'request', command, arguments: args })}\n`;
    this.#tsserver.write(line, this.#requests.hold(line.length));
  }

  #hear({ type, event, body, request_seq, success, message }: Fields): void {
    if (type === 'event') this.#follow(scalarText(event), toFields(body));
    const pending = type === 'response' ? this.#pending.get(Number(request_seq)) : undefined;
    if (!pending) return;
    this.#pending.delete(Number(request_seq));
    const { id } = pending;
    const said = scalarText(message);
    try {
      if (success !== true && !NOTHING.has(said)) throw new Error(said);
      this.#send({ id, result: success === true ? pending.result(body) : null });
    } catch (error) {
      this.#refuse(id, error);
    }
  }

  /** Reports that a project is loaded, for which questions wait. */
  #follow(event: string, { projectName }: Fields): void {
    const kind = event === 'projectLoadingStart' ? 'begin' : event === 'projectLoadingFinish' ? 'end' : undefined;
    if (!kind) return;
    const value = kind === 'begin' ? { kind, title: 'tsserver loads a project' } : { kind };
    this.#send({ method: '$/progress', params: { token: `load ${scalarText(projectName)}`, value } });
  }

  #refuse(id: unknown, error: unknown, code: number = ErrorCodes.InternalError): void {
    this.#send({ id, error: { code, message: error instanceof Error ? error.message : String(error) } });
  }

  #send(message: object): void {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    const frame = Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
    if (this.output.writable) this.output.write(frame, this.#answers.hold(frame.length));
  }
}
