import { parentPort, workerData } from 'node:worker_threads';
import { createReplace, type Replacement, type ReplaceTask } from './replace-text.ts';

// The script of a Replacer. It works on one text at a time.

const replace = createReplace(workerData as Replacement);

parentPort?.on('message', (task: ReplaceTask) => {
  const answer = replace(task);
  parentPort?.postMessage(answer, answer.buffer ? [answer.buffer] : []);
});
