import { parseJson } from '@jinn/core/text';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { requestIdOf, withRequestId } from './request.ts';

const idOf = (text: string) => requestIdOf(parseJson(Buffer.from(text)));
const numbers = fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,20})?([eE][+-]?\d{1,4})?$/);

test('any number comes back as it was written', () => {
  fc.assert(
    fc.property(numbers, fc.boolean(), (id, isPlain) => {
      const request = isPlain ? `{"tool":"x","request_id":${id}}` : `{ "request_id" : ${id} , "args": {"a": [1.0]} }`;
      expect(idOf(request)).toBe(id);
    }),
  );
});

test('any string comes back, and the answer stays one JSON object', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.dictionary(fc.string(), fc.jsonValue()), (id, members) => {
      const requestId = idOf(JSON.stringify({ request_id: id }));
      const answer = { ok: true, ...members };
      expect(JSON.parse(withRequestId(answer, requestId))).toEqual({
        ...JSON.parse(JSON.stringify(answer)),
        request_id: id,
      });
    }),
    { numRuns: 100 / inject('runsDivisor') },
  );
});

test.each(['{}', '[]', '5', 'null', '{"request_id":null}', '{"request_id":{}}', '{"request_id":true}', '{"a":1'])(
  'there is no id in %s',
  (text) => {
    expect(idOf(text)).toBeUndefined();
    expect(withRequestId({ ok: true }, idOf(text))).toBe('{"ok":true}');
  },
);
