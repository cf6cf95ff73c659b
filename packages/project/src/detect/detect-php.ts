import type { ProjectDirectory } from '../files/project-directory.ts';
import { commandsOf, type DetectFunction, scriptsOf } from './finding.ts';
import { frameworksOf } from './frameworks.ts';

/** Scripts that Composer runs at its events. No one calls them. */
const HOOK = /^(?:pre|post)-/;

/** A program that checks or tests, with the files and packages that show its use. */
type Tool = readonly [command: string, files: readonly string[], packages: readonly string[]];

const TESTERS: readonly Tool[] = [
  ['vendor/bin/pest', [], ['pestphp/pest']],
  ['vendor/bin/phpunit', ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'], ['phpunit/phpunit']],
  ['vendor/bin/simple-phpunit', [], ['symfony/phpunit-bridge']],
  ['vendor/bin/codecept run', ['codeception.yml', 'codeception.dist.yml'], ['codeception/codeception']],
];

const LINTERS: readonly Tool[] = [
  [
    'vendor/bin/phpstan analyse',
    ['phpstan.neon', 'phpstan.neon.dist', 'phpstan.dist.neon'],
    ['phpstan/phpstan', 'larastan/larastan'],
  ],
  ['vendor/bin/psalm', ['psalm.xml', 'psalm.xml.dist'], ['vimeo/psalm']],
  ['vendor/bin/phpcs', ['phpcs.xml', 'phpcs.xml.dist', '.phpcs.xml', '.phpcs.xml.dist'], ['squizlabs/php_codesniffer']],
  ['vendor/bin/pint --test', ['pint.json'], ['laravel/pint']],
  [
    'vendor/bin/php-cs-fixer check',
    ['.php-cs-fixer.php', '.php-cs-fixer.dist.php'],
    ['friendsofphp/php-cs-fixer', 'php-cs-fixer/shim'],
  ],
];

/** Detects PHP from composer.json with its scripts. */
export const detectPhp: DetectFunction = async (directory, { file }) => {
  const manifest = directory.json(file);
  const required = ['require', 'require-dev'].flatMap((key) => manifest.table(key).keys());
  const scripts = manifest.table('scripts').keys();
  const written = commandsOf('composer run', scripts);
  return {
    languages: ['PHP'],
    frameworks: frameworksOf('composer', required),
    managers: ['composer'],
    scripts: [
      scriptsOf(
        file,
        'composer run',
        scripts.filter((name) => !HOOK.test(name)),
      ),
    ],
    build: written.build ?? 'composer install',
    test: written.test ?? firstOf(TESTERS, directory, required),
    lint: written.lint ?? firstOf(LINTERS, directory, required),
    name: manifest.string('name'),
    description: manifest.string('description'),
  };
};

function firstOf(tools: readonly Tool[], directory: ProjectDirectory, required: readonly string[]): string | undefined {
  const [command] =
    tools.find(([, files, packages]) => directory.has(...files) || packages.some((name) => required.includes(name))) ??
    [];
  return command;
}
