import { render } from 'preact';
import { UiPage } from './page.tsx';
import { openPage } from './page-api.ts';

async function start(main: HTMLElement): Promise<void> {
  const fault = await openPage().catch(() => 'jinn ui does not answer.');
  render(fault === undefined ? <UiPage /> : <p class="note">{fault}</p>, main);
}

const main = document.getElementById('views');
if (main) void start(main);
