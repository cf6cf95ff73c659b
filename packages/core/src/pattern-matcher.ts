import { stepsOf } from './pattern-cost.ts';
import { type PatternTest, PatternThread } from './pattern-thread.ts';

/** What one check may match at once, which takes some milliseconds. The rest is matched on a thread. */
const MAX_STEPS = 5_000_000;

interface CompiledPattern {
  test(text: string): boolean;
  /** ajv tells patterns apart by their texts. */
  toString(): string;
}

/** The form in which ajv takes an engine for regular expressions. */
interface PatternEngine {
  (pattern: string, flags: string): CompiledPattern;
  code: string;
}

/** One check of a value: what is known of its texts. */
interface Matches {
  /**
   * Returns what `check` returns once all matches that it asks for are known. It is called again as long as it asks for more.
   * Rejects with SlowPattern.
   */
  settle<T>(check: () => T): Promise<T>;
  end(): void;
}

/**
 * Matches the patterns of a schema. Those that are sure to end soon are matched at once, the others on a thread that can be
 * stopped: the check that asks for them gets a guess, and runs again when the answers are there.
 */
export class PatternMatcher {
  /** The check that runs at this moment. */
  #running: CheckMatches | undefined;

  readonly engine: PatternEngine = Object.assign(
    (pattern: string): CompiledPattern => {
      const steps = stepsOf(pattern);
      const regex = new RegExp(pattern, 'u');
      return {
        test: (text) => this.#running?.test(pattern, text, { regex, steps: steps(text.length) }) ?? regex.test(text),
        toString: () => `/${pattern}/u`,
      };
    },
    { code: 'new RegExp' },
  );

  begin(): Matches {
    const matches = new CheckMatches();
    return {
      settle: async (check) => {
        for (;;) {
          this.#running = matches;
          let answer: ReturnType<typeof check>;
          try {
            answer = check();
          } finally {
            this.#running = undefined;
          }
          if (matches.isComplete) return answer;
          await matches.fetch();
        }
      },
      end: () => matches.end(),
    };
  }
}

class CheckMatches {
  readonly #known = new Map<string, Map<string, boolean>>();
  #unknown: PatternTest[] = [];
  #steps = MAX_STEPS;
  #thread: PatternThread | undefined;

  get isComplete(): boolean {
    return this.#unknown.length === 0;
  }

  /** Returns a guess if the answer must come from the thread. */
  test(pattern: string, text: string, { regex, steps }: { regex: RegExp; steps: number }): boolean {
    const known = this.#known.get(pattern)?.get(text);
    if (known !== undefined) return known;
    if (steps > this.#steps) {
      this.#unknown.push([pattern, text]);
      return true;
    }
    this.#steps -= steps;
    return this.#learn(pattern, text, regex.test(text));
  }

  async fetch(): Promise<void> {
    const tests = this.#unknown;
    this.#unknown = [];
    this.#thread ??= new PatternThread();
    const answers = await this.#thread.test(tests);
    for (const [at, [pattern, text]] of tests.entries()) this.#learn(pattern, text, answers[at] === true);
  }

  end(): void {
    this.#thread?.close();
  }

  #learn(pattern: string, text: string, isMatch: boolean): boolean {
    const texts = this.#known.get(pattern) ?? new Map<string, boolean>();
    this.#known.set(pattern, texts.set(text, isMatch));
    return isMatch;
  }
}
