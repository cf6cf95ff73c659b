import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type KnownTerms, type Term, termsOf } from './terms.ts';

test.for([
  'caches cache cached caching',
  'retry retries retried retrying',
  'copy copies copied copying',
  'run running runs',
  'migrate migrates migrated migrating migration migrations',
  'configure configured configuration configurations',
  'install installs installing installation',
  'authorize authorized authorization',
  'document documents documentation',
  'deploy deploys deployed deployment deployments',
  'transform transforms transformation',
  'class classes',
  'go golang',
  'postgres postgresql',
  'kubernetes k8s',
  'javascript js',
  'typescript ts',
  'python py',
  'résumé resume résumés',
] as const)('%s are the same', (words) => {
  expect(new Set(words.split(' ').flatMap((word) => termsOf(word).map(({ term }) => term))).size).toBe(1);
});

test.for(['status stats', 'process procs', 'form format'] as const)('gives different terms to %s', (words) => {
  const terms = words.split(' ').flatMap((word) => termsOf(word).map(({ term }) => term));
  expect(new Set(terms).size).toBe(terms.length);
});

test('gives the same terms where words are known from other texts', () => {
  const word = fc.constantFrom(
    'useState',
    'HTTPServer',
    'caches',
    'the',
    'c++',
    'résumé',
    '日本語',
    'x'.repeat(50),
    'Run',
  );
  const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
      const known: KnownTerms = new Map();
      for (const one of texts) {
        const expected = termsOf(one);
        expect(termsOf(one, { known })).toEqual(expected);
        const different = (terms: readonly Term[]) => [...new Set(terms.map(({ term }) => term))];
        expect(different(termsOf(one, { known, isSet: true }))).toEqual(different(expected));
      }
    }),
  );
});

test('knows the parts of a name beside the name', () => {
  const words = (text: string) => termsOf(text).map(({ word }) => word);
  expect(words('readState HTTPServer Title plain')).toEqual([
    ...['readstate', 'read', 'state', 'httpserver', 'http', 'server', 'title', 'plain'],
  ]);
});
