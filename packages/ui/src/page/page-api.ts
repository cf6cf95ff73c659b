import type { InputState } from '../journal/journal-record.ts';
import type { JournalRow } from '../journal/read-journal.ts';
import type { ShownQuestion } from '../server/question-socket.ts';

/** A call in the list, and whether its process still runs. */
export interface CallRow extends JournalRow {
  readonly isAlive: boolean;
}

/** Calls, and the place where older ones start. */
export interface KnownCalls {
  readonly rows: readonly CallRow[];
  readonly next?: string | undefined;
}

/** An event about calls and their processes. */
export type CallEvent =
  | { readonly type: 'call'; readonly row: CallRow }
  | { readonly type: 'gone'; readonly pid: number };

/** Who hears of calls. */
export type CallEvents = Set<(event: CallEvent) => void>;

/** A call or job that runs: its last lines, and how it takes input, if it does. Both are absent when it has ended. */
interface RunningCall {
  readonly lines?: readonly string[];
  readonly input?: InputState;
}

/** What runs, by the ids of calls. */
export type RunningCalls = ReadonlyMap<string, RunningCall>;

export type PageEvent =
  | CallEvent
  | ({ readonly type: 'running'; readonly id: string } & RunningCall)
  | { readonly type: 'questions'; readonly questions: readonly ShownQuestion[] }
  | { readonly type: 'question'; readonly question: ShownQuestion }
  | { readonly type: 'settled'; readonly id: string; readonly how: string }
  | { readonly type: 'superseded' };

const KEY = 'jinn-token';
const AGAIN_MS = 1_000;

/**
 * Exchanges the code of the address for the token, which lives as long as the tab. Returns why the page cannot be
 * opened.
 */
export async function openPage(): Promise<string | undefined> {
  const code = location.hash.slice(1);
  if (code !== '') {
    history.replaceState(null, '', '/');
    const response = await send('POST', '/api/open', { body: { code } });
    const { token, error } = await response.json();
    if (token) sessionStorage.setItem(KEY, token);
    else if (!sessionStorage.getItem(KEY)) return error;
  }
  return sessionStorage.getItem(KEY) ? undefined : 'Run jinn ui in a terminal: it opens this page with the key to it.';
}

interface SendOptions {
  readonly body?: object | undefined;
  readonly signal?: AbortSignal;
}

function send(method: string, path: string, { body, signal }: SendOptions = {}): Promise<Response> {
  const token = sessionStorage.getItem(KEY);
  const authorization = token ? { authorization: `Bearer ${token}` } : {};
  const content = body && {
    headers: { ...authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  return fetch(path, { method, headers: authorization, ...content, ...(signal && { signal }) });
}

async function request<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await send(method, path, { body });
  const value = await response.json();
  if (response.ok) return value;
  throw new Error([value.error, value.suggestion].filter(Boolean).join('; '));
}

/** Reads something. Empty members are omitted from the query. */
export function read<T>(path: string, query: Readonly<Record<string, string | undefined>> = {}): Promise<T> {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return request('GET', `/api/${path}?${new URLSearchParams(given)}`);
}

/** Changes something. */
export function change<T = { text?: string }>(path: string, body: object): Promise<T> {
  return request('POST', `/api/${path}`, body);
}

/** Follows the events, and starts again when the connection is lost. Returns a function that ends that. */
export function followEvents(onEvent: (event: PageEvent) => void, onState: (state: string) => void): () => void {
  const stop = new AbortController();
  const run = async () => {
    while (!stop.signal.aborted) {
      try {
        const isOver = await readEvents(stop.signal, onEvent, onState);
        if (isOver) return onState('Other tabs follow now. Reload this one to follow again.');
      } catch {
        // The server has gone, or the tab.
      }
      onState('jinn ui does not answer.');
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  };
  void run();
  return () => stop.abort();
}

/** Reads the stream to its end. Returns whether the server gave it to another tab. EventSource could not send the token. */
async function readEvents(
  signal: AbortSignal,
  onEvent: (event: PageEvent) => void,
  onState: (state: string) => void,
): Promise<boolean> {
  const response = await send('GET', '/api/events', { signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!response.ok || !reader) throw new Error('no stream');
  onState('');
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (text + part.value).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      if (!event.startsWith('data: ')) continue;
      const value: PageEvent = JSON.parse(event.slice('data: '.length));
      if (value.type === 'superseded') return true;
      onEvent(value);
    }
  }
  return false;
}
