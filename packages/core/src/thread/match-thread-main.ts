import { parentPort, workerData } from 'node:worker_threads';
import { type LinePattern, type MatchTask, matchLines } from './match-lines.ts';

// The script of a MatchThread.

const pattern = workerData as LinePattern;

parentPort?.on('message', (task: MatchTask) => parentPort?.postMessage(matchLines(pattern, task)));
