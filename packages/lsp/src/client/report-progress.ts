import type { ToolContext } from '@jinn/tool';

const REPORT_MS = 2_000;

/** Tells the host what a server does, at once and then every two seconds, with the seconds that have passed. */
export function startReports(ctx: ToolContext): { tell(doing: string): void; stop(): void } {
  const startedAt = performance.now();
  let last = '';
  const tell = (doing = last) => {
    last = doing;
    if (doing !== '') ctx.progress(doing, (performance.now() - startedAt) / 1000);
  };
  const timer = setInterval(tell, REPORT_MS);
  return { tell, stop: () => clearInterval(timer) };
}
