/** Held lines are written at this length, so that they take little memory. */
const MAX_HELD_LENGTH = 65_536;
/** Held lines are written at this age, so that a long call keeps no answer before it from a reader. */
const MAX_HELD_MS = 5;

/** Lines for standard output, in their order. */
export interface AnswerLines {
  /** Writes a line at once, or soon if lines are held. */
  write(line: string): void;
  /** Lets lines gather, since a write of its own for each would take a fifth of a short call. */
  hold(): void;
  /** Writes what has gathered, and each later line at once. */
  release(): void;
}

export function createAnswerLines(write: (text: string) => void): AnswerLines {
  let isHeld = false;
  let held = '';
  let oldest = 0;
  const flush = () => {
    const text = held;
    held = '';
    if (text !== '') write(text);
  };
  return {
    write: (line) => {
      if (held === '') oldest = Date.now();
      held += line;
      if (!isHeld || held.length > MAX_HELD_LENGTH || Date.now() - oldest > MAX_HELD_MS) flush();
    },
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      flush();
    },
  };
}
