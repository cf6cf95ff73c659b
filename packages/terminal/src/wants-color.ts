/**
 * Decides whether what a person reads has colours: at a terminal that has some, unless NO_COLOR says otherwise. FORCE_COLOR
 * alone decides where it is set, as for other programs on Node.
 */
export function wantsColor(environment: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: kind } = environment;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal && !none && kind !== 'dumb';
}
