import { createRequire } from 'node:module';
import v8 from 'node:v8';
import { Script } from 'node:vm';
import type { Parser, Language as TreeLanguage } from 'web-tree-sitter';
import { createTextReader, type LibraryExports, type LibraryScript, replaceAccessors } from './memory-access.ts';
import { type LibraryFiles, readGrammar, readLibrary } from './read-library.ts';

/**
 * V8 hands a function that is called often to its optimizing compiler. The lexer of a grammar is one function of several
 * hundred kilobytes: optimizing it stalls Node 20 for seconds to minutes, and aborts Node 24 for want of memory. The
 * first three flags are needed together; the fourth compiles all functions now, since those that are compiled later are
 * compiled without the flags.
 */
const BASELINE = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--no-wasm-lazy-compilation'];
const DEFAULT = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering', '--wasm-lazy-compilation'];

/**
 * Compiles WebAssembly with the baseline compiler alone. The flags are those of the whole process: nothing may run
 * between their change and their return, so that this function is synchronous.
 */
function compileBaseline(bytes: Uint8Array): WebAssembly.Module {
  for (const flag of BASELINE) v8.setFlagsFromString(flag);
  try {
    return new WebAssembly.Module(bytes);
  } finally {
    for (const flag of DEFAULT) v8.setFlagsFromString(flag);
  }
}

const FIRST_PAGES = 512;
const MOST_PAGES = 6_144;
/** The library comes with 64 KiB, and writes into other data when source code nests deeply. */
const STACK_BYTES = 4 * 1024 * 1024;
const STACK_ALIGNMENT = 16;

type Library = typeof import('web-tree-sitter');

/** A parser with memory of its own: no more than 384 MiB, which never shrinks, and which goes with the runtime. */
export interface Runtime {
  createParser(language: TreeLanguage): Parser;
  /** Loads a grammar; undefined if this installation does not have it. */
  loadGrammar(language: string): TreeLanguage | undefined;
}

/**
 * Creates a runtime; undefined if this installation does not have the library. With `optimize`, V8 optimizes it in the
 * background: that makes it half as fast again, but takes time that a process of one call does not have.
 */
export async function createRuntime({ optimize }: { readonly optimize: boolean }): Promise<Runtime | undefined> {
  const found = readLibrary();
  if (!found) return undefined;
  const library = evaluate(found);
  const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES });
  let isReady: (() => void) | undefined;
  const options = {
    wasmMemory,
    print() {},
    printErr() {},
    instantiateWasm(imports: WebAssembly.Imports, done: Instantiated): LibraryExports {
      const module = optimize ? new WebAssembly.Module(found.wasm) : compileBaseline(found.wasm);
      const environment = imports['env'] as Record<string, unknown>;
      environment['tree_sitter_parse_callback'] = createTextReader(script, wasmMemory);
      const instance = new WebAssembly.Instance(module, imports);
      const exports = instance.exports as LibraryExports;
      done(instance, module);
      isReady = () => {
        replaceAccessors(library, script, exports);
        moveStack(exports, imports);
      };
      return exports;
    },
  };
  // The script adds its functions to the very object that it gets its options by.
  const script = options as typeof options & LibraryScript;
  await library.Parser.init(options as Parameters<typeof Parser.init>[0]);
  isReady?.();
  return {
    createParser: (language) => new library.Parser().setLanguage(language),
    loadGrammar: (language) => {
      const bytes = readGrammar(language);
      return bytes && library.Language.loadSync(compileBaseline(bytes));
    },
  };
}

type Instantiated = (instance: WebAssembly.Instance, module: WebAssembly.Module) => void;

/** Gives the library a larger stack, which begins at its end. */
function moveStack({ malloc }: LibraryExports, imports: WebAssembly.Imports): void {
  const pointer = imports['env']?.['__stack_pointer'] as { value: number };
  pointer.value = (malloc(STACK_BYTES) + STACK_BYTES) & -STACK_ALIGNMENT;
}

/** Nothing is left to the garbage collector: it would run code in the memory of a runtime that has failed. */
class NoFinalization {
  register(): void {}
  unregister(): void {}
}

/** Runs the script of the library, which keeps its one instance in itself, so that there can be more than one. */
function evaluate({ script, file, compiled }: LibraryFiles): Library {
  const parameters = 'exports, require, module, __filename, __dirname, FinalizationRegistry';
  const source = `(function (${parameters}) {${script}\n})`;
  const run = new Script(source, { filename: file, ...(compiled && { cachedData: compiled }) }).runInThisContext();
  const module = { exports: {} };
  run(
    module.exports,
    createRequire(import.meta.url),
    module,
    import.meta.filename,
    import.meta.dirname,
    NoFinalization,
  );
  return module.exports as Library;
}
