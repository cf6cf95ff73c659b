interface Library {
  readonly Node: { readonly prototype: object };
  readonly TreeCursor: { readonly prototype: object };
}

/** The object with which the library's script is initialized, and by which it calls its own functions. */
export interface LibraryScript {
  /** The memory; another array after it has grown. */
  readonly HEAP32: Int32Array;
  setValue(pointer: number, value: number, type: string): void;
  getValue(pointer: number, type: string): number;
  /** Returns the text from a unit on, while one is parsed. */
  readonly currentParseCallback: (index: number) => string | undefined;
}

/** A function that takes a tree, and finds its cursor or node in the transfer buffer. */
type TreeFunction = (tree: number) => number;

/** Exports of the library's WebAssembly. */
export interface LibraryExports {
  malloc(bytes: number): number;
  /** Returns the address of the transfer buffer. */
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

interface TreeNode {
  readonly id: number;
  readonly startIndex: number;
  readonly startPosition: { readonly row: number; readonly column: number };
  readonly 0: number;
  readonly tree: { readonly 0: number };
}

const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/**
 * Replaces the functions that a walk calls for each node by equivalent ones. Those of the library choose a type for
 * each number and go through a DataView, which takes half of the time of a walk that V8 has not optimized yet.
 */
export function replaceAccessors(library: Library, script: LibraryScript, exports: LibraryExports): void {
  if (!isLittleEndian) return;
  const buffer = exports.ts_init() >> 2;
  let words = script.HEAP32;
  /** Returns the memory. An array of it has no elements any more when it has grown. */
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

  function writeNode(node: TreeNode): number {
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

/** Makes a getter by `call`; `write` puts an object into the transfer buffer and returns its tree. */
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

/** Makes a function that reads the text in place of the script's own, which copies a unit at a time. */
export function createTextReader(script: LibraryScript, memory: WebAssembly.Memory) {
  let bytes = Buffer.from(memory.buffer);
  return (target: number, index: number, ...[, , length]: [row: number, column: number, length: number]): void => {
    const text = script.currentParseCallback(index) ?? '';
    if (bytes.buffer !== memory.buffer) bytes = Buffer.from(memory.buffer);
    bytes.writeUInt32LE(text.length, length);
    bytes.write(text, target, 'utf16le');
  };
}
