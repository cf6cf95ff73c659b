/** What a buffer holds: a file, the output of a command, the result of a tool, or what a background command writes. */
export type BufferKind = 'file' | 'cmd' | 'tool' | 'bg';

/** A reference to a buffer, as agents write it. */
export interface Reference {
  readonly kind: BufferKind;
  /** `cmd_0123abcd`: unique in the workspace. */
  readonly id: string;
  /** True for the standard error of a command, which `.err` at the end asks for. */
  readonly isError: boolean;
}

const REFERENCE = /^@((file|cmd|tool|bg)_[0-9a-f]{8})(\.err)?$/;
const IN_TEXT = /(?<![\w@])@(?:file|cmd|tool|bg)_[0-9a-f]{8}(?:\.err)?(?!\w)/g;
/** Quotes that agents leave around a reference. */
const QUOTES = /^["'`\s]+|["'`\s]+$/g;

/** Parses a reference. Returns undefined for a text that is not one, or a malformed one. */
export function parseReference(text: string): Reference | undefined {
  const [, id, kind, error] = REFERENCE.exec(text.replace(QUOTES, '')) ?? [];
  return id === undefined ? undefined : { kind: kind as BufferKind, id, isError: error !== undefined };
}

/** Writes a reference as answers show it. */
export function toText({ id, isError }: Reference): string {
  return `@${id}${isError ? '.err' : ''}`;
}

/** Finds the references in a command, each once. */
export function referencesIn(command: string): string[] {
  return [...new Set(command.match(IN_TEXT))];
}

/** Quoted text, and characters behind a backslash, in which no reference begins. */
const QUOTED = /\\.|'[^']*'|"(?:\\.|[^"\\])*"/gs;

/** Finds the references in a command that only stand in quotes: they may be meant as text. */
export function quotedReferencesIn(command: string): string[] {
  const bare = referencesIn(command.replace(QUOTED, (text) => (text.startsWith('\\') ? text : ' ')));
  return referencesIn(command).filter((reference) => !bare.includes(reference));
}

/** Replaces the references in a command. */
export function replaceReferences(command: string, replacement: (reference: string) => string): string {
  return command.replace(IN_TEXT, replacement);
}
