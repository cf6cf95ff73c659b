/**
 * The names that no tool opens and no command in the sandbox sees. `.git` is confined in another way. Editors and users
 * keep copies such as `.env~`, `#.env#` and `.env-old`. A letter makes another name: `.envrc`, `.environment`.
 */
export const HIDDEN_NAMES = String.raw`#?\.((ssh|aws|gnupg)[~#]?|env([^a-z/][^/]*)?)`;
/** Names that are open all the same, as a regular expression: such files are committed to be read. */
export const TEMPLATE_NAMES = String.raw`\.env\.(example|sample|template)`;

/** A name of a secret: of a variable, a header or a member. An author is none, unlike what is about authorization. */
export const SECRET_NAME = /passw|passphrase|secret|token|credential|(api|access|private)[-_]?key|auth(?!or(?!i[sz]))/i;

const HIDDEN = new RegExp(`^${HIDDEN_NAMES}$`);
const TEMPLATE = new RegExp(`^${TEMPLATE_NAMES}$`);
const [NUMBER_SIGN, DOT] = [35, 46];
const PLAIN_ASCII = /^[\x20-\x7e]*$/;

/** Security: folds case on every system, since a workspace may be on a file system that does. */
export function isSensitiveSegment(segment: string): boolean {
  const first = segment.charCodeAt(0);
  if (first < 128 && first !== DOT && first !== NUMBER_SIGN) return false;
  const name = foldName(segment);
  return name === '.git' || (HIDDEN.test(name) && !TEMPLATE.test(name));
}

/** Reports whether the sandbox hides what has this name. */
export function isHiddenName(name: string): boolean {
  return foldName(name) !== '.git' && isSensitiveSegment(name);
}

/** Reports whether commands may neither show what has this name, nor read it in a home. A `.envrc` is part of a project. */
export function isPrivateName(name: string): boolean {
  return isHiddenName(name) || foldName(name) === '.envrc';
}

/** Reports whether any segment of a slash-separated path is secret. */
export function hasSensitiveSegment(path: string): boolean {
  return path.split('/').some(isSensitiveSegment);
}

function foldName(segment: string): string {
  if (PLAIN_ASCII.test(segment)) return segment.toLowerCase();
  // HFS+ and folding ext4 ignore these characters in names: `.g\u00adit` opens `.git` there. V8 takes a part of a
  // millisecond to compile the class, so it is compiled only when it is needed.
  const visible = segment.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Lower, upper, lower: the folds that change the length (`ß` and `ẞ` to `ss`) come out alike.
  return visible.toLowerCase().toUpperCase().toLowerCase();
}
