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

/** Reads the library that parses: its WebAssembly, and its JavaScript as a text. */
export function readLibrary(): { readonly wasm: Uint8Array; readonly script: string } | undefined {
  const wasm = read('web-tree-sitter', 'web-tree-sitter/web-tree-sitter.wasm');
  const bundled = path.join(COMPRESSED, 'web-tree-sitter.cjs');
  const script = fs.existsSync(bundled) ? bundled : findInstalled('web-tree-sitter');
  return wasm && script ? { wasm, script: fs.readFileSync(script, 'utf8') } : undefined;
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
