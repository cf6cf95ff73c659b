import { expect, test } from 'vitest';
import { variablePlaces } from './places.ts';
import { branchesAt } from './run-files.ts';

test('finds what variables name as a whole, and what lies in directories that they move', () => {
  const { whole, moved } = variablePlaces({
    KUBECONFIG: '/a/one:/b/two::relative',
    KRB5CCNAME: 'FILE:/tmp/cc',
    HISTFILE: '/h/history',
    NETRC: '/',
    CLAUDE_CONFIG_DIR: '/cc',
    CARGO_HOME: '/cargo',
    XDG_CONFIG_HOME: 'relative',
  });
  expect(whole).toEqual(['/h/history', '/tmp/cc', '/a/one', '/b/two', '/cc/.claude.json']);
  expect(moved.map(({ directory }) => directory)).toEqual(['/cargo', '/cc']);
  const cargo = moved.find(({ directory }) => directory === '/cargo');
  expect(cargo && branchesAt(cargo.tree, 'credentials.toml')).toMatchObject([{ isPlace: true }]);
  expect(variablePlaces({})).toEqual({ whole: [], moved: [] });
});
