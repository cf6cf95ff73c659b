import { expect, test } from 'vitest';
import { toEnvelope } from './program-output.ts';

test('an answer has what a caller must know, and the rest of meta only if it is asked for', () => {
  const known = { diagnostics: { new: [1] }, late_diagnostics: { new: [2] }, syntax: [3] };
  const outcome = { ok: true, text: '', meta: { ...known, lines: 1 } } as const;
  expect(toEnvelope(outcome, { wantsMeta: false }).meta).toEqual(known);
  expect(toEnvelope(outcome).meta).toEqual({ ...known, lines: 1 });
});
