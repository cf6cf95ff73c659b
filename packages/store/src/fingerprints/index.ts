export { shortFingerprint } from '../../../custom-tools/src/folders/fingerprint-folder.ts';
export { findNamed, fingerprintFiles, toPathPattern } from './find-named.ts';
