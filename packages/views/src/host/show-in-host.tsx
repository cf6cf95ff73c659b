import type { Visualization } from '@jinn/core/visualization';
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
import { type ComponentChildren, render } from 'preact';
import { Card } from '../show/card.tsx';
import { CodeBody } from '../show/code-view.tsx';
import { ResultView } from '../show/view.tsx';
import { shownLinesOf, toShown } from '../text/shown-text.ts';

type HostContext = McpUiHostContextChangedNotification['params'];

type ToolResult = McpUiToolResultNotification['params'];

type PageNotification = McpUiInitializedNotification | McpUiSizeChangedNotification;

type PageRequest =
  | McpUiInitializeRequest
  | McpUiOpenLinkRequest
  | { readonly method: 'resources/read'; readonly params: { readonly uri: string } };

/** What is done about each notification of the host. */
interface HostEvents {
  readonly 'ui/notifications/tool-result': (result: ToolResult) => void;
  readonly 'ui/notifications/tool-cancelled': (params: McpUiToolCancelledNotification['params']) => void;
  readonly 'ui/notifications/host-context-changed': (context: HostContext) => void;
}

type Host = Awaited<ReturnType<typeof connectToHost>>;

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

type Answer = Pick<Message, 'result' | 'error'>;

const PROTOCOL_VERSION = '2026-01-26';
const METHOD_NOT_FOUND = -32_601;

/** After how long the page says that it has no result: some hosts lose them. */
const PATIENCE_MS = 3_000;
/** How much of a large visualization is read at once, in bytes. */
const PART = 1024 * 1024;
const THEME = /^(light|dark)$/;
const FONTS = ['--font-sans', '--font-mono'] as const;

/** Shows the result of a call in the frame of a host. */
export async function showInHost(main: HTMLElement): Promise<void> {
  const show = (children: ComponentChildren) => {
    clearTimeout(timer);
    render(<Page>{children}</Page>, main);
  };
  const timer = setTimeout(() => show(<Note>The call has no result yet.</Note>), PATIENCE_MS);
  const connected: Promise<Host> = connectToHost({
    'ui/notifications/tool-result': async (result) =>
      show(<Result result={result} visualization={await findVisualization(result, connected)} />),
    'ui/notifications/tool-cancelled': ({ reason }) =>
      show(<Note>The call was canceled{reason ? `: ${toShown(reason)}` : ''}.</Note>),
    'ui/notifications/host-context-changed': follow,
  });
  const host = await connected;
  follow(host.facts.hostContext);
  openLinksBy(host);
  reportSize(host);
}

function Page({ children }: { children: ComponentChildren }) {
  return (
    <>
      <h1 class="unseen">What the call did</h1>
      {children}
    </>
  );
}

function Note({ children }: { children: ComponentChildren }) {
  return (
    <p class="note" role="status">
      {children}
    </p>
  );
}

interface ResultProps {
  readonly result: ToolResult;
  readonly visualization: Visualization | undefined;
}

function Result({ result: { isError = false, content }, visualization }: ResultProps) {
  const text = content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
  return (
    <>
      {(isError || !visualization) && (
        <Card
          title={isError ? 'Error' : 'Result'}
          isOpen
          copied={() => text}
          body={() => <CodeBody name="the result" lines={shownLinesOf(text)} language={undefined} />}
        />
      )}
      {visualization && <ResultView visualization={visualization} />}
    </>
  );
}

interface ResultDetails {
  readonly visualization?: Visualization;
  readonly meta?: { readonly visualization_uri?: string };
}

async function findVisualization({ _meta }: ToolResult, connected: Promise<Host>): Promise<Visualization | undefined> {
  const { visualization, meta }: ResultDetails = Object(_meta?.['jinn']);
  const uri = meta?.visualization_uri;
  if (visualization || uri === undefined) return visualization;
  try {
    return JSON.parse(await readWhole(uri, await connected));
  } catch {
    return undefined;
  }
}

async function readWhole(uri: string, host: Host): Promise<string> {
  let whole = '';
  for (let offset = 0; ; offset += PART) {
    const request = { uri: `${uri}?offset=${offset}&limit=${PART}` };
    const answer = await host.ask({ method: 'resources/read', params: request });
    const [part] = (answer as { readonly contents: readonly { readonly text: string }[] }).contents;
    if (!part?.text) return whole;
    whole += part.text;
  }
}

function follow({ theme, styles, safeAreaInsets }: HostContext): void {
  const { dataset, style } = document.documentElement;
  if (THEME.test(String(theme))) dataset['theme'] = theme;
  for (const name of FONTS) {
    const font = styles?.variables?.[name];
    if (font) style.setProperty(name, font);
  }
  if (!safeAreaInsets) return;
  const { top, right, bottom, left } = safeAreaInsets;
  document.body.style.padding = [top, right, bottom, left].map((inset) => `${Number(inset)}px`).join(' ');
}

function openLinksBy({ facts, ask }: Host): void {
  if (!facts.hostCapabilities.openLinks) return;
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null) return;
    event.preventDefault();
    // A user who does not want it opened has said so to the host.
    ask({ method: 'ui/open-link', params: { url: link.href } }).catch(() => undefined);
  });
}

/**
 * Reports the height of the page to the host, now and whenever it changes. Some hosts look at the height of the
 * document instead.
 */
function reportSize(host: Host): void {
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    document.documentElement.style.height = `${height}px`;
    host.notify({ method: 'ui/notifications/size-changed', params: { height } });
  }).observe(document.body);
}

/** Connects to the host, by MCP Apps: messages of JSON-RPC between the two windows. */
async function connectToHost(events: HostEvents) {
  const parent = window.parent;
  const waiting = new Map<number | string, (answer: Answer) => void>();
  const send = (message: object) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const hear = new Map<string, (params: never) => void>(Object.entries(events));
  let lastId = 0;
  /** Sends a request and returns the answer, which is not checked. Rejects if the host refuses. */
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
    else if (id === undefined) hear.get(method)?.(data.params as never);
    else send({ id, ...answerTo(method) });
  });
  const facts = await ask({
    method: 'ui/initialize',
    params: { protocolVersion: PROTOCOL_VERSION, appInfo: { name: 'jinn', version: '1' }, appCapabilities: {} },
  });
  const notify = (notification: PageNotification) => send(notification);
  notify({ method: 'ui/notifications/initialized' });
  return { facts: facts as McpUiInitializeResult, ask, notify };
}

function answerTo(method: string): object {
  if (method === 'ping' || method === 'ui/resource-teardown') return { result: {} };
  return { error: { code: METHOD_NOT_FOUND, message: `unknown method: ${method}` } };
}
