import type { ProjectDirectory } from '../files/project-directory.ts';
import { type DetectFunction, isPlainName } from './finding.ts';

/** Detects Terraform and OpenTofu from any of their files, and Terragrunt, which runs them in many directories. */
export const detectTerraform: DetectFunction = async (directory) => {
  const has = (end: string) => directory.listed.some(({ name }) => name.endsWith(end));
  const lint = directory.has('.tflint.hcl') ? 'tflint' : undefined;
  if (directory.has('terragrunt.hcl')) {
    const run = has('.tf') || has('.tofu') ? 'terragrunt' : 'terragrunt run --all';
    return {
      languages: ['Terraform'],
      managers: ['terragrunt'],
      build: `${run} plan`,
      test: `${run} validate`,
      lint: lint ?? 'terragrunt hcl fmt --check',
    };
  }
  const program = has('.tofu') ? 'tofu' : 'terraform';
  const hasTests = has('.tftest.hcl') || hasDirectory(directory, 'tests');
  return {
    languages: ['Terraform'],
    managers: [program],
    build: `${program} init && ${program} plan`,
    test: hasTests ? `${program} test` : `${program} validate`,
    lint: lint ?? `${program} fmt -check -recursive`,
  };
};

/** Detects Xcode from a project or a workspace, which are directories. */
export const detectXcode: DetectFunction = async (directory) => {
  const names = directory.listed.filter(({ kind }) => kind === 'directory').map(({ name }) => name);
  const workspace = names.find((name) => name.endsWith('.xcworkspace'));
  const project = names.find((name) => name.endsWith('.xcodeproj'));
  const chosen = workspace ?? project;
  if (chosen === undefined || !isPlainName(chosen)) return { languages: ['Swift'] };
  const name = chosen.slice(0, chosen.lastIndexOf('.'));
  const where = `${workspace === undefined ? '-project' : '-workspace'} ${chosen} -scheme ${name}`;
  return {
    languages: ['Swift'],
    managers: directory.has('Podfile') ? ['cocoapods'] : [],
    guesses: { build: `xcodebuild ${where} build`, test: `xcodebuild ${where} test` },
    lint: directory.has('.swiftlint.yml') ? 'swiftlint' : undefined,
    name,
  };
};

/** Detects R from a package, or from a project with renv or RStudio. */
export const detectR: DetectFunction = async (directory) => {
  const description = directory.text('DESCRIPTION') ?? '';
  const name = /^Package:[ \t]*([\w.]+)/m.exec(description)?.[1];
  if (name === undefined && !directory.has('renv.lock') && !directory.names.some((file) => file.endsWith('.Rproj'))) {
    return undefined;
  }
  return {
    languages: ['R'],
    frameworks: /^\s*shiny\b/m.test(description.replaceAll(',', '\n')) ? ['Shiny'] : [],
    managers: directory.has('renv.lock') ? ['renv'] : [],
    build:
      name !== undefined ? 'R CMD build .' : directory.has('renv.lock') ? "Rscript -e 'renv::restore()'" : undefined,
    test: hasDirectory(directory, 'tests') ? "Rscript -e 'devtools::test()'" : undefined,
    lint: directory.has('.lintr') ? "Rscript -e 'lintr::lint_package()'" : undefined,
    name,
  };
};

/** Detects Julia from Project.toml, or from JuliaProject.toml, which comes first. */
export const detectJulia: DetectFunction = async (directory, { file }) => {
  const manifest = await directory.toml(file);
  const pkg = (call: string) => `julia --project=. -e 'using Pkg; Pkg.${call}()'`;
  return {
    languages: ['Julia'],
    managers: ['Pkg'],
    build: pkg('instantiate'),
    test: hasDirectory(directory, 'test') ? pkg('test') : undefined,
    name: manifest.string('name'),
  };
};

/** Detects Perl from Makefile.PL, Build.PL, cpanfile and dist.ini. */
export const detectPerl: DetectFunction = async (directory) => {
  const isZilla = directory.has('dist.ini');
  return {
    languages: ['Perl'],
    managers: [isZilla ? 'dzil' : 'cpanm'],
    build: isZilla
      ? 'dzil build'
      : directory.has('Build.PL')
        ? 'perl Build.PL && ./Build'
        : directory.has('Makefile.PL')
          ? 'perl Makefile.PL && make'
          : 'cpanm --installdeps .',
    test: hasDirectory(directory, 't') ? 'prove -lr t' : undefined,
    lint: directory.has('.perlcriticrc') ? 'perlcritic .' : undefined,
  };
};

function hasDirectory({ listed }: ProjectDirectory, name: string): boolean {
  return listed.some((entry) => entry.name === name && entry.kind === 'directory');
}
