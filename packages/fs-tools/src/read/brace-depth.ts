const EXTENSIONS = new Set(['go', 'rs', 'ts', 'js', 'java', 'c', 'cpp', 'h', 'hpp', 'tsx', 'jsx']);
/** Matches, in each state of the pass, the next text that matters. */
const NEXT = {
  code: /\/\/|\/\*|["'`{}\n]/g,
  /** A lone quote starts a lifetime in Rust. Only a whole character literal is skipped. */
  rust: /\/\/|\/\*|'(?:\\[^'\n]*|[^'\\\n])'|["{}\n]/g,
  '//': /\n/g,
  '/*': /\*\/|\n/g,
  '"': /\\.|["\n]/gs,
  "'": /\\.|['\n]/gs,
  '`': /\\.|[`\n]/gs,
} as const;

type State = keyof typeof NEXT;

/** Reports whether the strategy `smart` knows the syntax of a file. */
export function hasBraceSyntax(path: string): boolean {
  return EXTENSIONS.has(extensionOf(path));
}

/**
 * Returns the brace depth after each line of a text, from 0 at its start. Negative when it starts inside blocks. It is
 * a heuristic of one linear pass: it knows comments, strings and template literals, not the whole grammar.
 */
export function braceDepths(text: string, path: string): number[] {
  const code: State = extensionOf(path) === 'rs' ? 'rust' : 'code';
  const depths: number[] = [];
  let state: State = code;
  let depth = 0;
  for (let at = 0; ; ) {
    const next = NEXT[state];
    next.lastIndex = at;
    const token = next.exec(text)?.[0];
    if (token === undefined) break;
    at = next.lastIndex;
    if (token.endsWith('\n')) depths.push(depth);
    if (token === '{') depth++;
    else if (token === '}') depth--;
    state = stateAfter(token, state, code);
  }
  if (!text.endsWith('\n')) depths.push(depth);
  return depths;
}

function stateAfter(token: string, state: State, code: State): State {
  if (state === code) return token in NEXT ? (token as State) : code;
  if (token === '\n') return state === '/*' || state === '`' || (state === '"' && code === 'rust') ? state : code;
  return token === state || token === '*/' ? code : state;
}

/**
 * Returns how many lines to keep of a text that is too long. It is cut after the last line that is at the lowest
 * depth, looking no further back than to a quarter of it, so that a file of one long block is cut between its parts.
 */
export function lastBlockBoundary(depths: readonly number[]): number {
  const from = Math.floor(depths.length / 4);
  let best = depths.length - 1;
  for (let i = depths.length - 2; i >= from; i--) {
    if ((depths[i] ?? 0) < (depths[best] ?? 0)) best = i;
  }
  return best + 1;
}

function extensionOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).toLowerCase();
}
