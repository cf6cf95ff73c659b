import type { ProjectDirectory } from '../files/project-directory.ts';
import { commandsOf, type DetectFunction, isPlainName, scriptsOf } from './finding.ts';
import { frameworksOf } from './frameworks.ts';

const GEM = /^[ \t]*gem[ \t(]+['"]([\w-]+)['"]/gm;
const DEPENDENCY = /\.add_(?:runtime_|development_)?dependency[ \t(]+['"]([\w-]+)['"]/g;
const SPEC_NAME = /\.name[ \t]*=[ \t]*['"]([\w-]+)['"]/;
/** `task :a`, `task "a:b"`, `task a: [:b]` at the top level. Tasks in a namespace have longer names. */
const TASK = /^(?:multi)?task[ \t(]+(?::(\w+)|['"]([\w:-]+)['"]|(\w+):)/gm;
const MADE_TASK =
  /^(Rake::TestTask|Minitest::TestTask|RSpec::Core::RakeTask|RuboCop::RakeTask)\.\w+(?:[ \t(]+:(\w+))?/gm;
/** The default names of generated tasks. */
const MADE_NAMES: Readonly<Record<string, string>> = { RSpec: 'spec', RuboCop: 'rubocop' };
const GEM_TASKS = /^require[ \t]+['"]bundler\/gem_tasks['"]/m;
const GEMFILES = ['Gemfile', 'gems.rb'];
const RAKEFILE = 'Rakefile';

/** Detects Ruby from Gemfile, Rakefile and gemspec. */
export const detectRuby: DetectFunction = async (directory) => {
  const gemfile = directory.find(...GEMFILES);
  const gemspec = directory.names.find((name) => name.endsWith('.gemspec') && isPlainName(name));
  const spec = textOf(directory, gemspec);
  const gems = [...textOf(directory, gemfile).matchAll(GEM), ...spec.matchAll(DEPENDENCY)].map(([, gem = '']) => gem);
  const exec = gemfile === undefined ? '' : 'bundle exec ';
  const tasks = tasksIn(textOf(directory, RAKEFILE));
  const rake = commandsOf(`${exec}rake`, tasks);
  const install = gemfile === undefined ? undefined : 'bundle install';
  return {
    languages: ['Ruby'],
    frameworks: frameworksOf('ruby', gems),
    managers: gemfile === undefined ? [] : ['bundler'],
    runners: tasks.length === 0 ? [] : ['rake'],
    scripts: [scriptsOf(RAKEFILE, `${exec}rake`, tasks)],
    build: install ?? rake.build ?? (gemspec === undefined ? undefined : `gem build ${gemspec}`),
    test: rake.test ?? testOf(directory, gems, exec) ?? (tasks.includes('spec') ? `${exec}rake spec` : undefined),
    lint: rake.lint ?? lintOf(directory, gems, exec),
    name: SPEC_NAME.exec(spec)?.[1],
  };
};

function testOf(directory: ProjectDirectory, gems: readonly string[], exec: string): string | undefined {
  if (directory.has('.rspec') || gems.includes('rspec') || gems.includes('rspec-rails')) return `${exec}rspec`;
  return gems.includes('rails') ? `${exec}rails test` : undefined;
}

function lintOf(directory: ProjectDirectory, gems: readonly string[], exec: string): string | undefined {
  if (directory.has('.rubocop.yml') || gems.some((gem) => /^rubocop\b/.test(gem))) return `${exec}rubocop`;
  return directory.has('.standard.yml') || gems.includes('standard') ? `${exec}standardrb` : undefined;
}

function tasksIn(rakefile: string): string[] {
  const written = [...rakefile.matchAll(TASK)].map(([, symbol, text, key]) => symbol ?? text ?? key ?? '');
  const made = [...rakefile.matchAll(MADE_TASK)].map(
    ([, maker = '', name]) => name ?? MADE_NAMES[maker.split('::')[0] ?? ''] ?? 'test',
  );
  const ofGem = GEM_TASKS.test(rakefile) ? ['build', 'install', 'release'] : [];
  return [...new Set([...written, ...made, ...ofGem])];
}

function textOf(directory: ProjectDirectory, name: string | undefined): string {
  return name === undefined ? '' : (directory.text(name) ?? '');
}
