import fs from 'node:fs';
import path from 'node:path';
import type { OpenSqlite } from './node-sqlite.ts';
import { type Connection, isLogCut } from './sqlite.ts';

interface OpenConnection {
  readonly connection: Connection;
  readonly inode: number;
  readonly isWritable: boolean;
}

/** A file of SQLite, whose connection is kept as long as the file is the same. */
export abstract class DatabaseFile {
  protected readonly file: string;
  protected readonly open: OpenSqlite;
  protected kept: OpenConnection | undefined;
  protected readonly warnings: string[] = [];

  constructor(file: string, open: OpenSqlite) {
    this.file = file;
    this.open = open;
  }

  takeWarnings(): readonly string[] {
    return this.warnings.splice(0);
  }

  protected drop(): void {
    this.kept?.connection.close();
    this.kept = undefined;
  }

  /** Drops the connection if its file is gone, or another one, and reports whether it did. */
  protected dropIfReplaced(): boolean {
    if (this.kept === undefined || this.kept.inode === this.stat()?.ino) return false;
    this.drop();
    return true;
  }

  protected warnIfLogCut(warning: string): void {
    if (isLogCut(`${this.file}-wal`)) this.warnings.push(warning);
  }

  /** Returns undefined if there is no file. Throws if it is not a regular one: SQLite would wait for the writer of a FIFO. */
  protected stat(): fs.Stats | undefined {
    let stat: fs.Stats | undefined;
    try {
      stat = fs.statSync(this.file, { throwIfNoEntry: false });
    } catch (error) {
      // A home such as /dev/null has no files.
      if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error;
    }
    if (stat && !stat.isFile()) throw new Error(`${path.basename(this.file)} is not a regular file`);
    return stat;
  }
}
