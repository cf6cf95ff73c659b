import { languageOf } from '@jinn/syntax';

/** Languages whose keys, headings and rules are not declarations of code. */
const DATA: ReadonlySet<string> = new Set('json yaml toml markdown css html'.split(' '));
/** Languages whose files use the names of each other. */
const FAMILIES = ['typescript tsx javascript vue svelte html', 'c cpp', 'java kotlin scala', 'terraform hcl'];
const FAMILY = new Map(FAMILIES.flatMap((family) => family.split(' ').map((language) => [language, family] as const)));

/** Reports whether a file may be source code. A file without an extension may be a script, as its first line shows. */
export function mayBeCode(name: string): boolean {
  const language = languageOf(name);
  return language === undefined ? !name.includes('.') : !DATA.has(language);
}

/** Reports whether a file may have an outline. */
export function mayHaveOutline(name: string): boolean {
  return languageOf(name) !== undefined || !name.includes('.');
}

/** Reports whether files of two languages can mean the same thing by one name. */
export function areRelated(a: string, b: string): boolean {
  return (FAMILY.get(a) ?? a) === (FAMILY.get(b) ?? b);
}

/** Languages in which the functions of C are declared and called by their names. */
const CALLS_C: ReadonlySet<string> = new Set('go rust swift zig c_sharp dart'.split(' '));

/** Returns true if code of one language can name what the other declares. */
export function mayName(a: string, b: string): boolean {
  const callsC = (one: string, other: string) => CALLS_C.has(one) && areRelated(other, 'c');
  return areRelated(a, b) || callsC(a, b) || callsC(b, a);
}
