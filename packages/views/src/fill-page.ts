import type { Visualization } from '@jinn/core/visualization';

/** The data of a page of results. */
export interface PageData {
  readonly title: string;
  readonly visualizations: readonly Visualization[];
}

/** The place of the data in the built file. */
const PLACE = '"jinn:data"';

/**
 * Puts results into the built file, which then is a page that needs nothing else. Security: the page has no `<` of the
 * data, so that nothing in it can end the element that holds it.
 */
export function fillPage(page: string, data: PageData): string {
  const at = page.indexOf(PLACE);
  if (at < 0) throw new Error('the file of the views has no place for data');
  const json = JSON.stringify(data).replaceAll('<', String.raw`\u003c`);
  return page.slice(0, at) + json + page.slice(at + PLACE.length);
}
