const WINDOW_MS = 60_000;
/** Beyond this many kinds in a window, only their number is written. */
const MAX_KINDS = 100;

/** What happened, as the log has it. */
type Facts = Readonly<Record<string, unknown>>;

/** Writes the first of each kind at once, and the number of the others once a minute, as `more`. */
export interface ThinnedOut {
  /** Counts an event. `rest` names the kind that takes its place when there are too many, and the text for it. */
  add(kind: string, facts: Facts, rest: { readonly kind: string; readonly facts: Facts }): void;
  /** Writes the numbers that were not written yet. */
  flush(): void;
}

/** Bounds how much of a log strangers can fill. */
export function thinOut(write: (facts: Facts) => void): ThinnedOut {
  const kinds = new Map<string, { readonly facts: Facts; more: number }>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    for (const [kind, counted] of kinds) {
      const { facts, more } = counted;
      counted.more = 0;
      if (more === 0) kinds.delete(kind);
      else write({ ...facts, more });
    }
    if (kinds.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    flush,
    add: (kind, facts, rest) => {
      timer ??= setInterval(flush, WINDOW_MS).unref();
      const isFull = kinds.size >= MAX_KINDS && !kinds.has(kind);
      const name = isFull ? rest.kind : kind;
      const known = kinds.get(name);
      if (known) known.more++;
      else if (isFull) kinds.set(name, { facts: rest.facts, more: 1 });
      else {
        kinds.set(name, { facts, more: 0 });
        write(facts);
      }
    },
  };
}
