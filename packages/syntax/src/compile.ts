import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import v8 from 'node:v8';
import { gunzipSync } from 'node:zlib';

/** Next to a built program, or of this package's build for one that runs from its sources. */
const BUILT = ['../grammars', '../dist/grammars'].map((folder) => path.join(import.meta.dirname, folder));
/** The package that programs of its own version share. */
const SHARED = 'jinn-grammars/package.json';
const SCRIPT = 'web-tree-sitter.cjs';
const THREAD_SCRIPT = 'outline-thread.cjs';
const LENGTH_BYTES = 4;

export interface LibrarySource {
  readonly source: string;
  readonly path: string;
}

/** Compiled modules can be sent to another thread, which need not compile them again. */
export interface CompiledSyntax {
  readonly script: LibrarySource;
  readonly library: WebAssembly.Module;
  /** Undefined if this installation does not have it. */
  grammar(language: string): WebAssembly.Module | undefined;
}

/**
 * Undefined if this installation does not have the library. With `optimize`, V8 makes it half as fast again in the
 * background, which takes time that a process of one call does not have.
 */
export type SyntaxCompiler = (options: { readonly optimize: boolean }) => CompiledSyntax | undefined;

/** Grammars are compiled once, even if one parser replaces another. */
export function createSyntaxCompiler(): SyntaxCompiler {
  const grammars = new Map<string, WebAssembly.Module | undefined>();
  const grammar = (language: string): WebAssembly.Module | undefined => {
    if (grammars.has(language)) return grammars.get(language);
    const bytes = read(language, `tree-sitter-wasm/${language}/tree-sitter-${language}.wasm`);
    const module = bytes && compileBaseline(bytes);
    grammars.set(language, module);
    return module;
  };
  return ({ optimize }) => {
    const files = readLibrary();
    if (!files) return undefined;
    // For the same bytes V8 returns the same module, that of the baseline compiler. An empty section changes them.
    const { wasm } = files;
    const library = optimize ? new WebAssembly.Module(Buffer.concat([wasm, EMPTY_SECTION])) : compileBaseline(wasm);
    return { script: files.script, library, grammar };
  };
}

/**
 * V8 optimizes functions that are called often. The lexer of a grammar has several hundred kilobytes: this stalls Node
 * 20 for seconds to minutes, and aborts Node 24. The first three flags are needed together. The fourth compiles all
 * functions now, with these flags.
 */
const BASELINE = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--no-wasm-lazy-compilation'];
const DEFAULT = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering', '--wasm-lazy-compilation'];

/**
 * The flags are those of the whole process: nothing else may run until they are reset, so this function is synchronous.
 */
function compileBaseline(bytes: Uint8Array): WebAssembly.Module {
  for (const flag of BASELINE) v8.setFlagsFromString(flag);
  try {
    return new WebAssembly.Module(bytes);
  } finally {
    for (const flag of DEFAULT) v8.setFlagsFromString(flag);
  }
}

const EMPTY_SECTION = Buffer.of(0, 2, 1, 0x6f);

function readLibrary(): { readonly wasm: Uint8Array; readonly script: LibrarySource } | undefined {
  const wasm = read('web-tree-sitter', 'web-tree-sitter/web-tree-sitter.wasm');
  const file = findBuilt(SCRIPT) ?? findInstalled('web-tree-sitter');
  if (!wasm || file === undefined) return undefined;
  return { wasm, script: { source: fs.readFileSync(file, 'utf8'), path: file } };
}

/** Returns the script of the thread that reads outlines, or undefined before the first build. */
export function findThreadScript(): string | undefined {
  return findBuilt(THREAD_SCRIPT);
}

function read(name: string, id: string): Uint8Array | undefined {
  const compressed = findBuilt(`${name}.wasm.gz`);
  if (compressed !== undefined) {
    // One step takes half the time for small files: the content ends with its length.
    const content = fs.readFileSync(compressed);
    return gunzipSync(content, { chunkSize: content.readUInt32LE(content.length - LENGTH_BYTES) + 1 });
  }
  const installed = findInstalled(id);
  return installed === undefined ? undefined : fs.readFileSync(installed);
}

function findBuilt(name: string): string | undefined {
  const found = findIn(BUILT, name);
  const shared = found === undefined ? findInstalled(SHARED) : undefined;
  // Security: without the package there is no second place. One that started at the working directory would be the workspace's.
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
