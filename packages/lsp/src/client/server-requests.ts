import { pathToFileURL } from 'node:url';
import { isObject } from '@jinn/core/text';
import type { WorkspaceEdit } from 'vscode-languageserver-protocol';

const MAX_REGISTRATIONS = 1_000;
const MAX_ITEMS = 1_000;
/** The most edits that are kept. More than one that changes something is refused in the end. Each may be large. */
const MAX_CAPTURED = 4;
const MAX_NAME = 200;

export interface RequestAnswersOptions {
  readonly root: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** By the start of the question. */
  readonly answers: Readonly<Record<string, string>>;
}

/** Answers each request: a server with an open one stalls, and some die of the error "method not found". */
export class RequestAnswers {
  readonly #options: RequestAnswersOptions;
  readonly #registered = new Map<string, { readonly method: string; readonly options: object }>();
  #captured: WorkspaceEdit[] | undefined;
  #lastCapture: Promise<unknown> = Promise.resolve();

  constructor(options: RequestAnswersOptions) {
    this.#options = options;
  }

  registrationOf(method: string): object | undefined {
    return [...this.#registered.values()].find((registration) => registration.method === method)?.options;
  }

  /** Returns the edits that the server sends meanwhile. They are not applied. */
  capture(work: () => Promise<unknown>): Promise<WorkspaceEdit[]> {
    const mine = this.#lastCapture.then(async () => {
      const captured: WorkspaceEdit[] = [];
      this.#captured = captured;
      await work().finally(() => {
        this.#captured = undefined;
      });
      return captured;
    });
    this.#lastCapture = mine.catch(() => {}); // One at a time: an edit does not say to which command it belongs.
    return mine;
  }

  answer(method: string, params: unknown): unknown {
    const fields = isObject(params) ? params : {};
    switch (method) {
      case 'workspace/configuration':
        return listOf(fields['items']).map((item) => this.#section(isObject(item) ? item['section'] : undefined));
      case 'workspace/workspaceFolders':
        return [workspaceFolder(this.#options.root)];
      case 'client/registerCapability':
        return this.#register(fields['registrations']);
      case 'client/unregisterCapability':
        // The name is misspelled in the protocol.
        return this.#unregister(fields['unregisterations'] ?? fields['unregistrations']);
      case 'window/showMessageRequest':
        return this.#choose(fields);
      case 'window/showDocument':
        return { success: false };
      case 'workspace/applyEdit':
        return this.#apply(fields['edit']);
      default:
        return null; // Requests to create progress, to refresh something, and all others.
    }
  }

  /** Never null: it stops the diagnostics of some servers. */
  #section(name: unknown): unknown {
    if (typeof name !== 'string' || name === '') return this.#options.settings;
    const { settings } = this.#options;
    if (Object.hasOwn(settings, name)) return settings[name];
    let value: unknown = settings;
    for (const key of name.split('.')) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    return value ?? {};
  }

  #register(registrations: unknown): null {
    for (const entry of listOf(registrations)) {
      if (!isObject(entry) || this.#registered.size >= MAX_REGISTRATIONS) continue;
      const { id, method, registerOptions } = entry;
      this.#registered.set(nameOf(id), { method: nameOf(method), options: flagsOf(registerOptions) });
    }
    return null;
  }

  #unregister(registrations: unknown): null {
    for (const entry of listOf(registrations)) if (isObject(entry)) this.#registered.delete(nameOf(entry['id']));
    return null;
  }

  #choose({ message, actions }: Record<string, unknown>): unknown {
    const question = scalarText(message);
    const wanted = Object.entries(this.#options.answers).find(([start]) => question.startsWith(start))?.[1];
    return listOf(actions).find((action) => isObject(action) && action['title'] === wanted) ?? null;
  }

  #apply(edit: unknown): object {
    const captured = this.#captured;
    if (!captured || !isObject(edit) || captured.length >= MAX_CAPTURED) {
      return { applied: false, failureReason: 'only the agent changes files' };
    }
    captured.push(edit as WorkspaceEdit);
    return { applied: true };
  }
}

function nameOf(value: unknown): string {
  return scalarText(value).slice(0, MAX_NAME);
}

function flagsOf(options: unknown): object {
  const fields = Object.entries(isObject(options) ? options : {});
  const isFlag = (value: unknown) => typeof value !== 'object' && scalarText(value).length <= MAX_NAME;
  return Object.fromEntries(fields.slice(0, MAX_ITEMS).filter(([, value]) => isFlag(value)));
}

/** Returns a text or number as text. Empty for anything else, which may be nested without end. */
export function scalarText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function workspaceFolder(root: string): { uri: string; name: string } {
  return { uri: pathToFileURL(root).href, name: root.split('/').at(-1) || 'workspace' };
}

/** Converts a line and offset of tsserver, which count from 1, to a position. */
export function fromTsserverPlace(place: unknown): { line: number; character: number } {
  const { line, offset } = isObject(place) ? place : {};
  return { line: Number(scalarText(line)) - 1, character: Number(scalarText(offset)) - 1 };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS) : [];
}
