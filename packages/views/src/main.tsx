import { render } from 'preact';
import type { PageData } from './fill-page.ts';
import { showInHost } from './host/show-in-host.tsx';
import { ResultView } from './show/view.tsx';
import { toShown } from './text/shown-text.ts';

function Page({ title, visualizations }: PageData) {
  return (
    <>
      <h1>{toShown(title)}</h1>
      {visualizations.map((visualization, i) => (
        <ResultView key={i} visualization={visualization} />
      ))}
    </>
  );
}

const main = document.getElementById('views');
const data = document.getElementById('data')?.textContent;
if (main && data) {
  const page: PageData | string = JSON.parse(data);
  // In a file that no one has filled there is no data but the mark of its place.
  if (typeof page === 'string') void showInHost(main);
  else {
    document.title = toShown(page.title);
    render(<Page {...page} />, main);
  }
}
