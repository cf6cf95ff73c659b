import type { Section } from '../../document/formats.ts';
import type { Costs } from '../costs.ts';
import { isCut, type PlannedFile } from '../planned-file.ts';
import { listByDirectory } from './left-out.ts';

const TITLE = 'left-out';

interface Part {
  readonly maxTokens: number;
  /** Which part of the document this is, from 1. */
  readonly number: number;
  readonly costs: Costs;
  readonly more?: ((nextPart: number) => string) | undefined;
}

interface ListedPart extends Part {
  readonly chosen: readonly PlannedFile[];
  readonly left: readonly PlannedFile[];
  /** Sentences on the sections that were cut. */
  readonly cuts: readonly string[];
  /** The tokens that the list may have. */
  readonly most: number;
}

/** How many files there are in each form. */
interface Counts {
  readonly whole: number;
  readonly outlines: number;
  readonly cut: number;
  /** Files whose last part is here, and whose other parts came before. */
  readonly ended: number;
  readonly left: number;
}

/** Makes the list of the files that are not whole, in at most `most` tokens. */
export function listLeftOut({ chosen, left, cuts, most, ...part }: ListedPart): Section {
  const { more, number, costs } = part;
  const counts = countOf(chosen, left.length);
  const first = summarize(part, counts);
  const last = more && counts.left + counts.cut > 0 ? [more(number + 1)] : [];
  const fits = (lines: readonly string[]) => costs.section(toSection(lines)) <= most;
  const before = fits([first, ...cuts, ...last]) ? [first, ...cuts] : [first];
  const lines = listByDirectory(left, (some) => fits([...before, 'Left out:', ...some, ...last]));
  return toSection([...before, ...(lines.length > 0 ? ['Left out:'] : []), ...lines, ...last]);
}

/** Makes the list of a part without the names of files, but with the largest numbers that it could have. */
export function shortestList(part: Part & { readonly order: readonly unknown[] }): Section {
  const { more, number, order } = part;
  const { length } = order;
  const first = summarize(part, { whole: length, outlines: length, cut: length, ended: length, left: length });
  return toSection(more ? [first, more(number + 1)] : []);
}

function toSection(lines: readonly string[]): Section {
  return { title: TITLE, text: lines.join('\n') };
}

function countOf(chosen: readonly PlannedFile[], left: number): Counts {
  const forms = chosen.map(({ instead }) => {
    if (instead?.kind === 'piece') return isCut(instead) ? 'cut' : 'ended';
    return instead?.kind === 'outline' ? 'outline' : 'whole';
  });
  const count = (form: string) => forms.filter((other) => other === form).length;
  return { whole: count('whole'), outlines: count('outline'), cut: count('cut'), ended: count('ended'), left };
}

function summarize({ maxTokens, number }: Part, { whole, outlines, cut, ended, left }: Counts): string {
  const parts = [
    `${whole} ${whole === 1 ? 'file' : 'files'} whole`,
    outlines > 0 && `${outlines} as ${outlines === 1 ? 'an outline' : 'outlines'}`,
    cut > 0 && `${cut} cut`,
    ended > 0 && `the end of ${ended}`,
    `${left} left out`,
  ];
  const fitted = number === 1 ? 'Fitted' : `Part ${number}, fitted`;
  return `${fitted} to ${maxTokens} tokens: ${parts.filter(Boolean).join(', ')}.`;
}
