import { parentPort, workerData } from 'node:worker_threads';
import { openSyntax } from './open-syntax.ts';
import type { ThreadData, ThreadTask } from './outline-thread.ts';

// The script of an OutlineThread: it answers each file with the JSON of its outline, which takes less than a copy of all its objects.

const { script, library } = workerData as ThreadData;
const grammars = new Map<string, WebAssembly.Module>();
const compiled = { script, library, grammar: (language: string) => grammars.get(language) };
const syntax = openSyntax(() => compiled);
let last = Promise.resolve();

parentPort?.on('message', (task: ThreadTask) => {
  for (const [language, grammar] of task.grammars) grammars.set(language, grammar);
  last = last.then(() => answer(task));
});

async function answer({ content, language }: ThreadTask): Promise<void> {
  parentPort?.postMessage(JSON.stringify(await syntax.outline(Buffer.from(content.buffer), language)));
}
