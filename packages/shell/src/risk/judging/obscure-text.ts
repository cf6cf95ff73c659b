import { isDangerousName } from '../program.ts';

/** Syntax that may stand for any command, in a text that cannot be parsed. */
const OBSCURE = /\$['"({\w]|`|\\[\S\n]|\{[^{}\s]*,|[*?[]\S/;

/** Looks for the names of dangerous programs in a text of which nothing more is known. */
export function namesDanger(text: string): boolean {
  const words = text.replace(/['"\\]/g, '').split(/[\s;&|(){}<>`$=,]+/);
  return [...words, ...text.split(/[\s;&|(){}<>`$=,'"\\]+/)].some((word) => word !== '' && isDangerousName(word));
}

/** Reports whether a text that cannot be parsed may hold a dangerous command. */
export function mayHide(text: string): boolean {
  return OBSCURE.test(text) || namesDanger(text);
}
