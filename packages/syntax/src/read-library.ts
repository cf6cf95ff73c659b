import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

/** A built program has all of it beside it, compressed. */
const COMPRESSED = path.join(import.meta.dirname, 'grammars');

/** Reads the WebAssembly of a grammar; undefined if this installation does not have it. */
export function readGrammar(language: string): Uint8Array | undefined {
  return read(language, `tree-sitter-wasm/${language}/tree-sitter-${language}.wasm`);
}

/** The library that parses. */
export interface LibraryFiles {
  readonly wasm: Uint8Array;
  /** Its JavaScript, where that lies, and what V8 made of it, if a build has kept that. */
  readonly script: string;
  readonly file: string;
  readonly compiled: Buffer | undefined;
}

/** Reads the library; undefined if this installation does not have it. */
export function readLibrary(): LibraryFiles | undefined {
  const wasm = read('web-tree-sitter', 'web-tree-sitter/web-tree-sitter.wasm');
  const bundled = path.join(COMPRESSED, 'web-tree-sitter.cjs');
  const file = fs.existsSync(bundled) ? bundled : findInstalled('web-tree-sitter');
  if (!wasm || file === undefined) return undefined;
  const cache = `${file}.cache`;
  const compiled = fs.existsSync(cache) ? fs.readFileSync(cache) : undefined;
  return { wasm, script: fs.readFileSync(file, 'utf8'), file, compiled };
}

function read(name: string, id: string): Uint8Array | undefined {
  const compressed = path.join(COMPRESSED, `${name}.wasm.br`);
  if (fs.existsSync(compressed)) return brotliDecompressSync(fs.readFileSync(compressed));
  const installed = findInstalled(id);
  return installed === undefined ? undefined : fs.readFileSync(installed);
}

/** What runs from its sources takes the files of the packages. */
function findInstalled(id: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(id);
  } catch {
    return undefined;
  }
}
