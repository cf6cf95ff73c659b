import v8 from 'node:v8';
import { type LibrarySource, readGrammar, readLibrary } from './read-library.ts';

/** The compiled modules of a parser. All can be sent to another thread, which need not compile them again. */
export interface CompiledSyntax {
  readonly script: LibrarySource;
  readonly library: WebAssembly.Module;
  /** Returns the module of a grammar; undefined if this installation does not have it. */
  grammar(language: string): WebAssembly.Module | undefined;
}

/**
 * Compiles the library, and grammars on request; undefined if this installation does not have the library. With
 * `optimize`, V8 optimizes the library in the background: that makes it half as fast again, but takes time that a
 * process of one call does not have.
 */
export type SyntaxCompiler = (options: { readonly optimize: boolean }) => CompiledSyntax | undefined;

/** Makes the compiler. Grammars are compiled once, even if one parser replaces another. */
export function createSyntaxCompiler(): SyntaxCompiler {
  const grammars = new Map<string, WebAssembly.Module | undefined>();
  const grammar = (language: string): WebAssembly.Module | undefined => {
    if (grammars.has(language)) return grammars.get(language);
    const bytes = readGrammar(language);
    const module = bytes && compileBaseline(bytes);
    grammars.set(language, module);
    return module;
  };
  return ({ optimize }) => {
    const files = readLibrary();
    if (!files) return undefined;
    const library = optimize ? compileOptimized(files.wasm) : compileBaseline(files.wasm);
    return { script: files.script, library, grammar };
  };
}

/**
 * V8 optimizes a function that is called often. The lexer of a grammar is one function of several hundred kilobytes:
 * optimizing it stalls Node 20 for seconds to minutes, and aborts Node 24 for lack of memory. The first three flags are
 * needed together; the fourth compiles all functions now, since those that are compiled later are compiled without the
 * flags.
 */
const BASELINE = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--no-wasm-lazy-compilation'];
const DEFAULT = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering', '--wasm-lazy-compilation'];

/**
 * Compiles WebAssembly with the baseline compiler alone. The flags are those of the whole process: nothing else may run
 * until they are reset, so this function is synchronous.
 */
function compileBaseline(bytes: Uint8Array): WebAssembly.Module {
  for (const flag of BASELINE) v8.setFlagsFromString(flag);
  try {
    return new WebAssembly.Module(bytes);
  } finally {
    for (const flag of DEFAULT) v8.setFlagsFromString(flag);
  }
}

/** A custom section without content: it changes nothing but the bytes. */
const EMPTY_SECTION = Buffer.of(0, 2, 1, 0x6f);

/**
 * Compiles WebAssembly for V8 to optimize, from changed bytes. V8 returns the same module for the same bytes, which
 * would be the one of the baseline compiler.
 */
function compileOptimized(bytes: Uint8Array): WebAssembly.Module {
  return new WebAssembly.Module(Buffer.concat([bytes, EMPTY_SECTION]));
}
