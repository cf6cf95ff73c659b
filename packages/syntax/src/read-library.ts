import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

/**
 * A built program may have the files beside it; a program that runs from its sources uses those of this package's
 * build.
 */
const BUILT = ['../grammars', '../dist/grammars'].map((folder) => path.join(import.meta.dirname, folder));
/** The package that programs of its own version share. */
const SHARED = 'jinn-grammars/package.json';
const SCRIPT = 'web-tree-sitter.cjs';
const THREAD_SCRIPT = 'outline-thread.cjs';
const LENGTH_BYTES = 4;

/** Reads the WebAssembly of a grammar; undefined if this installation does not have it. */
export function readGrammar(language: string): Uint8Array | undefined {
  return read(language, `tree-sitter-wasm/${language}/tree-sitter-${language}.wasm`);
}

/** The JavaScript of the library. */
export interface LibrarySource {
  readonly source: string;
  readonly path: string;
}

/** The library that parses. */
export interface LibraryFiles {
  readonly wasm: Uint8Array;
  readonly script: LibrarySource;
}

/** Reads the library; undefined if this installation does not have it. */
export function readLibrary(): LibraryFiles | undefined {
  const wasm = read('web-tree-sitter', 'web-tree-sitter/web-tree-sitter.wasm');
  const file = findBuilt(SCRIPT) ?? findInstalled('web-tree-sitter');
  if (!wasm || file === undefined) return undefined;
  return { wasm, script: { source: fs.readFileSync(file, 'utf8'), path: file } };
}

/** Returns the script of the thread that reads outlines; undefined before the first build. */
export function findThreadScript(): string | undefined {
  return findBuilt(THREAD_SCRIPT);
}

function read(name: string, id: string): Uint8Array | undefined {
  const compressed = findBuilt(`${name}.wasm.gz`);
  if (compressed !== undefined) return decompress(fs.readFileSync(compressed));
  const installed = findInstalled(id);
  return installed === undefined ? undefined : fs.readFileSync(installed);
}

/** Decompresses in one step, which takes half the time for small files: the end of the content holds its length. */
function decompress(content: Buffer): Buffer {
  return gunzipSync(content, { chunkSize: content.readUInt32LE(content.length - LENGTH_BYTES) + 1 });
}

function findBuilt(name: string): string | undefined {
  const found = findIn(BUILT, name);
  const shared = found === undefined ? findInstalled(SHARED) : undefined;
  // Security: without the package there is no second place; one that began at the working directory would be the workspace's.
  return shared === undefined ? found : findIn([path.join(path.dirname(shared), 'dist')], name);
}

function findIn(folders: readonly string[], name: string): string | undefined {
  return folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
}

function findInstalled(id: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(id);
  } catch {
    return undefined;
  }
}
