import { expect, test } from 'vitest';
import { toMcpResult } from './results.ts';

const READ = { effect: 'read', hosting: {} } as const;
const WRITE = { effect: 'write', hosting: {} } as const;
const LASTING = { endsWithCall: false };

test('tells the model what a change broke and mended, beside the result', () => {
  const diagnostics = {
    new: ['a.ts:1:2 error ts/1: wrong'],
    fixed: ['b.ts:3:4 error ts/2: old'],
    omitted: 7,
    pending: true,
  };
  const { content, _meta } = toMcpResult({ ok: true, text: '{"a":1}', meta: { diagnostics } }, READ, LASTING);
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

test('tells the model what was found too late for an earlier call', () => {
  const late = {
    new: ['a.ts:1:2 error: bad'],
    fixed: ['b.ts:3:4 error: old'],
    present: ['c.ts:1:1 error: odd'],
    omitted: 1,
  };
  const { content } = toMcpResult({ ok: true, text: 'done', meta: { late_diagnostics: late } }, READ, LASTING);
  const lines = [
    'An earlier change causes:',
    'a.ts:1:2 error: bad',
    'An earlier change mends:',
    'b.ts:3:4 error: old',
    'Wrong in files that were changed earlier:',
    'c.ts:1:1 error: odd',
    '[1 more]',
  ];
  expect(content).toEqual([
    { type: 'text', text: 'done' },
    { type: 'text', text: lines.join('\n') },
  ]);
});

test('tells the model which syntax errors a change brought in, unless a language server tells more', () => {
  const syntax = { errors: [{ file: 'a.ts', line: 3, message: 'unexpected }' }], omitted: 2 };
  const told = (diagnostics?: object) =>
    toMcpResult(
      { ok: true, text: 'done', meta: { syntax, ...(diagnostics && { diagnostics }) } },
      WRITE,
      LASTING,
    ).content.slice(1);
  const expected = [{ type: 'text', text: 'This change causes syntax errors:\na.ts:3: unexpected }\n[2 more]' }];
  expect(told()).toEqual(expected);
  expect(told({ new: [], fixed: [] })).toEqual(expected);
  expect(told({ new: ['a.ts:3:1 error ts/1: wrong'], fixed: [] })).toEqual([
    { type: 'text', text: 'This change causes:\na.ts:3:1 error ts/1: wrong' },
  ]);
});

test('says nothing of a change that breaks and mends nothing', () => {
  const outcome = { ok: true, text: 'done', meta: { diagnostics: { new: [], fixed: [] } } } as const;
  expect(toMcpResult(outcome, READ, LASTING).content).toEqual([{ type: 'text', text: 'done' }]);
});

test.each([
  [{ text: 'done' }, { version: '1-a' }, 'done\n[version: 1-a]'],
  [{ text: '"ok"' }, { version: '1-a' }, '"ok"\n[version: 1-a]'],
  [{ text: '{"a":1}', data: { a: 1 } }, { version: '1-a' }, '{"a":1,"version":"1-a"}'],
  [{ text: 'done' }, { files: [{ path: 'a', version: '1-a' }, { path: 'b' }] }, 'done\n[version: a 1-a]'],
  [
    { text: '{"a":1}', data: { a: 1 } },
    {
      files: [
        { path: 'a', version: '1-a' },
        { path: 'b', version: '1-b' },
      ],
    },
    '{"a":1,"versions":{"a":"1-a","b":"1-b"}}',
  ],
  [{ text: '{"a":1}', data: { a: 1 } }, {}, '{"a":1}'],
  [{ text: 'done' }, {}, 'done'],
])('a tool that writes says in its text which versions it leaves: %j with %j', (answer, meta, text) => {
  expect(toMcpResult({ ok: true, ...answer, meta }, WRITE, LASTING).content).toEqual([{ type: 'text', text }]);
  expect(toMcpResult({ ok: true, ...answer, meta }, READ, LASTING).content).toEqual([
    { type: 'text', text: answer.text },
  ]);
});

test.each([
  ['always', false, true],
  ['without-session', false, false],
  ['without-session', true, true],
] as const)(
  'with %s, and a session that ends with the call %s, the versions are told: %s',
  (tellsVersions, endsWithCall, isTold) => {
    const outcome = { ok: true, text: 'done', meta: { version: '1-a' } } as const;
    const { content, _meta } = toMcpResult(outcome, { effect: 'write', hosting: { tellsVersions } }, { endsWithCall });
    expect(content).toEqual([{ type: 'text', text: isTold ? 'done\n[version: 1-a]' : 'done' }]);
    expect(_meta).toEqual({ jinn: { meta: { version: '1-a' } } });
  },
);
