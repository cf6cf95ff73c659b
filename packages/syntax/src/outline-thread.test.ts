import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Outline, openSyntax, sourceLanguageOf } from './index.ts';
import { OutlineThread } from './outline-thread.ts';

const folder = path.join(import.meta.dirname, 'fixture');
const samples = fs
  .readdirSync(folder)
  .filter((name) => name.endsWith('.txt'))
  .map((name) => {
    const content = fs.readFileSync(path.join(folder, name));
    return { content, language: sourceLanguageOf(name.slice(0, -'.txt'.length), content) as string };
  });
const EMBEDDING = ['html', 'vue', 'svelte'];
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'jinn-thread-'));
afterAll(() => fs.rmSync(temporary, { recursive: true }));

const syntax = openSyntax();

/** Parses until a thread pays. */
async function startThread(): Promise<OutlineThread> {
  const content = Buffer.from('export const value: number = call({ a: 1 });\n'.repeat(2_000));
  for (;;) {
    const thread = syntax.startThread();
    if (thread) return thread;
    await syntax.outline(content, 'typescript');
  }
}

/** Offers a file until the thread has room for it. */
async function readBeside(thread: OutlineThread, content: Buffer, language: string) {
  for (;;) {
    const reading = thread.offer(content, language);
    if (reading !== undefined) return reading;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('starts no thread for little work', () => {
  expect(openSyntax().startThread()).toBeUndefined();
});

test('reads the same outlines as the thread of the caller, in every language that embeds no other', {
  tags: 'slow',
  timeout: 60_000,
}, async () => {
  const thread = await startThread();
  try {
    const plain = samples.filter(({ language }) => !EMBEDDING.includes(language));
    expect(plain.length).toBeGreaterThan(30);
    const beside = await Promise.all(plain.map(({ content, language }) => readBeside(thread, content, language)));
    for (const [i, { content, language }] of plain.entries()) {
      const here = await syntax.outline(content, language);
      expect((here as Outline).symbols.length, language).toBeGreaterThan(0);
      expect(beside[i]).toEqual(JSON.parse(JSON.stringify(here)));
    }
    const header = Buffer.from('template <class T> class A { public: T b() const; };\n');
    expect(await readBeside(thread, header, 'c')).toMatchObject({ language: 'cpp' });
    const flow = Buffer.from('// @flow\nexport class A<T: string = any> {\n  f(a?: number): void {}\n}\n');
    expect(await readBeside(thread, flow, 'javascript')).toMatchObject({ language: 'tsx' });
    expect(await readBeside(thread, Buffer.from('\0'), 'go')).toMatchObject({ reason: 'binary' });
  } finally {
    thread.close();
  }
});

test('leaves languages that embed others, and unknown ones, to the caller', async () => {
  const thread = await startThread();
  try {
    await readBeside(thread, Buffer.from('a = 1'), 'python');
    for (const language of [...EMBEDDING, 'cobol']) expect(thread.offer(Buffer.from('a'), language)).toBeUndefined();
    expect(thread.offer(Buffer.from('a = 1'), 'python')).toBeDefined();
  } finally {
    thread.close();
  }
});

test('takes no more than it can soon read', async () => {
  const thread = await startThread();
  try {
    const content = Buffer.from('a = 1\n'.repeat(10_000));
    const first = readBeside(thread, content, 'python');
    await first;
    let taken = 0;
    while (thread.offer(content, 'python') !== undefined) taken++;
    expect(taken).toBe(5);
  } finally {
    thread.close();
  }
});

test('a thread that dies leaves its files to the caller', async () => {
  const real = await startThread();
  const dying = path.join(temporary, 'dying.cjs');
  fs.writeFileSync(dying, "require('node:worker_threads').parentPort.once('message', () => process.exit(1));");
  const missing = new OutlineThread(path.join(temporary, 'missing.cjs'), real.compiled);
  const thread = new OutlineThread(dying, real.compiled);
  real.close();
  const content = Buffer.from('a = 1');
  expect(await readBeside(thread, content, 'python')).toBeUndefined();
  expect(thread.offer(content, 'python')).toBeUndefined();
  // The thread may take a file before it finds that its script is missing.
  expect(await missing.offer(content, 'python')).toBeUndefined();
});
