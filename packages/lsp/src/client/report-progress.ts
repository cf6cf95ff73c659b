import type { ToolContext } from '@jinn/core';

const REPORT_MS = 2_000;

/** Reports to the host what a server does, at once and then every two seconds, with the seconds that have passed. */
export function startReports(ctx: ToolContext): { report(doing: string): void; stop(): void } {
  const startedAt = performance.now();
  let last = '';
  const report = (doing = last) => {
    last = doing;
    if (doing !== '') ctx.progress(doing, (performance.now() - startedAt) / 1000);
  };
  const timer = setInterval(report, REPORT_MS);
  return { report, stop: () => clearInterval(timer) };
}
