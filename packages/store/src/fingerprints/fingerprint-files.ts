import fs from 'node:fs';
import path from 'node:path';
import {
  createRoom,
  describeFile,
  fingerprintFolder,
  type HashRoom,
} from '../../../custom-tools/src/folders/fingerprint-folder.ts';

/**
 * Returns a hash of files and whole directories: where each lies, as named and behind links, its content, and whether
 * it is executable. A missing path counts as missing. Paths are absolute. Returns undefined for more than 20,000
 * entries or 256 MiB, and for files that cannot be read.
 */
export function fingerprintFiles(root: string, files: readonly string[]): string | undefined {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const whole = createHash('sha256');
  const room = createRoom();
  try {
    for (const file of [...new Set(files)].sort()) {
      const named = path.relative(root, file);
      whole.update(`${JSON.stringify([named, ...describe(root, file, room)])}\n`);
    }
    return whole.digest('hex');
  } catch {
    return undefined;
  }
}

function describe(root: string, file: string, room: HashRoom): readonly string[] {
  if (!fs.existsSync(file)) return ['none'];
  const real = fs.realpathSync.native(file);
  const place = path.relative(root, real);
  const stat = fs.statSync(real, { bigint: true });
  if (--room.files < 0) throw new RangeError('too many files');
  if (stat.isFile()) return [place, ...describeFile(real, stat, room)];
  if (!stat.isDirectory()) return [place, 'other'];
  const folder = fingerprintFolder(real, room);
  if (folder === undefined) throw new RangeError('a folder that is too large');
  return [place, 'directory', folder];
}
