export { shortFingerprint } from '../../../custom-tools/src/folders/fingerprint-folder.ts';
export { toPathPattern } from './file-names.ts';
export { findNamed } from './find-named.ts';
export { fingerprintFiles } from './fingerprint-files.ts';
