/** Returns a number with its noun: `1 match`, `2 matches`. */
export function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun}${/(?:ch|s|x)$/.test(noun) ? 'es' : 's'}`;
}
