import { render } from 'preact';
import type { PageData } from './fill-page.ts';
import { View } from './show/view.tsx';
import { toShown } from './text/shown-text.ts';

/** Shows the results that the file holds. */
function Page({ title, visualizations }: PageData) {
  return (
    <>
      <h1>{toShown(title)}</h1>
      {visualizations.map((visualization, i) => (
        <View key={i} visualization={visualization} />
      ))}
    </>
  );
}

const main = document.getElementById('views');
const data = document.getElementById('data')?.textContent;
if (main && data) {
  const page: PageData = JSON.parse(data);
  document.title = toShown(page.title);
  render(<Page {...page} />, main);
}
