import fc from 'fast-check';
import { expect, test } from 'vitest';
import { notebookToText } from './notebook.ts';

const DATA = 'iVBORw0KGgo'.repeat(40);
const show = (...cells: unknown[]) => notebookToText(JSON.stringify({ cells }));

test('names the forms of an output that has no text, and the attachments of a cell', () => {
  const outputs = [{ data: { 'text/html': '<b>1</b>', 'application/json': { a: 1 } } }];
  expect(show({ cell_type: 'code', source: ['a\n', 'b'], outputs })).toBe(
    '# %% [1] python\na\nb\n# output:\n[text/html, 8 characters left out; application/json left out]\n',
  );
  const attachments = { 'a.png': { 'image/png': DATA }, odd: 1 };
  expect(show({ cell_type: 'markdown', source: '![a](attachment:a.png)', attachments })).toBe(
    `# %% [1] markdown\n![a](attachment:a.png)\n[attachment a.png: image/png, ${DATA.length} characters left out]\n`,
  );
});

test('shows an error without the escape sequences of colours, and not its traceback', () => {
  const outputs = [{ ename: 'ValueError', evalue: '\u001b[31mno\u001b[0m', traceback: ['x'] }];
  expect(show({ cell_type: 'code', source: '', outputs })).toBe('# %% [1] python\n# output:\nValueError: no\n');
});

test('leaves out data that is embedded in text', () => {
  expect(show({ cell_type: 'markdown', source: `<img src="data:image/png;base64,${DATA}">` })).toBe(
    `# %% [1] markdown\n<img src="data:image/png;base64,[${DATA.length} characters left out]">\n`,
  );
});

test('shows the cells of nbformat 3', () => {
  const outputs = [
    { output_type: 'stream', stream: 'stdout', text: ['done\n'] },
    { output_type: 'pyout', prompt_number: 1, text: ['<Figure>'], png: DATA },
    { output_type: 'display_data', png: DATA },
    { output_type: 'pyerr', ename: 'ValueError', evalue: 'no', traceback: ['x'] },
  ];
  const first = [
    { cell_type: 'heading', level: 2, source: ['Title'] },
    { cell_type: 'code', language: 'julia', input: ['plot(x)\n', 'y'], collapsed: false, outputs },
  ];
  const worksheets = [{ cells: first, metadata: {} }, { cells: [{ cell_type: 'markdown', source: 'words' }] }, 1];
  expect(notebookToText(JSON.stringify({ nbformat: 3, nbformat_minor: 0, metadata: { name: 'x' }, worksheets }))).toBe(
    [
      '# %% [1] markdown\n## Title\n',
      '# %% [2] julia\nplot(x)\ny\n# output:\ndone',
      `# output:\n<Figure>\n[image/png, ${DATA.length} characters left out]`,
      `# output:\n[image/png, ${DATA.length} characters left out]`,
      '# output:\nValueError: no\n',
      '# %% [3] markdown\nwords\n',
    ].join('\n'),
  );
});

test.for(['', '{', '1', '{"worksheets":1}', '{"cells":1}', '[]', 'null', '{}'])('takes %j for no notebook', (text) => {
  expect(notebookToText(text)).toBeUndefined();
});

test('takes whatever a cell may hold, also deep values', () => {
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  expect(notebookToText(`{"cells":[{"outputs":[{"data":{"x/y":${deep}}}]}]}`)).toContain('[x/y left out]');
  const cell = fc.record({ cell_type: fc.jsonValue(), source: fc.jsonValue(), outputs: fc.jsonValue() });
  const anything = fc.array(fc.oneof(fc.jsonValue(), cell));
  fc.assert(
    fc.property(anything, (cells) => {
      expect(show(...cells)).toBeTypeOf('string');
    }),
  );
});
