import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';
import { visualizeDiff } from './visualize-changes.ts';

const lines = fc
  .array(fc.constantFrom('', 'a', 'b', '-- c', '++ d', ' e', '\\ No newline', '@@ -1 +1 @@', 'f\r'), { maxLength: 12 })
  .map((texts) => texts.map((text) => `${text}\n`).join(''));

test('a diff with all lines around its changes holds both texts, with their line numbers', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      fc.pre(before !== after);
      const [old, now] = [before, after].map((text) => ({ path: 'f', content: Buffer.from(text) }));
      if (!old || !now) throw new Error('two texts give two sides');
      const { text = '' } = unifiedDiff(old, now, { context: 100, maxLength: 100_000 });
      const { hunks, additions, deletions } = visualizeDiff('f', text);
      const [hunk, ...more] = hunks;
      expect(more).toEqual([]);
      const changes = hunk?.changes ?? [];
      const side = (type: string, number: 'oldLineNumber' | 'newLineNumber') => {
        const own = changes.filter((change) => change.type === type || change.type === 'context');
        const first = Math.max(1, (number === 'oldLineNumber' ? hunk?.oldStart : hunk?.newStart) ?? 0);
        expect(own.map((change) => change[number])).toEqual(own.map((_, i) => first + i));
        return own.map(({ content }) => `${content}\n`).join('');
      };
      expect([side('removed', 'oldLineNumber'), side('added', 'newLineNumber')]).toEqual([before, after]);
      expect(additions).toBe(changes.filter(({ type }) => type === 'added').length);
      expect(deletions).toBe(changes.filter(({ type }) => type === 'removed').length);
    }),
  );
});

test('a text that gains lines where it has none begins at line 0, as in a unified diff', () => {
  const { hunks } = visualizeDiff('f', '--- a/f\n+++ b/f\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n');
  const changes = [{ type: 'added', content: 'x', newLineNumber: 1 }];
  expect(hunks).toEqual([{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, changes }]);
});
