import { expect, test } from 'vitest';
import { homePlaces, MAY_BE_FIRST, placesIn } from './places.ts';
import { branchesAt, toPlaceTree } from './run-files.ts';

const HOME_PLACES = placesIn('home');
const SYSTEM_PLACES = placesIn('system');

test('each place is named once, and none lies in another', () => {
  const all = [...HOME_PLACES, ...SYSTEM_PLACES].map((place) => place.toLowerCase());
  expect(all.filter((place, i) => all.indexOf(place) !== i)).toEqual([]);
  const places = new Set(all);
  const parents = (place: string) => place.split('/').map((_, i, names) => names.slice(0, i).join('/'));
  expect(all.filter((place) => parents(place).some((parent) => places.has(parent)))).toEqual([]);
});

test('places are written as paths that programs would give them', () => {
  for (const place of HOME_PLACES) expect(place).toMatch(/^[^/]+(\/[^/]+)*$/);
  for (const place of SYSTEM_PLACES) expect(place).toMatch(/^(\/[^/]+)+$/);
  for (const place of [...HOME_PLACES, ...SYSTEM_PLACES]) expect(place).toBe(place.trim().normalize());
});

test('the names that a place may begin with are known without the table', () => {
  const names = HOME_PLACES.map((place) => place.split('/')[0] ?? '');
  expect(names.filter((name) => !MAY_BE_FIRST.test(name) || !MAY_BE_FIRST.test(name.toUpperCase()))).toEqual([]);
});

test('the list holds what programs are known to keep', () => {
  expect(HOME_PLACES.length).toBeGreaterThan(880);
  const known = `.vault_pass .curlrc .config/gh .ssh *.kdbx .aws .config/gcloud .azure .kube .docker/config.json .netrc .npmrc
    .pypirc .gem/credentials .cargo/credentials.toml .config/hub .git-credentials .gnupg .mozilla .config/google-chrome
    .local/share/keyrings .claude.json .claude/.credentials.json .claude/settings.json .codex/auth.json .codex/config.toml
    .gemini .bash_history .zsh_history .pgpass .my.cnf .terraform.d/credentials.tfrc.json .vault-token .composer/auth.json
    .nuget/NuGet/NuGet.Config .m2/settings.xml .gradle/gradle.properties .sbt/.credentials`;
  expect(known.split(/\s+/).filter((place) => !HOME_PLACES.includes(place))).toEqual([]);
  for (const place of ['/etc/shadow', '/etc/restic', '/run/secrets']) expect(SYSTEM_PLACES).toContain(place);
});

test('places that are known without the home are places below it', () => {
  const places = placesIn('distinct').map((place) => place.replace(/\/$/, ''));
  expect(places.filter((place) => !HOME_PLACES.includes(place))).toEqual([]);
});

test('a tree leads through names in any case and through patterns, as far as to a place', () => {
  const tree = toPlaceTree(['.A/b', 'c/*/d', '*.key', '*.key/never']);
  expect(branchesAt(tree, '.a').map(({ isPlace }) => isPlace)).toEqual([false]);
  expect(branchesAt(tree, 'x.KEY').map(({ isPlace }) => isPlace)).toEqual([true]);
  expect(branchesAt(tree, '.key')).toHaveLength(1);
  expect(branchesAt(tree, 'key')).toEqual([]);
  const [c] = branchesAt(tree, 'c');
  expect(c && branchesAt(c, 'anything')).toHaveLength(1);
  expect(homePlaces()).toBe(homePlaces());
});
