import { firstWhere } from '@jinn/core/text/counted';
/** Returns the number of bytes of the JSON of a value. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/**
 * Cuts a value so that its JSON has at most `maxBytes`: a string at a line end if it has one, a list after whole items, and the
 * largest members of an object. Numbers and the names of members stay, so that a very small limit may be exceeded.
 */
export function fitJson(value: unknown, maxBytes: number): unknown {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return value;
  if (jsonBytes(value) <= maxBytes) return value;
  if (typeof value === 'string') return fitString(value, maxBytes);
  return Array.isArray(value) ? fitList(value, maxBytes) : fitMembers(value, maxBytes);
}

/** Returns how many of the first items fit into `maxBytes` as a list in JSON. */
export function countFitting(items: readonly unknown[], maxBytes: number): number {
  let bytes = '[]'.length;
  for (const [i, item] of items.entries()) {
    bytes += jsonBytes(item) + (i === 0 ? 0 : 1);
    if (bytes > maxBytes) return i;
  }
  return items.length;
}

function beginningOf(text: string, maxBytes: number): string {
  const most = Math.min(text.length, Math.max(0, maxBytes));
  return text
    .slice(
      0,
      firstWhere(most, (at) => jsonBytes(text.slice(0, at + 1)) > maxBytes),
    )
    .replace(/[\ud800-\udbff]$/, '');
}

/** Returns the first lines of a text that have at most `maxBytes` in JSON together, or none if the first is longer. */
export function linesThatFit(text: string, maxBytes: number): string {
  const shown = beginningOf(text, maxBytes);
  return shown.length === text.length ? text : shown.slice(0, shown.lastIndexOf('\n') + 1);
}

function fitString(text: string, maxBytes: number): string {
  const shown = beginningOf(text, maxBytes - Buffer.byteLength('…'));
  return shown.slice(0, shown.lastIndexOf('\n') + 1) || `${shown}…`;
}

function fitList(items: readonly unknown[], maxBytes: number): readonly unknown[] {
  const count = countFitting(items, maxBytes);
  return count > 0 ? items.slice(0, count) : [fitJson(items[0], maxBytes - '[]'.length)];
}

/**
 * Shortens the members of an object to fit into `maxBytes`. Each may use what smaller members leave of their shares.
 */
function fitMembers(members: object, maxBytes: number): object {
  const bySize = Object.entries(members).map(([key, value]) => ({ key, value, bytes: jsonBytes(value) }));
  bySize.sort((a, b) => a.bytes - b.bytes);
  const fitted = new Map<string, unknown>();
  let room = maxBytes - '{}'.length;
  for (const [i, { key, value }] of bySize.entries()) {
    const name = jsonBytes(key) + ':,'.length;
    const share = Math.floor(room / (bySize.length - i)) - name;
    const part = fitJson(value, share);
    fitted.set(key, part);
    room -= name + jsonBytes(part);
  }
  return Object.fromEntries(Object.keys(members).map((key) => [key, fitted.get(key)]));
}
