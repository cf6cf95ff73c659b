import { expect, test } from 'vitest';
import { toMcpResult } from './to-mcp-result.ts';

test('tells the model what a change broke and mended, beside the result', () => {
  const diagnostics = {
    new: ['a.ts:1:2 error ts/1: wrong'],
    fixed: ['b.ts:3:4 error ts/2: old'],
    omitted: 7,
    pending: true,
  };
  const { content, _meta } = toMcpResult({ ok: true, text: '{"a":1}', meta: { diagnostics } }, {});
  expect(content).toEqual([
    { type: 'text', text: '{"a":1}' },
    {
      type: 'text',
      text: [
        'This change causes:',
        'a.ts:1:2 error ts/1: wrong',
        'This change mends:',
        'b.ts:3:4 error ts/2: old',
        '[7 more]',
        '[the language server has not checked all of it yet]',
      ].join('\n'),
    },
  ]);
  expect(_meta).toEqual({ jinn: { meta: { diagnostics } } });
});

test('says nothing of a change that breaks and mends nothing', () => {
  const outcome = { ok: true, text: 'done', meta: { diagnostics: { new: [], fixed: [] } } } as const;
  expect(toMcpResult(outcome, {}).content).toEqual([{ type: 'text', text: 'done' }]);
});
