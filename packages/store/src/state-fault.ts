import { ToolError } from '@jinn/core/errors';
import { OtherSchema, SqliteMissing } from './sqlite.ts';

/** There is no directory to keep anything in. */
export class NoHome extends Error {}

/** The file is a SQLite database that another program made. */
export class ForeignDatabase extends Error {}

/** Returns the warning that files are changed without undo. Throws `write_failed` if `setting` requires undo or is not known. */
export function goOnWithoutUndo(what: string, cause: unknown, setting: unknown): string {
  if (setting === 'require') throw toUndoError(what, cause);
  if (setting === undefined || setting === 'optional')
    return `files are changed without undo: ${explain(cause).join('; ')}`;
  const shown = JSON.stringify(setting).slice(0, 60);
  throw new ToolError('write_failed', `config.json: "history" must be "require" or "optional", not ${shown}`, {
    suggestion: 'ask the user to fix config.json in the configuration directory of jinn',
  });
}

/** Makes the error for a failure of the database. A ToolError stays as it is. `what` names what cannot be done. */
export function toStateError(what: string, cause: unknown, more = ''): ToolError {
  if (cause instanceof ToolError) return cause;
  const [reason, suggestion] = explain(cause);
  return new ToolError('write_failed', `${what}: ${reason}`, { suggestion: `${suggestion}${more}`, cause });
}

/** Makes the same error, which also says how to change files without undo. */
export function toUndoError(what: string, cause: unknown): ToolError {
  return toStateError(what, cause, ': jinn --no-history changes files without undo');
}

/** Reports whether an error means that the file is not a database that jinn made, or is no longer in one piece. */
export function isDamage(error: unknown): boolean {
  if (error instanceof ForeignDatabase) return true;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return /^SQLITE_(CORRUPT|NOTADB)/.test(code) || (code === 'SQLITE_ERROR' && OTHER_SCHEMA.test(message));
}

/** SQLite's messages about statements that do not fit the tables of the file. */
const OTHER_SCHEMA = /no such (table|column|index)|has no column named|already exists|is a view|malformed/;

/** Reports whether an error means that there is no room, or no right, to change the file or the ones next to it. */
export function isUnwritable(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return isFull(error) || /^(SQLITE_(READONLY|CANTOPEN)|EROFS$|EACCES$|EPERM$)/.test(code);
}

/** Reports whether there is no place for a database: no home, or a full or read-only disk. */
export function isWithoutPlace(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return error instanceof NoHome || isUnwritable(error) || /^(ENOENT|ENOTDIR|EEXIST)$/.test(code);
}

/** Reports whether an error means a full disk. SQLite reports an I/O error if it cannot extend its shared memory. */
export function isFull(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return /^(SQLITE_FULL|SQLITE_IOERR_SHM|ENOSPC$|EDQUOT$)/.test(code);
}

function explain(fault: unknown): [reason: string, suggestion: string] {
  if (fault instanceof NoHome) {
    return ['neither JINN_CONFIG_DIR nor HOME is set', 'set JINN_CONFIG_DIR to a directory that jinn can write to'];
  }
  if (fault instanceof SqliteMissing) return [fault.message, SqliteMissing.SUGGESTION];
  if (fault instanceof OtherSchema) {
    return [
      fault.reason('state.db'),
      fault.isNewer ? 'use that version of jinn' : 'move state.db and the files next to it away',
    ];
  }
  const { code, path } = fault as NodeJS.ErrnoException;
  const reason = reasonOf(fault, path?.includes('/snapshots') ? 'the snapshot store' : 'state.db');
  if (isFull(fault))
    return ['no space left on the disk', 'free some space: undo with action "clear" empties the history'];
  if (code?.startsWith('SQLITE_BUSY')) return [reason, 'try again in a moment'];
  return [reason, 'set JINN_CONFIG_DIR to a directory that jinn can write to'];
}

/** Returns why SQLite or the system refused to open or write a file. `file` is its name for the message. */
export function reasonOf(error: unknown, file: string): string {
  const code = (error as { code?: string }).code ?? '';
  const [, reason] = REASONS.find(([pattern]) => pattern.test(code)) ?? [];
  return reason ? reason.replace('{}', file) : `${file} cannot be used`;
}

const REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^(SQLITE_FULL|ENOSPC)/, 'no space left on the disk'],
  [/^SQLITE_BUSY/, 'another process keeps {} locked'],
  [/^(SQLITE_READONLY|EROFS)/, '{} is read-only'],
  [/^SQLITE_(CORRUPT|NOTADB)/, '{} is damaged'],
  [/^SQLITE_CANTOPEN/, '{} cannot be opened'],
  [/^SQLITE_ERROR/, '{} has another form than jinn gave it'],
  [/^EACCES/, '{} is closed to this user'],
  [/^(ENOENT|ENOTDIR|EEXIST)/, 'the directory of {} cannot be made'],
];
