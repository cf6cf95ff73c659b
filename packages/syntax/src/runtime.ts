import { createRequire } from 'node:module';
import { Script } from 'node:vm';
import type { Node, Parser, Language as TreeLanguage } from 'web-tree-sitter';
import type { CompiledSyntax, LibrarySource } from './compile.ts';

interface LibraryClasses {
  readonly Node: { readonly prototype: object };
  readonly TreeCursor: { readonly prototype: object };
}

/** The script is initialized with this object, and calls its own functions by it. */
interface LibraryScript {
  /** The memory. Another array after it has grown. */
  readonly HEAP32: Int32Array;
  setValue(pointer: number, value: number, type: string): void;
  getValue(pointer: number, type: string): number;
  readonly currentParseCallback: (index: number) => string | undefined;
}

/** A function that takes a tree, and finds its cursor or node in the transfer buffer. */
type TreeFunction = (tree: number) => number;

interface LibraryExports {
  malloc(bytes: number): number;
  ts_init(): number;
  readonly ts_tree_cursor_goto_first_child_wasm: TreeFunction;
  readonly ts_tree_cursor_goto_next_sibling_wasm: TreeFunction;
  readonly ts_tree_cursor_goto_parent_wasm: TreeFunction;
  readonly ts_tree_cursor_current_node_type_id_wasm: TreeFunction;
  readonly ts_tree_cursor_start_index_wasm: TreeFunction;
  readonly ts_tree_cursor_end_index_wasm: TreeFunction;
  readonly ts_node_symbol_wasm: TreeFunction;
  readonly ts_node_end_index_wasm: TreeFunction;
  readonly ts_node_child_count_wasm: TreeFunction;
}

interface Cursor {
  0: number;
  1: number;
  2: number;
  3: number;
  readonly tree: { readonly 0: number };
}

const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const FIRST_PAGES = 512;
/** 176 MiB. Source code takes about 20 times its size, generated code 70 times. */
const MOST_PAGES = 2_816;
/** What is ambiguous takes a thousand times its size. */
const BYTES_PER_BYTE = 130;
/** The largest grammar takes less. All grammars are in the same memory. */
const GRAMMAR_BYTES = 8 * 1024 * 1024;
/** The library has a stack of 64 KiB, and writes into other data when source code nests deeply. */
const STACK_BYTES = 4 * 1024 * 1024;
const STACK_ALIGNMENT = 16;

type Library = typeof import('web-tree-sitter');

/** A parser with memory of its own: at most 176 MiB, which never shrink, and are freed with the runtime. */
export interface Runtime {
  /** Bounds how much the memory may grow for the text that is parsed next. */
  limitMemory(sourceBytes: number): void;
  createParser(language: TreeLanguage): Parser;
  loadGrammar(language: string): TreeLanguage | undefined;
}

/** Creates a runtime from compiled modules, which several threads can share. */
export async function createRuntime({ script: source, library: module, grammar }: CompiledSyntax): Promise<Runtime> {
  const library = evaluate(source);
  const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES });
  let most = 0;
  let isReady: (() => void) | undefined;
  const options = {
    wasmMemory,
    print() {},
    printErr() {},
    instantiateWasm(
      imports: WebAssembly.Imports,
      done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ): LibraryExports {
      const environment = imports['env'] as Record<string, unknown>;
      environment['tree_sitter_parse_callback'] = createTextReader(script, wasmMemory);
      const grow = environment['emscripten_resize_heap'] as (bytes: number) => boolean;
      environment['emscripten_resize_heap'] = (bytes: number) => bytes >>> 0 <= most && grow(bytes);
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
    limitMemory(sourceBytes) {
      most = wasmMemory.buffer.byteLength + GRAMMAR_BYTES + sourceBytes * BYTES_PER_BYTE;
    },
    createParser: (language) => new library.Parser().setLanguage(language),
    loadGrammar: (language) => {
      const compiled = grammar(language);
      return compiled && library.Language.loadSync(compiled);
    },
  };
}

function moveStack({ malloc }: LibraryExports, imports: WebAssembly.Imports): void {
  const pointer = imports['env']?.['__stack_pointer'] as { value: number };
  pointer.value = (malloc(STACK_BYTES) + STACK_BYTES) & -STACK_ALIGNMENT;
}

/** Leaves nothing to the garbage collector: it would run code in the memory of a runtime that has failed. */
class NoFinalization {
  register(): void {}
  unregister(): void {}
}

/** The script keeps its only instance in itself: each run makes another. */
function evaluate({ source, path }: LibrarySource): Library {
  const parameters = 'exports, require, module, __filename, __dirname, FinalizationRegistry';
  const code = `(function (${parameters}) {${source}\n})`;
  const run = new Script(code, { filename: path }).runInThisContext();
  const module = { exports: {} };
  const require = createRequire(import.meta.url);
  run(module.exports, require, module, import.meta.filename, import.meta.dirname, NoFinalization);
  return module.exports as Library;
}

/**
 * Replaces functions that a walk calls for each node. Those of the library go through a DataView, which takes half of
 * the time of a walk that V8 has not optimized.
 */
function replaceAccessors(library: LibraryClasses, script: LibraryScript, exports: LibraryExports): void {
  if (!isLittleEndian) return;
  const buffer = exports.ts_init() >> 2;
  let words = script.HEAP32;
  /** An array of the memory has no elements after the memory has grown. */
  const memory = () => {
    if (words.length === 0) words = script.HEAP32;
    return words;
  };
  replaceNumbers(script, memory);

  function writeCursor(cursor: Cursor): number {
    const into = memory();
    into[buffer] = cursor[0];
    into[buffer + 1] = cursor[1];
    into[buffer + 2] = cursor[2];
    into[buffer + 3] = cursor[3];
    return cursor.tree[0];
  }

  function writeNode(node: Pick<Node, 'id' | 'startIndex' | 'startPosition'> & Pick<Cursor, 0 | 'tree'>): number {
    const into = memory();
    into[buffer] = node.id;
    into[buffer + 1] = node.startIndex;
    into[buffer + 2] = node.startPosition.row;
    into[buffer + 3] = node.startPosition.column;
    into[buffer + 4] = node[0];
    return node.tree[0];
  }

  const move = (call: TreeFunction) =>
    function (this: Cursor): boolean {
      const isMoved = call(writeCursor(this)) === 1;
      const from = memory();
      this[0] = from[buffer] as number;
      this[1] = from[buffer + 1] as number;
      this[2] = from[buffer + 2] as number;
      this[3] = from[buffer + 3] as number;
      return isMoved;
    };
  Object.defineProperties(library.TreeCursor.prototype, {
    gotoFirstChild: { value: move(exports.ts_tree_cursor_goto_first_child_wasm) },
    gotoNextSibling: { value: move(exports.ts_tree_cursor_goto_next_sibling_wasm) },
    gotoParent: { value: move(exports.ts_tree_cursor_goto_parent_wasm) },
    nodeTypeId: getter(exports.ts_tree_cursor_current_node_type_id_wasm, writeCursor),
    startIndex: getter(exports.ts_tree_cursor_start_index_wasm, writeCursor),
    endIndex: getter(exports.ts_tree_cursor_end_index_wasm, writeCursor),
  });
  Object.defineProperties(library.Node.prototype, {
    typeId: getter(exports.ts_node_symbol_wasm, writeNode),
    endIndex: getter(exports.ts_node_end_index_wasm, writeNode),
    childCount: getter(exports.ts_node_child_count_wasm, writeNode),
  });
}

function getter<T>(call: TreeFunction, write: (object: T) => number): PropertyDescriptor {
  return {
    get(this: T): number {
      return call(write(this));
    },
  };
}

function replaceNumbers(script: LibraryScript, memory: () => Int32Array): void {
  const { setValue, getValue } = script;
  script.setValue = (pointer, value, type) => {
    if (type === 'i32') memory()[pointer >> 2] = value;
    else setValue(pointer, value, type);
  };
  script.getValue = (pointer, type) => (type === 'i32' ? (memory()[pointer >> 2] as number) : getValue(pointer, type));
}

/** The script's own function copies a unit at a time. */
function createTextReader(script: LibraryScript, memory: WebAssembly.Memory) {
  let bytes = Buffer.from(memory.buffer);
  return (target: number, index: number, ...[, , length]: [row: number, column: number, length: number]): void => {
    const text = script.currentParseCallback(index) ?? '';
    if (bytes.buffer !== memory.buffer) bytes = Buffer.from(memory.buffer);
    bytes.writeUInt32LE(text.length, length);
    bytes.write(text, target, 'utf16le');
  };
}
