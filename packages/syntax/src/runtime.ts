import { createRequire } from 'node:module';
import { Script } from 'node:vm';
import type { Parser, Language as TreeLanguage } from 'web-tree-sitter';
import type { CompiledSyntax } from './compile.ts';
import { createTextReader, type LibraryExports, type LibraryScript, replaceAccessors } from './parse/memory-access.ts';
import type { LibrarySource } from './read-library.ts';

const FIRST_PAGES = 512;
const MOST_PAGES = 6_144;
/** The library has a stack of 64 KiB, and writes into other data when source code nests deeply. */
const STACK_BYTES = 4 * 1024 * 1024;
const STACK_ALIGNMENT = 16;

type Library = typeof import('web-tree-sitter');

/** A parser with memory of its own: at most 384 MiB, which never shrink, and are freed with the runtime. */
export interface Runtime {
  createParser(language: TreeLanguage): Parser;
  /** Loads a grammar; undefined if this installation does not have it. */
  loadGrammar(language: string): TreeLanguage | undefined;
}

/** Creates a runtime from compiled modules, which the runtimes of several threads can share. */
export async function createRuntime({ script: source, library: module, grammar }: CompiledSyntax): Promise<Runtime> {
  const library = evaluate(source);
  const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES });
  let isReady: (() => void) | undefined;
  const options = {
    wasmMemory,
    print() {},
    printErr() {},
    instantiateWasm(imports: WebAssembly.Imports, done: InstantiateCallback): LibraryExports {
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
      const compiled = grammar(language);
      return compiled && library.Language.loadSync(compiled);
    },
  };
}

type InstantiateCallback = (instance: WebAssembly.Instance, module: WebAssembly.Module) => void;

function moveStack({ malloc }: LibraryExports, imports: WebAssembly.Imports): void {
  const pointer = imports['env']?.['__stack_pointer'] as { value: number };
  pointer.value = (malloc(STACK_BYTES) + STACK_BYTES) & -STACK_ALIGNMENT;
}

/** Leaves nothing to the garbage collector: it would run code in the memory of a runtime that has failed. */
class NoFinalization {
  register(): void {}
  unregister(): void {}
}

/** Runs the script of the library. The script keeps its only instance in itself, so that there can be several. */
function evaluate({ source, path }: LibrarySource): Library {
  const parameters = 'exports, require, module, __filename, __dirname, FinalizationRegistry';
  const code = `(function (${parameters}) {${source}\n})`;
  const run = new Script(code, { filename: path }).runInThisContext();
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
