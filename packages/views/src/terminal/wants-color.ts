/**
 * Decides whether a text for the user has colours: at a terminal with colours, unless NO_COLOR says otherwise. If
 * FORCE_COLOR is set, it alone decides, as for other programs on Node.
 */
export function wantsColor(environment: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: kind } = environment;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal && !none && kind !== 'dumb';
}
