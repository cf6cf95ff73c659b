export { type Replaced, replaceMatches } from './replace-matches.ts';
