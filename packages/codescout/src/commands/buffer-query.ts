import type { CommandParts } from '@jinn/shell/risk';
import { referencesIn } from '../buffers/reference.ts';

/** Programs that only show what they read. Running them again costs nothing. */
const READERS = new Set(
  'awk base64 cat cmp column comm cut diff egrep expand fgrep file fmt fold gawk grep head hexdump join jq less mawk more nl od paste rev rg sed sha256sum md5sum sort stat strings tac tail tr uniq wc xxd'.split(
    ' ',
  ),
);
/** Builtins that write at most what stands in the command itself. The empty name is that of assignments. */
const PLAIN = new Set(['', ':', '[', 'cd', 'echo', 'false', 'printf', 'read', 'set', 'test', 'true']);

/**
 * Reports whether a command does nothing but query buffers: each of its pipelines reads a buffer, and all programs only
 * show what they read. Such an answer can be had again at any time and need not be kept.
 */
export function isQuery({ pipelines, programs }: CommandParts): boolean {
  const isPlain = (name: string | undefined) => name !== undefined && PLAIN.has(name);
  const isShown = (name: string | undefined) => isPlain(name) || (name !== undefined && READERS.has(name));
  const readsBuffer = (text: string) => referencesIn(text).length > 0;
  return (
    programs.every(isShown) && pipelines.every(({ text, programs }) => readsBuffer(text) || programs.every(isPlain))
  );
}
