import type {
  McpUiHostContextChangedNotification,
  McpUiInitializedNotification,
  McpUiInitializeRequest,
  McpUiInitializeResult,
  McpUiOpenLinkRequest,
  McpUiSizeChangedNotification,
  McpUiToolCancelledNotification,
  McpUiToolResultNotification,
} from '@modelcontextprotocol/ext-apps';

export type HostContext = McpUiHostContextChangedNotification['params'];
export type ToolResult = McpUiToolResultNotification['params'];

type HostNotification =
  | McpUiToolResultNotification
  | McpUiToolCancelledNotification
  | McpUiHostContextChangedNotification;
type PageNotification = McpUiInitializedNotification | McpUiSizeChangedNotification;
type PageRequest =
  | McpUiInitializeRequest
  | McpUiOpenLinkRequest
  | { readonly method: 'resources/read'; readonly params: { readonly uri: string } };

/** The messages that the host sends by itself. */
export interface HostEvents {
  onResult(result: ToolResult): void;
  onCanceled(params: McpUiToolCancelledNotification['params']): void;
  onContext(context: HostContext): void;
}

/** The program that shows this page in a frame beside the result of a call. */
export interface Host {
  /** The host's facts about itself and the frame. */
  readonly facts: McpUiInitializeResult;
  /** Sends a request and returns the answer, which is not checked. Rejects if the host refuses. */
  ask(request: PageRequest): Promise<unknown>;
  notify(notification: PageNotification): void;
}

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: string | number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

type Answer = Pick<Message, 'result' | 'error'>;

const PROTOCOL_VERSION = '2026-01-26';
const METHOD_NOT_FOUND = -32_601;

/** Connects to the host, by MCP Apps: messages of JSON-RPC between the two windows. */
export async function connectToHost(events: HostEvents): Promise<Host> {
  const parent = window.parent;
  const waiting = new Map<number | string, (answer: Answer) => void>();
  const send = (message: object) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  let lastId = 0;
  const ask = (request: PageRequest) => {
    const id = ++lastId;
    send({ id, ...request });
    return new Promise<unknown>((resolve, reject) => {
      waiting.set(id, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result)));
    });
  };
  // Security: other windows may send messages too.
  window.addEventListener('message', ({ source, data }: MessageEvent<Message | null>) => {
    if (source !== parent || data?.jsonrpc !== '2.0') return;
    const { id, method } = data;
    if (method === undefined) waiting.get(id ?? '')?.(data);
    else if (id === undefined) hear(events, data as HostNotification);
    else send({ id, ...answerTo(method) });
  });
  const facts = await ask({
    method: 'ui/initialize',
    params: { protocolVersion: PROTOCOL_VERSION, appInfo: { name: 'jinn', version: '1' }, appCapabilities: {} },
  });
  const host: Host = { facts: facts as McpUiInitializeResult, ask, notify: send };
  host.notify({ method: 'ui/notifications/initialized' });
  return host;
}

function hear(events: HostEvents, told: HostNotification): void {
  if (told.method === 'ui/notifications/tool-result') events.onResult(told.params);
  else if (told.method === 'ui/notifications/tool-cancelled') events.onCanceled(told.params);
  else if (told.method === 'ui/notifications/host-context-changed') events.onContext(told.params);
}

function answerTo(method: string): object {
  if (method === 'ping' || method === 'ui/resource-teardown') return { result: {} };
  return { error: { code: METHOD_NOT_FOUND, message: `unknown method: ${method}` } };
}
