const PARENT_CHECK_MS = 1_000;

export interface StopOptions {
  readonly signals: readonly NodeJS.Signals[];
  /** True if the process must end with the one that started it. */
  readonly withParent: boolean;
}

/** Resolves at the first of the signals, or when the process gets another parent. */
export function untilStopped({ signals, withParent }: StopOptions) {
  const parent = process.ppid;
  let reach: () => void;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const onStop = () => reach();
  for (const signal of signals) process.on(signal, onStop);
  const timer = setInterval(() => {
    if (withParent && process.ppid !== parent) onStop();
  }, PARENT_CHECK_MS);
  return { reached, forget: () => clearInterval(timer) };
}
