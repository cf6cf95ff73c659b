import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeTempDirectory } from '@jinn/testkit';
import { expect, test } from 'vitest';
import { findPerl } from '../../index.ts';
import { viewNumbers } from './bubblewrap.ts';

const SCRIPT = path.join(import.meta.dirname, 'sandbox-view.pl');
/** Makes the functions of the script usable as they are in the mount namespace. */
const PRELUDE = `
  my ($script, $numbers, @rest) = @ARGV;
  our ($prctl);
  open(my $file, '<', $script) or die;
  my $test = pop @rest;
  eval(join('', <$file>) =~ s/^1;$//mr . '
    @call{qw(openat close mount setns statfs flags)} = map { $_ + 0 } (split / /, $numbers)[0 .. 5];
    my $slash = "/";
    $root = syscall($call{openat}, -100, $slash, $call{flags}, 0);
    opendir(my $held, "/proc/self/fd") or die; chdir $held or die;
    ' . $test . '; 1') or print "died: $@";
`;

/** Runs Perl with the functions of the script, and gives what it prints. */
function run(test: string, ...rest: string[]): string {
  const args = ['-f', '-e', PRELUDE, SCRIPT, viewNumbers(true) ?? '', ...rest, test];
  const { stdout, stderr } = spawnSync(findPerl() as string, args, { encoding: 'utf8', timeout: 20_000 });
  return stdout + stderr;
}

function identity(file: string): string {
  const { dev, ino } = fs.lstatSync(file);
  return `${dev}:${ino}`;
}

const WALK = 'my $fd = walk(@rest); print defined $fd ? join(":", (stat "$fd")[0, 1]) : "missing"';

test.skipIf(viewNumbers(true) === undefined)('walks to the object that jinn saw, and to no other', () => {
  const directory = fs.realpathSync(makeTempDirectory());
  fs.mkdirSync(`${directory}/a/b`, { recursive: true });
  fs.mkdirSync(`${directory}/other`);
  fs.symlinkSync('a', `${directory}/link`);
  const place = `${directory}/a/b`;
  expect(run(WALK, place, identity(place))).toBe(identity(place));
  expect(run(WALK, place, '-')).toBe(identity(place));
  expect(run(WALK, `${directory}/missing`, '-')).toBe('missing');
  expect(run(WALK, `${directory}/missing`, identity(place))).toBe(`died: changed: ${directory}/missing\n`);
  expect(run(WALK, `${directory}/other`, identity(place))).toBe(`died: changed: ${directory}/other\n`);
  expect(run(WALK, `${directory}/link/b`, identity(place))).toBe(`died: changed: ${directory}/link/b\n`);
  expect(run(WALK, `${directory}/link`, '-')).toBe(identity(`${directory}/link`));
});

const CHILD = 'pipe(my $out, my $in); syswrite($in, $_) for @rest; close $in; print child_of($out)';

test.skipIf(viewNumbers(true) === undefined)('reads the process that bubblewrap names', () => {
  expect(run(CHILD, '{\n  "child-p', 'id": 123\n}\n')).toBe('123');
  expect(run(CHILD, '{}')).toBe('died: bubblewrap names no process\n');
  expect(run(CHILD, '')).toBe(''); // bubblewrap has ended, and has said why.
});

test.skipIf(viewNumbers(true) === undefined)('keeps the flags that a mount has', () => {
  const flagsOf = (file: string) => Number(run('print flags_of($rest[0])', file));
  expect(flagsOf('/proc') & 0xe).toBe(mountFlags('/proc'));
  expect(run('print flags_of($rest[0])', '/missing')).toBe('died: cannot look at a mount: No such file or directory\n');
});

/** Returns nosuid, nodev and noexec of a mount, as mount(2) has them. */
function mountFlags(place: string): number {
  const lines = fs.readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const options =
    lines
      .findLast((line) => line.split(' ')[1] === place)
      ?.split(' ')[3]
      ?.split(',') ?? [];
  return ['nosuid', 'nodev', 'noexec'].reduce((sum, name, i) => sum + (options.includes(name) ? 2 << i : 0), 0);
}

const JOIN = `
  my $keyctl = (split / /, $numbers)[6] + 0;
  my $session = sub { syscall($keyctl, 0, -3, 0) };
  my $before = $session->();
  leave_outside($prctl, $numbers, 1);
  print $before > 0 && $session->() > 0 ? $session->() == $before ? "the same" : "another" : "none";
`;

test.skipIf(viewNumbers(true) === undefined)(
  'leaves the session keyring also where no filter of calls may be set',
  () => {
    expect(run(JOIN)).toBe('another');
  },
);
