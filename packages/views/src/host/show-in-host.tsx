import type { Visualization } from '@jinn/core/visualization';
import { type ComponentChildren, render } from 'preact';
import { Card } from '../show/card.tsx';
import { CodeBody } from '../show/code-view.tsx';
import { View } from '../show/view.tsx';
import { linesOf, toShown } from '../text/shown-text.ts';
import { connectToHost, type Host, type HostContext, type ToolResult } from './host.ts';

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
  const connected = connectToHost({
    onResult: async (result) =>
      show(<Result result={result} visualization={await findVisualization(result, connected)} />),
    onCanceled: ({ reason }) => show(<Note>The call was canceled{reason ? `: ${toShown(reason)}` : ''}.</Note>),
    onContext: follow,
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
          body={() => <CodeBody name="the result" lines={linesOf(text)} language={undefined} />}
        />
      )}
      {visualization && <View visualization={visualization} />}
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
    // A person who does not want it opened has said so to the host.
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
