/** Says why SQLite or the system refused to open or write a file. `file` is its name for the message. */
export function reasonOf(error: unknown, file: string): string {
  const code = (error as { code?: string }).code ?? '';
  const [, reason] = REASONS.find(([prefix]) => code.startsWith(prefix)) ?? [];
  return reason ? reason.replace('{}', file) : `${file} cannot be used`;
}

const REASONS: readonly (readonly [prefix: string, reason: string])[] = [
  ['SQLITE_FULL', 'no space left on the disk'],
  ['SQLITE_BUSY', 'another process keeps {} locked'],
  ['SQLITE_READONLY', '{} is read-only'],
  ['SQLITE_CORRUPT', '{} is damaged'],
  ['SQLITE_NOTADB', '{} is damaged'],
  ['SQLITE_CANTOPEN', '{} cannot be opened'],
  ['SQLITE_ERROR', '{} has another form than jinn gave it'],
  ['EROFS', '{} is read-only'],
  ['EACCES', '{} is closed to this user'],
  ['ENOENT', 'the directory of {} cannot be made'],
  ['ENOTDIR', 'the directory of {} cannot be made'],
  ['EEXIST', 'the directory of {} cannot be made'],
  ['ENOSPC', 'no space left on the disk'],
];
