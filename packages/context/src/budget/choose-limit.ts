const DEFAULT_LIMIT_MB = 100;

/** Returns the limit in MB (of 1024 * 1024): from a flag or an argument, else from `JINNI_MAX_SIZE_MB`, else 100. */
export function chooseLimit(
  asked: number | undefined,
  variable: string | undefined,
  warn: (sentence: string) => void,
): number {
  if (asked !== undefined && asked > 0) return asked;
  if (variable === undefined || variable === '') return DEFAULT_LIMIT_MB;
  if (/^\s*\d+\s*$/.test(variable) && Number(variable) > 0) return Number(variable);
  warn(
    `JINNI_MAX_SIZE_MB is ${JSON.stringify(variable)} and not a number of megabytes; the limit is ${DEFAULT_LIMIT_MB}`,
  );
  return DEFAULT_LIMIT_MB;
}
