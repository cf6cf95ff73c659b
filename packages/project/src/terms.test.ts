import { expect, test } from 'vitest';
import { termsOf } from './terms.ts';

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
