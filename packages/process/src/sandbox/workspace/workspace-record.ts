import fs from 'node:fs';
import type { Secret } from './known-secrets.ts';

/** The knowledge of the sandbox about a workspace, from one process to the next. */
export interface WorkspaceRecord {
  readonly secrets: readonly Secret[];
  /** Identities of repositories that commands made. */
  readonly made: readonly string[];
}

const EMPTY: WorkspaceRecord = { secrets: [], made: [] };

/** Reads the record of a workspace. A missing or damaged file counts as an empty record. */
export function readRecord(file: string): WorkspaceRecord {
  if (!fs.existsSync(file)) return EMPTY;
  try {
    const { secrets, made } = JSON.parse(fs.readFileSync(file, 'utf8')) as Partial<WorkspaceRecord>;
    return { secrets: secrets ?? [], made: made ?? [] };
  } catch {
    return EMPTY;
  }
}

export function writeRecord(file: string, record: WorkspaceRecord): void {
  const temporary = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  fs.writeFileSync(temporary, JSON.stringify(record), { mode: 0o600 });
  fs.renameSync(temporary, file);
}
